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
        on stage: AudioTestSetup, category: String, environment: [String: String?] = [:]
    ) throws -> RunningAudioProbe {
        let actor = try stage.startProbe(.music, environment: environment)
        try actor.send("category \(category)", "activate")
        try actor.wait(for: "ok activate")
        return actor
    }

    @Test("the override needs an active session of the category playAndRecord")
    func overrideNeedsActivePlayAndRecordSession() async throws {
        try await TestEnvironment.runExclusively {
            let stage = try AudioTestSetup(), actor = try stage.startProbe(.music)
            try actor.send("speaker on")
            try actor.wait(for: "failed speaker \(Self.notActiveCode)")
            try actor.send("activate", "speaker on")
            try actor.wait(for: "failed speaker \(Self.incompatibleCategoryCode)")
            try actor.send("speaker off")
            try actor.wait(for: "ok speaker")
        }
    }

    @Test("an output without a speaker port is reported as unsupported, and playback continues")
    func outputWithoutSpeakerPortIsUnsupported() async throws {
        try await TestEnvironment.runExclusively {
            let stage = try AudioTestSetup()
            let actor = try startProbeWithActiveSession(on: stage, category: "playAndRecord")
            try actor.send("speaker on")
            try actor.wait(for: "failed speaker \(Self.unsupportedCode)")
            try actor.send("speaker-async on")
            try actor.wait(for: "failed speaker-async \(Self.unsupportedCode)")
            try stage.startPlayback(of: actor)
        }
    }

    @Test("without a sound server the override is unsupported")
    func overrideWithoutSoundServerIsUnsupported() async throws {
        try await TestEnvironment.runExclusively {
            let stage = try AudioTestSetup()
            let actor = try startProbeWithActiveSession(
                on: stage, category: "playAndRecord", environment: ["PULSE_SERVER": "unix:/nonexistent/pulse"])
            try actor.send("speaker on")
            try actor.wait(for: "failed speaker \(Self.unsupportedCode)")
        }
    }
}
