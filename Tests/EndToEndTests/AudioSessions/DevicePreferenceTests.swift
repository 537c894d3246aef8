import TestSupport
import Testing

@Suite("Audio sessions: what a program prefers of its device")
struct DevicePreferenceTests {
    @Test(
        "rate, buffer and channels are followed by the next device that is opened, and told as another configuration of the route"
    )
    func followed() async throws {
        try await Desk.alone {
            let stage = try SoundStage(), music = try stage.actor(.music)
            try stage.start(music)
            try stage.directory.waitUntilRouteIsKnown()
            let before = try music.state()
            #expect(before.value("samplerate") == "48000.0" && before.value("period") == "0.015", "\(before.text)")
            try music.tell(
                "close", "rate 32000", "buffer 0.03", "channels 2", "load \(try Fixtures.path("tone-440.flac"))")
            try music.wait(for: "ok channels")
            try stage.start(music)
            try music.hear("route(routeConfigurationChange,SoundServer)")
            let after = try music.state()
            #expect(after.value("samplerate") == "32000.0" && after.value("channels") == "2", "\(after.text)")
            let period = try #require(after.value("period").flatMap(Double.init))
            #expect(abs(period - 0.03) < 0.002, "\(period)")
            // What is preferred no longer is the item's own again.
            try music.tell("close", "rate 0", "buffer 0", "channels 0", "load \(try Fixtures.path("tone-440.flac"))")
            try music.wait(for: "ok channels", times: 2)
            try stage.start(music)
            try music.hear("route(routeConfigurationChange,SoundServer)", times: 2)
            #expect(try music.state().value("samplerate") == "48000.0")
        }
    }

    @Test(
        "what no device can do is refused",
        arguments: [
            "rate 1", "rate nan", "rate 1e9", "buffer -1", "buffer inf", "buffer nan", "channels 99", "channels -1",
        ])
    func refused(wish: String) async throws {
        try await Desk.alone {
            let stage = try SoundStage(), music = try stage.actor(.music)
            try music.tell(wish)
            try music.wait(for: "failed \(wish.split(separator: " ")[0]) -50")
        }
    }
}
