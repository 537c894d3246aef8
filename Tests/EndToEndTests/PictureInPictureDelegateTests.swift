import Glibc
import SystemCalls
import TestSupport
import Testing

/// Tests the order of the delegate calls that a program receives during Picture-in-Picture, and what ends
/// Picture-in-Picture.
@Suite("Picture-in-Picture: order of calls and ends")
struct PictureInPictureDelegateTests {
    /// Starts the probe program with a film (scene `a`) in Picture-in-Picture.
    private func startFilmInPictureInPicture() throws -> (RunningProbe, ScreenWatcher) {
        let probe = try RunningProbe(), watcher = try ScreenWatcher()
        try probe.openFilm("a", "count30.mp4")
        try probe.startPictureInPicture("a")
        try watcher.waitForFrame(in: .pictureInPicture)
        return (probe, watcher)
    }

    @Test(
        "a stop without a delegate does not restore; a delegate with only the async method decides",
        arguments: ["remove-delegate a", "async-delegate a"])
    func asyncDelegateDecidesWhetherTheUserInterfaceIsRestored(command: String) async throws {
        try await TestEnvironment.runExclusively {
            let (probe, watcher) = try startFilmInPictureInPicture()
            try probe.wait(for: "a is stoppable true")
            let isRestored = command != "remove-delegate a"
            try probe.send(command, "stop a")
            try probe.wait(for: "a is active false", times: 2)
            try watcher.waitForNoWindow(.pictureInPicture)
            #expect(probe.outputLines(of: "a", "asyncRestore").count == (isRestored ? 1 : 0))
            #expect(try probe.state(of: "a").contains("reason=\(isRestored ? "restored" : "stopped")"))
            let changes = probe.outputLines(of: "a", "is stoppable")
            #expect(changes == ["a is stoppable false", "a is stoppable true", "a is stoppable false"])
            try probe.quit()
        }
    }

    @Test("an unsuitable category makes a start fail after the call returns, and the error names the category")
    func startFailsWithAnUnsuitableAudioCategory() async throws {
        try await TestEnvironment.runExclusively {
            let probe = try RunningProbe()
            try probe.openFilm("a", "count30.mp4")
            try probe.send("category a ambient")
            try probe.wait(for: "a is possible false", times: 2)
            try probe.send("start a")
            try probe.wait(for: "a failed")
            #expect(probe.outputOrder(of: "a returned start", "a failed") == ["a returned start", "a failed"])
            #expect(try probe.wait(for: "a because").contains("category"))
            try probe.send("category a playback")
            try probe.wait(for: "a is possible true", times: 2)
            try probe.startPictureInPicture("a")
            try probe.quit()
        }
    }

    @Test("a stop before the window is granted fails the start after the stop returns")
    func stopBeforeTheWindowIsGrantedFailsTheStart() async throws {
        try await TestEnvironment.runExclusively {
            let probe = try RunningProbe()
            try probe.openFilm("a", "count30.mp4")
            try probe.send("start a", "stop a")
            try probe.wait(for: "a failed")
            #expect(probe.outputOrder(of: "a returned stop", "a failed") == ["a returned stop", "a failed"])
            #expect(probe.delegateCalls(of: "a") == ["failed"])
            try probe.startPictureInPicture("a")
            try probe.quit()
        }
    }

    @Test(
        "closing a player, or detaching it from its layer, ends Picture-in-Picture",
        arguments: ["closePlayer a", "detach a"])
    func closingOrDetachingThePlayerEndsPictureInPicture(command: String) async throws {
        try await TestEnvironment.runExclusively {
            let (probe, watcher) = try startFilmInPictureInPicture()
            try probe.send(command)
            #expect(try probe.wait(for: "a didStop") == "a didStop active=false place=layer reason=ended")
            try watcher.waitForNoWindow(.pictureInPicture)
            #expect(probe.delegateCalls(of: "a") == ["willStart", "didStart", "willStop", "didStop"])
            #expect(try probe.state(of: "a").contains("active=false possible=false"))
            try probe.send("start a")
            try probe.wait(for: "a failed")
            try probe.quit()
        }
    }

    @Test("a compositor that is killed while it is idle leaves no zombie process")
    func killedCompositorLeavesNoZombie() async throws {
        try await TestEnvironment.runExclusively {
            let (probe, watcher) = try startFilmInPictureInPicture()
            try probe.send("release a")
            try watcher.waitForNoWindow(.pictureInPicture)
            let compositor = try probe.compositorPID()
            kill(compositor, SIGKILL)
            // `kill` with signal 0 succeeds as long as the process exists, also as a zombie.
            #expect(Deadline.poll(for: .seconds(15)) { kill(compositor, 0) == 0 ? nil : true } == true)
            try probe.quit()
        }
    }

    @Test("a display server that does not respond does not block the program")
    func unresponsiveXServerDoesNotBlockTheProgram() async throws {
        try await TestEnvironment.runExclusively {
            let server = try HangingXServer()
            let probe = try RunningProbe(environment: ["DISPLAY": "127.0.0.1:\(server.display)"])
            try probe.send("film a \(Fixtures.path("count30.mp4")) 320x180+50+60")
            #expect(try probe.state(of: "a").contains("active=false"))
            try probe.wait(for: "a firstFrame")
            #expect(try probe.state(of: "a").contains("active=false"))
        }
    }
}
