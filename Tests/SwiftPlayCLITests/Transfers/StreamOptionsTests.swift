import BackgroundProtocol
import Testing

@testable import SwiftPlayCLI

@Suite struct StreamOptionsTests {
    private func preferences(_ url: String, _ arguments: String...) throws -> StreamPreferences? {
        try StreamOptions.parse(arguments).preferences(for: url)
    }

    @Test(arguments: ["https://a/film.m3u8", "https://a/film.M3U8?token=1", "http://a/b.m3u8#x"])
    func addressesOfPlaylistsAreStreams(_ url: String) throws { #expect(try preferences(url) == StreamPreferences()) }

    @Test(arguments: ["https://a/film.mkv", "https://a/film?file=a.m3u8", "https://a/m3u8"])
    func otherAddressesAreFilesUnlessAnOptionSaysOtherwise(_ url: String) throws {
        #expect(try preferences(url) == nil)
        #expect(try preferences(url, "--stream") == StreamPreferences())
        #expect(try preferences(url, "--quality", "720p")?.maximumHeight == 720)
    }

    @Test(arguments: ["quality", "audio-language", "subtitle-language"])
    func theHelpStatesThatAnOptionImpliesAStream(_ option: String) throws {
        // The help breaks lines.
        let words = DownloadCommand.helpMessage(columns: 200).split { $0.isWhitespace }.joined(separator: " ")
        let start = try #require(words.ranges(of: "--\(option) <").last).upperBound
        let text = words[start...].prefix { $0 != "-" }
        #expect(text.hasSuffix("Implies "), "\(words)")
    }

    @Test(arguments: [
        ("720p", StreamQuality.height(720)), ("1080P", .height(1080)), ("3M", .bitRate(3_000_000)),
        ("800k", .bitRate(800_000)),
    ])
    func aQualityIsAHeightOrABitRate(_ text: String, _ quality: StreamQuality) {
        #expect(StreamQuality(argument: text) == quality)
    }

    @Test(arguments: ["", "p", "720", "0p", "-1p", "720x", "99999999999p", "1.5M", "best"])
    func otherQualitiesAreRefused(_ text: String) { #expect(StreamQuality(argument: text) == nil) }

    @Test func languagesAreSeparatedByCommas() throws {
        let preferences = try preferences(
            "https://a/a.m3u8", "--audio-language", "de, en", "--subtitle-language", "pt-BR")
        #expect(preferences?.audioLanguages == ["de", "en"] && preferences?.subtitleLanguages == ["pt-BR"])
    }

    @Test func aLanguageThatIsNoTagIsRefused() {
        #expect(throws: (any Error).self) { try StreamOptions.parse(["--audio-language", "d e"]) }
    }
}
