import TestSupport
import Testing

/// Tests `overrideOutputAudioPort(_:)` of the audio session, which selects the speaker.
///
/// The sound server of the tests has an output without ports, so these tests cover only overrides that fail.
@Suite("Audio sessions: override of the output")
struct OutputOverrideTests {
    /// The error codes that the program under test reports for a failed override of the output port.
    private static let unsupportedCode = "4", notActiveCode = "1768841571", incompatibleCategoryCode = "560161140"

    /// Starts a program and activates its audio session with the category `category`.
    private func startProbeWithActiveSession(
        on setup: AudioTestSetup, category: String, environment: [String: String?] = [:]
    ) throws -> RunningAudioProbe {
        let probe = try setup.startProbe(.music, environment: environment)
        try probe.send("category \(category)", "activate")
        try probe.wait(for: "ok activate")
        return probe
    }

    @Test("the override needs an active session of the category playAndRecord")
    func overrideNeedsActivePlayAndRecordSession() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup(), probe = try setup.startProbe(.music)
            try probe.send("speaker on")
            try probe.wait(for: "failed speaker \(Self.notActiveCode)")
            try probe.send("activate", "speaker on")
            try probe.wait(for: "failed speaker \(Self.incompatibleCategoryCode)")
            try probe.send("speaker off")
            try probe.wait(for: "ok speaker")
        }
    }

    @Test("an output without a speaker port is reported as unsupported, and playback continues")
    func outputWithoutSpeakerPortIsUnsupported() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let probe = try startProbeWithActiveSession(on: setup, category: "playAndRecord")
            try probe.send("speaker on")
            try probe.wait(for: "failed speaker \(Self.unsupportedCode)")
            try probe.send("speaker-async on")
            try probe.wait(for: "failed speaker-async \(Self.unsupportedCode)")
            try setup.startPlayback(of: probe)
        }
    }

    @Test("without a sound server the override is unsupported")
    func overrideWithoutSoundServerIsUnsupported() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let probe = try startProbeWithActiveSession(
                on: setup, category: "playAndRecord", environment: ["PULSE_SERVER": "unix:/nonexistent/pulse"])
            try probe.send("speaker on")
            try probe.wait(for: "failed speaker \(Self.unsupportedCode)")
        }
    }
}
