import Glibc
import SystemCalls
import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct SubtitleFinderTests {
    /// The files in the folder of `film.mkv`.
    private let fileNames = [
        "film.mkv", "film.srt", "film.en.srt", "Film.de.forced.ass", "film.pt-BR.sdh.vtt", "film two.srt",
        "the film.sup", "film.nfo", "other.srt",
    ]

    /// Returns the subtitle files that a search finds for `film.mkv`.
    private func matchingPaths(_ search: SubtitleFinder.Search) -> [String] {
        SubtitleFinder.match(fileNames, media: "film.mkv", search: search).map(\.path)
    }

    @Test func filesAreFoundByName() {
        #expect(matchingPaths(.no) == [])
        #expect(Set(matchingPaths(.exact)) == ["film.srt", "film.en.srt", "Film.de.forced.ass", "film.pt-BR.sdh.vtt"])
        #expect(Set(matchingPaths(.fuzzy)) == Set(matchingPaths(.exact)).union(["film two.srt", "the film.sup"]))
        #expect(Set(matchingPaths(.all)) == Set(matchingPaths(.fuzzy)).union(["other.srt"]))
    }

    @Test func namesThatAreNotUTF8AreFound() throws {
        let folder = try TemporaryDirectory()
        func path(_ name: String) throws -> FilePath {
            let bytes = name.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
            return try #require(FilePath(bytes: Array("\(folder.path)/".utf8) + bytes))
        }
        for name in ["lat\u{E4}.de.srt", "lat\u{E5}.srt"] {
            _ = try FileDescriptor(opening: path(name), flags: O_CREAT | O_RDWR, mode: 0o600)
        }
        let files = SubtitleFinder.files(beside: try path("lat\u{E4}.mp4"), search: .exact)
        #expect(files.map(\.path) == [MediaLocation.location(of: try path("lat\u{E4}.de.srt"))])
        #expect(files.first?.language == "de")
    }

    @Test func fileNameDeterminesLanguageAndFlags() throws {
        let foundFiles = SubtitleFinder.match(fileNames, media: "film.mkv", search: .exact)
        let englishFile = try #require(foundFiles.first { $0.path == "film.en.srt" }),
            forcedFile = try #require(foundFiles.first { $0.path == "Film.de.forced.ass" })
        let hearingImpairedFile = try #require(foundFiles.first { $0.path == "film.pt-BR.sdh.vtt" })
        #expect(englishFile.language == "en" && !englishFile.isForced && !englishFile.isForHearingImpaired)
        #expect(forcedFile.language == "de" && forcedFile.isForced)
        #expect(hearingImpairedFile.language == "pt-br" && hearingImpairedFile.isForHearingImpaired)
        #expect(foundFiles.first { $0.path == "film.srt" }?.language == nil)
    }

    @Test func vobSubPairIsOneTrack() {
        let names = ["film.idx", "film.sub", "film.en.SUB", "film.de.idx", "film.fr.sub"]
        let foundFiles = SubtitleFinder.match(names, media: "film.mkv", search: .exact)
        #expect(Set(foundFiles.map(\.path)) == ["film.idx", "film.en.SUB", "film.fr.sub"])
        #expect(SubtitleFinder.codec(of: "film.idx") == "dvd_subtitle")
    }

    @Test func subtitlesOfAFileWithoutAnExtensionAreFound() {
        #expect(SubtitleFinder.match(["stream.srt"], media: "stream", search: .exact).count == 1)
    }

    /// Returns the language that the name of a subtitle file of `film.mkv` states.
    private func language(_ name: String) -> String? {
        SubtitleFinder.match([name], media: "film.mkv", search: .exact).first?.language
    }

    @Test(arguments: ["film.10.srt", "film.720.srt", "film.2.srt", "film.-.srt", "film.english.srt", "film.é.srt"])
    func otherPartsOfANameAreNoLanguage(_ name: String) { #expect(language(name) == nil) }

    @Test func theLanguageFollowsANumber() {
        #expect(language("film.02.en.srt") == "en" && language("film.es-419.srt") == "es-419")
        #expect(language("film.forced.fr.srt") == "fr" && language("film.de.en.srt") == "de")
    }

    @Test func exactNamesHaveAtMostThreeParts() {
        let names = ["film.a.b.en.srt", "film.a.b.c.en.srt", "film.srt", "filmen.srt", "film..srt"]
        let paths = SubtitleFinder.match(names, media: "film.mkv", search: .exact).map(\.path)
        #expect(Set(paths) == ["film.a.b.en.srt", "film.srt", "film..srt"])
    }

    @Test func foundFilesAreSortedAndTheirNumberIsLimited() {
        let names = (100..<300).map { "film.\($0).srt" }
        let paths = SubtitleFinder.match(names.shuffled(), media: "film.mkv", search: .all).map(\.path)
        #expect(paths == Array(names.prefix(SubtitleFinder.fileLimit)))
    }

    @Test func theCodecDependsOnTheExtensionOfTheName() {
        #expect(SubtitleFinder.codec(of: "a/b.SRT") == "subrip" && SubtitleFinder.codec(of: "film.ssa") == "ass")
        for name in ["film", "film.ass/name", "", ".", "film.xyz"] {
            #expect(SubtitleFinder.codec(of: name) == "text", "\(name)")
        }
    }
}
