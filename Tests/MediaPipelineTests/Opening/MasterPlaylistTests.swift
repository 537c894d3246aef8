import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct MasterPlaylistTests {
    @Test func unwantedVariantsAreRemoved() throws {
        let text =
            "#EXTM3U\r\n#EXT-X-MEDIA:TYPE=AUDIO\r\n#EXT-X-STREAM-INF:A\r\n\r\n# a word\r\na.m3u8\r\n"
            + "#EXT-X-STREAM-INF:B\r\nb.m3u8\r\n"
        let playlist = try #require(MasterPlaylist(Array(text.utf8)))
        #expect(playlist.count == 2)
        #expect(
            String(decoding: playlist.keeping([1]), as: UTF8.self)
                == "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO\n# a word\n#EXT-X-STREAM-INF:B\nb.m3u8\n")
    }

    @Test(arguments: [
        "", "#EXTM3U", "#EXTM3U\n#EXT-X-STREAM-INF:A\na.m3u8\n", "#EXTINF:1\na.ts",
        "\u{FEFF}#EXTM3U\n#EXT-X-STREAM-INF:A\n#EXT-X-STREAM-INF:B\n",
    ])
    func playlistWithFewerThanTwoVariantsIsNoMasterPlaylist(_ text: String) {
        #expect(MasterPlaylist(Array(text.utf8)) == nil)
    }

    @Test func onlyTheReadableVariantIsPlayed() throws {
        let reader = try MediaReader(Fixtures.path("variants/master.m3u8"))
        let info = try reader.outcome().get()
        #expect(info.warnings.count == 1)
        var frameCount = 0
        while let frame = try reader.next() {
            #expect(frameNumber(of: frame) == frameCount)
            frameCount += 1
        }
        #expect(frameCount == 60)
    }
}
