import CompositorProtocol
import SystemCalls
import TestSupport
import Testing

/// A start, step by step, with a compositor that does at each of them what the test says: scenario 8 among them.
@Suite("Picture-in-Picture: step by step")
struct PictureInPictureStepTests {
    private func setUp() throws -> (RunningProbe, FakeCompositor) {
        let directory = try RuntimeDirectory()
        let compositor = try FakeCompositor(directory: directory), probe = try RunningProbe(directory: directory)
        try probe.tell("film a \(Fixtures.path("count30.mp4")) 320x180+50+60")
        try compositor.wait { if case .openSession = $0 { true } else { false } }
        try probe.wait(for: "a is possible true")
        return (probe, compositor)
    }

    private func isStop(_ message: ClientMessage) -> Bool { if case .stop = message { true } else { false } }
    private func isStart(_ message: ClientMessage) -> Bool {
        switch message {
        case .start, .startFrom: true
        default: false
        }
    }
    private func isRequest(_ message: ClientMessage) -> Bool { if case .requestStart = message { true } else { false } }
    private func isSlot(_ message: ClientMessage) -> Bool { if case .slot = message { true } else { false } }

    @Test("the compositor dies before it has granted the window: failed alone, without willStart")
    func diesBeforeGranted() async throws {
        try await Desk.alone {
            let (probe, compositor) = try setUp()
            try probe.tell("start a")
            try compositor.wait(for: isRequest)
            compositor.die()
            #expect(try probe.wait(for: "a failed") == "a failed active=false place=layer code=-1001")
            #expect(probe.calls(of: "a") == ["failed"])
            // With the next one all is well.
            try probe.wait(for: "a is possible true", times: 2)
            try probe.start("a")
            #expect(probe.calls(of: "a") == ["failed", "willStart", "didStart"])
            try probe.quit()
        }
    }

    @Test(
        "8: the compositor dies between the grant and the first frame: willStart, failed; the layer never missed a frame"
    )
    func diesBeforeShown() async throws {
        try await Desk.alone {
            let (probe, compositor) = try setUp()
            let eyes = try ScreenRecorder([.title("a")])
            let begin = try eyes.wait { ($0.frame ?? 0) >= 5 }
            try probe.tell("start a")
            try compositor.wait(for: isRequest)
            try compositor.say(.granted(session: 1))
            try compositor.wait(for: isStart)
            #expect(try probe.state(of: "a").contains("active=false possible=true reason=none place=both"))
            compositor.die()
            #expect(try probe.wait(for: "a failed") == "a failed active=false place=layer code=-1001")
            let end = try eyes.wait { ($0.frame ?? 0) >= (begin.frame ?? 0) + 45 }
            #expect(eyes.finish().between(begin.time, end.time).missed.count <= 2)
            #expect(probe.calls(of: "a") == ["willStart", "failed"])
            #expect(try probe.state(of: "a").contains("rate=1.0"))
            try probe.quit()
        }
    }

