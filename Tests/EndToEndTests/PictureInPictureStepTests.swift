import CompositorProtocol
import SystemCalls
import TestSupport
import Testing

/// Tests each step of a Picture-in-Picture start with a simulated compositor that the test controls.
@Suite("Picture-in-Picture: step by step")
struct PictureInPictureStepTests {
    /// Starts a simulated compositor, and the probe program with a film (scene `a`) that is ready for
    /// Picture-in-Picture.
    private func startProbeAndCompositor() throws -> (RunningProbe, FakeCompositor) {
        let directory = try RuntimeDirectory()
        let compositor = try FakeCompositor(directory: directory), probe = try RunningProbe(directory: directory)
        try probe.send("film a \(Fixtures.path("count30.mp4")) 320x180+50+60")
        try compositor.wait { if case .openSession = $0 { true } else { false } }
        try probe.wait(for: "a is possible true")
        return (probe, compositor)
    }

    private func isStop(_ message: ClientMessage) -> Bool { if case .stop = message { true } else { false } }
    private func isStart(_ message: ClientMessage) -> Bool {
        switch message {
        case .start, .startAnimated: true
        default: false
        }
    }
    private func isStartRequest(_ message: ClientMessage) -> Bool {
        if case .requestStart = message { true } else { false }
    }

    @Test("a compositor crash before the grant fails the start without willStart")
    func compositorCrashBeforeTheWindowIsGrantedFailsTheStart() async throws {
        try await TestEnvironment.runExclusively {
            let (probe, compositor) = try startProbeAndCompositor()
            try probe.send("start a")
            try compositor.wait(for: isStartRequest)
            compositor.shutDown()
            #expect(try probe.wait(for: "a failed") == "a failed active=false place=layer code=-1001")
            #expect(probe.delegateCalls(of: "a") == ["failed"])
            // Starting Picture-in-Picture with the next compositor succeeds.
            try probe.wait(for: "a is possible true", times: 2)
            try probe.startPictureInPicture("a")
            #expect(probe.delegateCalls(of: "a") == ["failed", "willStart", "didStart"])
            try probe.quit()
        }
    }

    @Test(
        "a crash between the grant and the first frame fails the start, and the layer misses no frames", .measuresTime
    )
    func compositorCrashBeforeTheFirstFrameFailsTheStart() async throws {
        try await TestEnvironment.runExclusively {
            let (probe, compositor) = try startProbeAndCompositor()
            let recorder = try ScreenRecorder([.title("a")])
            let startChange = try recorder.wait { ($0.frame ?? 0) >= 5 }
            try probe.send("start a")
            try compositor.wait(for: isStartRequest)
            try compositor.send(.granted(session: 1))
            try compositor.wait(for: isStart)
            #expect(try probe.state(of: "a").contains("active=false possible=true reason=none place=both"))
            compositor.shutDown()
            #expect(try probe.wait(for: "a failed") == "a failed active=false place=layer code=-1001")
            let endChange = try recorder.wait { ($0.frame ?? 0) >= (startChange.frame ?? 0) + 45 }
            #expect(recorder.stopRecording().between(startChange.time, endChange.time).missedFrameNumbers.count <= 2)
            #expect(probe.delegateCalls(of: "a") == ["willStart", "failed"])
            #expect(try probe.state(of: "a").contains("rate=1.0"))
            try probe.quit()
        }
    }

