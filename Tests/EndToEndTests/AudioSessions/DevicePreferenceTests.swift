import TestSupport
import Testing

@Suite("Audio sessions: device preferences")
struct DevicePreferenceTests {
    @Test(
        "the next opened device uses the preferred rate, buffer and channels, and the route change is notified"
    )
    func preferencesApplyToTheNextOpenedDevice() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup(), music = try setup.startProbe(.music)
            try setup.startPlayback(of: music)
            try setup.directory.waitUntilAudioRouteIsKnown()
            let defaults = try music.state()
            #expect(
                defaults.value("samplerate") == "48000.0" && defaults.value("period") == "0.02", "\(defaults.text)")
            try music.send(
                "close", "rate 32000", "buffer 0.03", "channels 2", "load \(try Fixtures.path("tone-440.flac"))")
            try music.wait(for: "ok channels")
            try setup.startPlayback(of: music)
            try music.waitForNotification("route(routeConfigurationChange,SoundServer)")
            let state = try music.state()
            #expect(state.value("samplerate") == "32000.0" && state.value("channels") == "2", "\(state.text)")
            let period = try #require(state.value("period").flatMap(Double.init))
            #expect(abs(period - 0.03) < 0.002, "\(period)")
            // Without preferences, the device is opened in the format of the audio file again.
            try music.send("close", "rate 0", "buffer 0", "channels 0", "load \(try Fixtures.path("tone-440.flac"))")
            try music.wait(for: "ok channels", times: 2)
            try setup.startPlayback(of: music)
            try music.waitForNotification("route(routeConfigurationChange,SoundServer)", times: 2)
            #expect(try music.state().value("samplerate") == "48000.0")
        }
    }

    @Test(
        "invalid preferences are rejected with -50",
        arguments: [
            "rate 1", "rate nan", "rate 1e9", "buffer -1", "buffer inf", "buffer nan", "channels 99", "channels -1",
        ])
    func invalidPreferenceIsRejected(command: String) async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup(), music = try setup.startProbe(.music)
            try music.send(command)
            try music.wait(for: "failed \(command.split(separator: " ")[0]) -50")
        }
    }
}