    @Test("the window is refused, or lost before it shows: failed, and the frames are back")
    func refusals() async throws {
        try await Desk.alone {
            let (probe, compositor) = try setUp()
            try probe.tell("start a")
            try compositor.wait(for: isRequest)
            try compositor.say(.startFailed(session: 1, reason: "no"))
            try probe.wait(for: "a failed")
            // One stop for each request, whatever became of it.
            try compositor.wait(for: isStop)
            try compositor.say(.stopped(session: 1))

            for (number, message) in [
                ServerMessage.removed(session: 1), .replaced(session: 1), .startFailed(session: 1, reason: "no"),
            ].enumerated() {
                try probe.tell("start a")
                try compositor.wait(times: number + 2, for: isRequest)
                try compositor.say(.granted(session: 1))
                try compositor.wait(times: number + 1, for: isStart)
                try compositor.say(message)
                try probe.wait(for: "a failed", times: number + 2)
                try compositor.wait(times: number + 2, for: isStop)
                try compositor.say(.stopped(session: 1))
            }
            #expect(
                probe.calls(of: "a") == ["failed"] + Array(repeating: ["willStart", "failed"], count: 3).flatMap { $0 })
            #expect(try probe.state(of: "a").contains("active=false possible=true reason=none place=layer"))
            try probe.quit()
        }
    }

    @Test("what is said of a window that was given back does not touch the next one")
    func lateWords() async throws {
        try await Desk.alone {
            let (probe, compositor) = try setUp()
            try probe.tell("start a")
            try compositor.wait(for: isRequest)
            try probe.tell("stop a", "start a")
            try compositor.wait(times: 2, for: isRequest)
            // Granted before the compositor read the stop, and taken away at once.
            try compositor.say(.granted(session: 1))
            try compositor.say(.replaced(session: 1))
            try compositor.say(.removed(session: 1))
            try compositor.say(.stopped(session: 1))
            try compositor.say(.granted(session: 1))
            try compositor.wait(for: isStart)
            try compositor.say(.shown(session: 1, frame: 1))
            try probe.wait(for: "a didStart")
            #expect(probe.calls(of: "a") == ["failed", "willStart", "didStart"])
            // A press of a button that was meant for the window before it.
            try probe.tell("close a", "play a")
            try compositor.wait(times: 2, for: isStop)
            try compositor.say(.action(session: 1, .playPause))
            try compositor.say(.action(session: 1, .close))
            try compositor.say(.stopped(session: 1))
            try probe.tell("start a")
            try compositor.wait(times: 3, for: isRequest)
            #expect(try probe.state(of: "a").contains("rate=1.0"))
            try probe.quit()
        }
    }

    @Test("a compositor that says nothing: the start fails by itself, and what it says later is passed over")
    func silence() async throws {
        try await Desk.alone {
            let (probe, compositor) = try setUp()
            try probe.tell("start a")
            try probe.wait(for: "a failed")
            try compositor.wait(for: isStop)
            try compositor.say(.granted(session: 1))
            try compositor.say(.stopped(session: 1))
            try probe.tell("start a")
            try compositor.wait(times: 2, for: isRequest)
            try compositor.say(.granted(session: 1))
            try probe.wait(for: "a failed", times: 2)
            #expect(probe.calls(of: "a") == ["failed", "willStart", "failed"])
            try probe.quit()
        }
    }

    @Test("the picture goes while the window is asked for, and while it opens")
    func pictureGoes() async throws {
        try await Desk.alone {
            let (probe, compositor) = try setUp()
            try probe.tell("start a")
            try compositor.wait(for: isRequest)
            try probe.tell("item a none")
            try probe.wait(for: "a failed")
            try compositor.wait(for: isStop)
            try compositor.say(.stopped(session: 1))
            try probe.tell("item a \(Fixtures.path("count30.mp4"))", "play a", "startWhenPossible a")
            try compositor.wait(times: 2, for: isRequest)
            try compositor.say(.granted(session: 1))
            try compositor.wait(for: isStart)
            try probe.tell("item a none")
            try probe.wait(for: "a failed", times: 2)
            #expect(probe.calls(of: "a") == ["failed", "willStart", "failed"])
            try probe.quit()
        }
    }

    @Test(
        "an older compositor is served: it says stopped where a newer one says removed, and hears nothing that it does not know"
    )
    func olderCompositor() async throws {
        try await Desk.alone {
            let directory = try RuntimeDirectory()
            let compositor = try FakeCompositor(directory: directory, version: 4),
                probe = try RunningProbe(directory: directory)
            try probe.tell("film a \(Fixtures.path("count30.mp4")) 320x180+50+60", "linear a on")
            try compositor.wait { if case .openSession = $0 { true } else { false } }
            try probe.wait(for: "a is possible true")
            try probe.tell("start a")
            try compositor.wait(for: isRequest)
            try compositor.say(.granted(session: 1))
            try compositor.wait(for: isStart)
            try compositor.say(.shown(session: 1, frame: 1))
            try probe.wait(for: "a didStart")
            try probe.tell("linear a off", "linear a on")
            // Its buttons are there all the same, and do nothing.
            try probe.tell("pause a")
            // The buttons use another channel: the pause has to come first.
            try compositor.wait { if case .playback(_, let facts) = $0 { facts.isPaused } else { false } }
            try compositor.say(.action(session: 1, .skip(10_000_000_000)))
            try compositor.say(.action(session: 1, .seek(to: 15_000_000_000)))
            try compositor.say(.action(session: 1, .playPause))
            try compositor.wait {
                if case .playback(_, let facts) = $0 {
                    !facts.isPaused && facts.position < 5_000_000_000 && facts.position > 0
                } else {
                    false
                }
            }
            try compositor.say(.stopped(session: 1))
            #expect(try probe.wait(for: "a didStop").hasSuffix("reason=failed"))
            let hasHeardOfLinear = compositor.heard.contains { if case .setLinear = $0 { true } else { false } }
            #expect(!hasHeardOfLinear)
            try probe.quit()
        }
    }
}
