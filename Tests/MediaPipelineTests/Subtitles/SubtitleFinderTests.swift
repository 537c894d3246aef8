import Testing

@testable import MediaPipeline

@Suite struct SubtitleFinderTests {
    private let names = [
        "film.mkv", "film.srt", "film.en.srt", "Film.de.forced.ass", "film.pt-BR.sdh.vtt", "film two.srt",
        "the film.sup", "film.nfo", "other.srt",
    ]

    private func found(_ search: SubtitleFinder.Search) -> [String] {
        SubtitleFinder.match(names, media: "film.mkv", search: search).map(\.path)
    }

    @Test func filesAreFoundByName() {
        #expect(found(.no) == [])
        #expect(Set(found(.exact)) == ["film.srt", "film.en.srt", "Film.de.forced.ass", "film.pt-BR.sdh.vtt"])
        #expect(Set(found(.fuzzy)) == Set(found(.exact)).union(["film two.srt", "the film.sup"]))
        #expect(Set(found(.all)) == Set(found(.fuzzy)).union(["other.srt"]))
    }

    @Test func languageAndFlagsAreReadFromTheName() throws {
        let all = SubtitleFinder.match(names, media: "film.mkv", search: .exact)
        let english = try #require(all.first { $0.path == "film.en.srt" }),
            forced = try #require(all.first { $0.path == "Film.de.forced.ass" })
        let sounds = try #require(all.first { $0.path == "film.pt-BR.sdh.vtt" })
        #expect(english.language == "en" && !english.isForced && !english.isForHearingImpaired)
        #expect(forced.language == "de" && forced.isForced)
        #expect(sounds.language == "pt-br" && sounds.isForHearingImpaired)
        #expect(all.first { $0.path == "film.srt" }?.language == nil)
    }

    @Test func aVobSubPairIsOneTrackAndAnIndexAloneIsNone() {
        let names = ["film.idx", "film.sub", "film.en.SUB", "film.de.idx", "film.fr.sub"]
        let found = SubtitleFinder.match(names, media: "film.mkv", search: .exact)
        #expect(Set(found.map(\.path)) == ["film.idx", "film.en.SUB", "film.fr.sub"])
        #expect(SubtitleFinder.codec(of: "film.idx") == "dvd_subtitle")
    }

    @Test func subtitlesOfAFileWithoutAnExtensionAreFound() {
        #expect(SubtitleFinder.match(["stream.srt"], media: "stream", search: .exact).count == 1)
    }
}
