import Foundation
import TestSupport
import Testing

/// A compositor that accepts connections and never answers, as one that is stopped.
@Suite("Audio sessions: a compositor that hangs")
struct HangingCompositorTests {
    private static let failed = "1836282486"

    /// How long an answer took, in seconds.
    private func seconds(_ line: RunningActor.Line) throws -> Double {
        try #require(line.text.split(separator: " ").last.flatMap { Double($0) }) / 1e6
    }

    @Test(
        "activating and deactivating fail after 3 s, and the first question about other programs is answered after 1 s")
    func blockingCalls() throws {
        let directory = try RuntimeDirectory(), compositor = try FakeCompositor(directory: directory)
        let actor = try RunningActor(.music, in: directory)
        try actor.tell("others", "others", "activate", "deactivate")
        let first = try actor.wait(for: "others false")
        #expect(try seconds(first) >= 0.9 && seconds(first) < 2.9)
        #expect(
            try seconds(actor.wait(for: "others false", times: 2)) < 0.9, "the program has waited once: that is enough")
        for call in ["activate", "deactivate"] {
            let line = try actor.wait(for: "failed \(call) \(Self.failed)", within: .seconds(20))
            #expect(try seconds(line) >= 2.9 && seconds(line) < 10, "\(line.text)")
        }
        withExtendedLifetime(compositor) {}
    }

    @Test("the asynchronous forms end as late, and the main thread goes on meanwhile")
    func asynchronousCalls() throws {
        let directory = try RuntimeDirectory(), compositor = try FakeCompositor(directory: directory)
        let actor = try RunningActor(.music, in: directory)
        try actor.tell("learn", "activate-async", "say begun")
        try actor.wait(for: "said begun")
        // The tasks have had their turn on the main thread when the next line is read.
        try actor.tell("say now")
        let said = try actor.wait(for: "said now")
        let learnt = try actor.wait(for: "ok learn")
        let failed = try actor.wait(for: "failed activate-async \(Self.failed)", within: .seconds(20))
        #expect(said.time < learnt.time && learnt.time < failed.time)
        #expect(try seconds(learnt) >= 0.9 && seconds(failed) >= 2.9)
        try actor.tell("deactivate-async", "say again")
        try actor.wait(for: "said again")
        try actor.tell("say later")
        let later = try actor.wait(for: "said later")
        let given = try actor.wait(for: "failed deactivate-async \(Self.failed)", within: .seconds(20))
        #expect(later.time < given.time)
        withExtendedLifetime(compositor) {}
    }
}
