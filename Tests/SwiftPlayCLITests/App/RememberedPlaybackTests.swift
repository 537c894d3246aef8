import Testing

@testable import SwiftPlayCLI

@Suite struct RememberedPlaybackTests {
    @Test func allSettingsAreWrittenAndRead() {
        var playback = RememberedPlayback(position: 12.5)
        #expect(playback.text == "start=12.5\n")
        (playback.volume, playback.isMuted, playback.speed) = (55, true, 1.5)
        playback.tracks = [.audio: .number(2), .subtitle: .off]
        #expect(playback.text == "start=12.5\nvolume=55.0\nmute=yes\nspeed=1.5\naid=2\nsid=no\n")
        #expect(RememberedPlayback(ConfigurationFile(parsing: "# /a film.mkv\n" + playback.text)) == playback)
    }

    @Test func invalidValuesAreIgnored() {
        let text = "start=3\nvolume=-1\nspeed=0\nmute=maybe\naid=first\nosd-level=3\n"
        #expect(RememberedPlayback(ConfigurationFile(parsing: text)) == RememberedPlayback(position: 3))
        for text in ["", "volume=50\n", "start=nan\n", "start=-1\n"] {
            #expect(RememberedPlayback(ConfigurationFile(parsing: text)) == nil, "\(text)")
        }
    }
}