    @Test("a window that is refused, or lost before its first frame, fails the start and returns the frames")
    func refusedOrLostWindowFailsTheStart() async throws {
        try await TestEnvironment.runExclusively {
            let (probe, compositor) = try startProbeAndCompositor()
            try probe.send("start a")
            try compositor.wait(for: isStartRequest)
            try compositor.send(.startFailed(session: 1, reason: "no"))
            try probe.wait(for: "a failed")
            // The program sends one stop message for each start request, also after a failure.
            try compositor.wait(for: isStop)
            try compositor.send(.stopped(session: 1))

            for (number, message) in [
                ServerMessage.removed(session: 1), .replaced(session: 1), .startFailed(session: 1, reason: "no"),
            ].enumerated() {
                try probe.send("start a")
                try compositor.wait(times: number + 2, for: isStartRequest)
                try compositor.send(.granted(session: 1))
                try compositor.wait(times: number + 1, for: isStart)
                try compositor.send(message)
                try probe.wait(for: "a failed", times: number + 2)
                try compositor.wait(times: number + 2, for: isStop)
                try compositor.send(.stopped(session: 1))
            }
            #expect(
                probe.delegateCalls(of: "a")
                    == ["failed"] + Array(repeating: ["willStart", "failed"], count: 3).flatMap { $0 })
            #expect(try probe.state(of: "a").contains("active=false possible=true reason=none place=layer"))
            try probe.quit()
        }
    }

    @Test("late messages about a returned window do not affect the next one")
    func lateMessagesDoNotAffectTheNextWindow() async throws {
        try await TestEnvironment.runExclusively {
            let (probe, compositor) = try startProbeAndCompositor()
            try probe.send("start a")
            try compositor.wait(for: isStartRequest)
            try probe.send("stop a", "start a")
            try compositor.wait(times: 2, for: isStartRequest)
            // Simulate a compositor that granted the first window before it received the stop message, and took the
            // window away at once.
            try compositor.send(.granted(session: 1))
            try compositor.send(.replaced(session: 1))
            try compositor.send(.removed(session: 1))
            try compositor.send(.stopped(session: 1))
            try compositor.send(.granted(session: 1))
            try compositor.wait(for: isStart)
            try compositor.send(.shown(session: 1, frame: 1))
            try probe.wait(for: "a didStart")
            #expect(probe.delegateCalls(of: "a") == ["failed", "willStart", "didStart"])
            // Simulate button presses in the previous window that arrive after the window was closed.
            try probe.send("close a", "play a")
            try compositor.wait(times: 2, for: isStop)
            try compositor.send(.action(session: 1, .playPause))
            try compositor.send(.action(session: 1, .close))
            try compositor.send(.stopped(session: 1))
            try probe.send("start a")
            try compositor.wait(times: 3, for: isStartRequest)
            #expect(try probe.state(of: "a").contains("rate=1.0"))
            try probe.quit()
        }
    }

    @Test("a start without a reply times out, and late replies are ignored")
    func startWithoutReplyTimesOut() async throws {
        try await TestEnvironment.runExclusively {
            let (probe, compositor) = try startProbeAndCompositor()
            try probe.send("start a")
            try probe.wait(for: "a failed")
            try compositor.wait(for: isStop)
            try compositor.send(.granted(session: 1))
            try compositor.send(.stopped(session: 1))
            try probe.send("start a")
            try compositor.wait(times: 2, for: isStartRequest)
            try compositor.send(.granted(session: 1))
            try probe.wait(for: "a failed", times: 2)
            #expect(probe.delegateCalls(of: "a") == ["failed", "willStart", "failed"])
            try probe.quit()
        }
    }

    @Test("removing the item while the window is requested, or while it opens, fails the start")
    func removingTheItemFailsTheStart() async throws {
        try await TestEnvironment.runExclusively {
            let (probe, compositor) = try startProbeAndCompositor()
            try probe.send("start a")
            try compositor.wait(for: isStartRequest)
            try probe.send("item a none")
            try probe.wait(for: "a failed")
            try compositor.wait(for: isStop)
            try compositor.send(.stopped(session: 1))
            try probe.send("item a \(Fixtures.path("count30.mp4"))", "play a", "startWhenPossible a")
            try compositor.wait(times: 2, for: isStartRequest)
            try compositor.send(.granted(session: 1))
            try compositor.wait(for: isStart)
            try probe.send("item a none")
            try probe.wait(for: "a failed", times: 2)
            #expect(probe.delegateCalls(of: "a") == ["failed", "willStart", "failed"])
            try probe.quit()
        }
    }

    @Test("an older compositor receives no message that it does not know, and its `stopped` ends Picture-in-Picture")
    func olderCompositorReceivesOnlyKnownMessages() async throws {
        try await TestEnvironment.runExclusively {
            let directory = try RuntimeDirectory()
            let compositor = try FakeCompositor(directory: directory, version: 4),
                probe = try RunningProbe(directory: directory)
            try probe.send("film a \(Fixtures.path("count30.mp4")) 320x180+50+60", "linear a on")
            try compositor.wait { if case .openSession = $0 { true } else { false } }
            try probe.wait(for: "a is possible true")
            try probe.send("start a")
            try compositor.wait(for: isStartRequest)
            try compositor.send(.granted(session: 1))
            try compositor.wait(for: isStart)
            try compositor.send(.shown(session: 1, frame: 1))
            try probe.wait(for: "a didStart")
            try probe.send("linear a off", "linear a on")
            // This compositor version has no message that forbids skipping, so its window has skip buttons. The
            // program must ignore the messages of these buttons.
            try probe.send("pause a")
            // Wait until the simulated compositor has received the paused state, because its button messages could
            // overtake the command `pause a`.
            try compositor.wait { if case .playback(_, let state) = $0 { state.isPaused } else { false } }
            try compositor.send(.action(session: 1, .skip(10_000_000_000)))
            try compositor.send(.action(session: 1, .seek(to: 15_000_000_000)))
            try compositor.send(.action(session: 1, .playPause))
            try compositor.wait {
                if case .playback(_, let state) = $0 {
                    !state.isPaused && state.position < 5_000_000_000 && state.position > 0
                } else {
                    false
                }
            }
            try compositor.send(.stopped(session: 1))
            #expect(try probe.wait(for: "a didStop").hasSuffix("reason=failed"))
            let receivedLinearPlayback = compositor.messages.contains {
                if case .setRequiresLinearPlayback = $0 { true } else { false }
            }
            #expect(!receivedLinearPlayback)
            try probe.quit()
        }
    }
}
