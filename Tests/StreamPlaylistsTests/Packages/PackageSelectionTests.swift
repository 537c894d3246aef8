import TestSupport
import Testing

@testable import StreamPlaylists

@Suite struct PackageSelectionTests {
    private func selection(_ preferences: PackagePreferences, _ lines: String = PackageSamples.film) throws
        -> PackageSelection
    {
        PackageSelection(try PlaylistSamples.multivariantPlaylist(lines), preferences)
    }

    @Test(arguments: [
        (0, 0, "1080.m3u8"), (720, 0, "720-high.m3u8"), (1080, 2_500_000, "720-low.m3u8"), (719, 0, "360.m3u8"),
        (4000, 0, "1080.m3u8"), (200, 0, "360.m3u8"), (0, 1, "360.m3u8"), (-5, -5, "1080.m3u8"),
    ])
    func theBestVariantWithinTheLimitsIsChosen(_ height: Int, _ bitRate: Int, _ expected: String) throws {
        let preferences = PackagePreferences(maximumHeight: height, maximumBitRate: bitRate)
        #expect(try selection(preferences).variant.address.referenceText == expected)
    }

    @Test func theHeightOfAPortraitFilmIsItsShorterSide() throws {
        let lines = """
            #EXT-X-STREAM-INF:BANDWIDTH=1,RESOLUTION=720x1280
            portrait.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=2,RESOLUTION=1080x1920
            large.m3u8
            """
        let chosen = try selection(PackagePreferences(maximumHeight: 720), lines)
        #expect(chosen.variant.address.referenceText == "portrait.m3u8")
    }

    @Test func aStreamWithoutPicturesHasItsBestAudio() throws {
        let lines = "#EXT-X-STREAM-INF:BANDWIDTH=1\nlow.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=2\nhigh.m3u8"
        #expect(try selection(PackagePreferences(), lines).variant.address.referenceText == "high.m3u8")
    }

    @Test func aStreamWithOnlyHDRIsAccepted() throws {
        let lines = "#EXT-X-STREAM-INF:BANDWIDTH=1,RESOLUTION=10x10,VIDEO-RANGE=PQ\nhdr.m3u8"
        #expect(try selection(PackagePreferences(), lines).variant.address.referenceText == "hdr.m3u8")
    }

    @Test(arguments: [
        ([String](), ["English"]), (["de"], ["Deutsch"]), (["de", "en"], ["Deutsch", "English"]),
        (["fr"], ["English"]), (["eng", "en-GB", "en"], ["English"]),
    ])
    func audioHasTheRequestedLanguagesOrTheDefault(_ languages: [String], _ names: [String]) throws {
        #expect(try selection(PackagePreferences(audioLanguages: languages)).audio.map(\.name) == names)
    }

    @Test(arguments: [([String](), [String]()), (["de"], ["Deutsch"]), (["fr", "de", "it"], ["Français", "Deutsch"])])
    func subtitlesHaveOnlyRequestedLanguages(_ languages: [String], _ names: [String]) throws {
        #expect(try selection(PackagePreferences(subtitleLanguages: languages)).subtitles.map(\.name) == names)
    }

    @Test func audioWithoutADefaultIsTheFirst() throws {
        let lines = """
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="one",URI="1.m3u8"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="two",URI="2.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a"
            v.m3u8
            """
        #expect(try selection(PackagePreferences(), lines).audio.map(\.name) == ["one"])
    }

    @Test func aVariantWithoutGroupsHasNoRenditions() throws {
        let chosen = try selection(
            PackagePreferences(audioLanguages: ["en"], subtitleLanguages: ["en"]),
            "#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8")
        #expect(chosen.audio.isEmpty && chosen.subtitles.isEmpty)
    }
}
