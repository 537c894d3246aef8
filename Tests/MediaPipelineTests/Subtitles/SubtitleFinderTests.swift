import Testing

@testable import MediaPipeline

@Suite struct SubtitleFinderTests {
    /// The files in the folder of `film.mkv`.
    private let fileNames = [
        "film.mkv", "film.srt", "film.en.srt", "Film.de.forced.ass", "film.pt-BR.sdh.vtt", "film two.srt",
        "the film.sup", "film.nfo", "other.srt",
    ]

    /// Returns the subtitle files that a search finds for `film.mkv`.
    private func foundFiles(_ search: SubtitleFinder.Search) -> [String] {
        SubtitleFinder.match(fileNames, media: "film.mkv", search: search).map(\.path)
    }

    @Test func filesAreFoundByName() {
        #expect(foundFiles(.no) == [])
        #expect(Set(foundFiles(.exact)) == ["film.srt", "film.en.srt", "Film.de.forced.ass", "film.pt-BR.sdh.vtt"])
        #expect(Set(foundFiles(.fuzzy)) == Set(foundFiles(.exact)).union(["film two.srt", "the film.sup"]))
        #expect(Set(foundFiles(.all)) == Set(foundFiles(.fuzzy)).union(["other.srt"]))
    }

    @Test func languageAndFlagsAreReadFromTheName() throws {
        let all = SubtitleFinder.match(fileNames, media: "film.mkv", search: .exact)
        let english = try #require(all.first { $0.path == "film.en.srt" }),
            forced = try #require(all.first { $0.path == "Film.de.forced.ass" })
        let sounds = try #require(all.first { $0.path == "film.pt-BR.sdh.vtt" })
        #expect(english.language == "en" && !english.isForced && !english.isForHearingImpaired)
        #expect(forced.language == "de" && forced.isForced)
        #expect(sounds.language == "pt-br" && sounds.isForHearingImpaired)
        #expect(all.first { $0.path == "film.srt" }?.language == nil)
    }

    @Test func aVobSubPairIsOneTrackAndAnIndexAloneIsIgnored() {
        let names = ["film.idx", "film.sub", "film.en.SUB", "film.de.idx", "film.fr.sub"]
        let found = SubtitleFinder.match(names, media: "film.mkv", search: .exact)
        #expect(Set(found.map(\.path)) == ["film.idx", "film.en.SUB", "film.fr.sub"])
        #expect(SubtitleFinder.codec(of: "film.idx") == "dvd_subtitle")
    }

    @Test func subtitlesOfAFileWithoutAnExtensionAreFound() {
        #expect(SubtitleFinder.match(["stream.srt"], media: "stream", search: .exact).count == 1)
    }
}
