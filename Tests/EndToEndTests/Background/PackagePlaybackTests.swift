import TestSupport
import Testing

/// Playback of a downloaded stream without a network.
@Suite struct PackagePlaybackTests {
    @Test("a downloaded stream is played when its server is stopped")
    func aPackageIsPlayedWithoutItsServer() throws {
        let fixture = try BackgroundFixture()
        let server = try LinkServer(try Fixtures.path("streams"))
        let download = try fixture.download([server.address + "/subtitles.m3u8"], ["--subtitle-language", "de"])
        #expect(try download.waitForExit(within: .seconds(30)).isSuccess)
        server.stop()
        let player = try fixture.swiftplay(
            "--vo=null", "--ao=null", "--untimed", fixture.folder + "/subtitles")
        #expect(try player.waitForExit(within: .seconds(60)).isSuccess, "\(player.errors.text)")
        #expect(player.output.text.contains("360 frames shown"), "\(player.output.text)")
    }
}
