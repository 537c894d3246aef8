import TestSupport
import Testing

/// The desk's sound server has an output without ports: that the port of a card is changed and restored is not tried
/// here.
@Suite("Audio sessions: the override of the output")
struct OutputOverrideTests {
    private static let unsupported = "4", notActive = "1768841571", incompatible = "560161140"

    private func activeActor(on stage: SoundStage, category: String, environment: [String: String?] = [:]) throws
        -> RunningActor
    {
        let actor = try stage.actor(.music, environment: environment)
        try actor.tell("category \(category)", "activate")
        try actor.wait(for: "ok activate")
        return actor
    }

    @Test("it needs an active session, and the category playAndRecord")
    func conditions() async throws {
        try await Desk.alone {
            let stage = try SoundStage(), actor = try stage.actor(.music)
            try actor.tell("speaker on")
            try actor.wait(for: "failed speaker \(Self.notActive)")
            try actor.tell("activate", "speaker on")
            try actor.wait(for: "failed speaker \(Self.incompatible)")
            try actor.tell("speaker off")
            try actor.wait(for: "ok speaker")
        }
    }

    @Test("an output without a speaker's port is named, and sound goes on")
    func noPort() async throws {
        try await Desk.alone {
            let stage = try SoundStage(), actor = try activeActor(on: stage, category: "playAndRecord")
            try actor.tell("speaker on")
            try actor.wait(for: "failed speaker \(Self.unsupported)")
            try actor.tell("speaker-async on")
            try actor.wait(for: "failed speaker-async \(Self.unsupported)")
            try stage.start(actor)
        }
    }

    @Test("without a sound server it is not supported")
    func noServer() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let actor = try activeActor(
                on: stage, category: "playAndRecord", environment: ["PULSE_SERVER": "unix:/nonexistent/pulse"])
            try actor.tell("speaker on")
            try actor.wait(for: "failed speaker \(Self.unsupported)")
        }
    }
}
