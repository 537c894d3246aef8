import Glibc
import SystemCalls
import TestSupport
import Testing

/// What a program that embeds the library may rely on beside the scenarios: who is called when, and what ends
/// Picture-in-Picture.
@Suite("Picture-in-Picture: contract")
struct PictureInPictureContractTests {
    private func floating() throws -> (RunningProbe, ScreenWatcher) {
        let probe = try RunningProbe(), watcher = try ScreenWatcher()
        try probe.film("a", "count30.mp4")
        try probe.start("a")
        try watcher.waitForFrame(in: .pictureInPicture)
        return (probe, watcher)
    }

    @Test(
        "3: without a delegate, and with one that has only the async call: what it answers counts",
        arguments: ["unlisten a", "listen a async"])
    func restoreByOtherDelegates(manner: String) async throws {
        try await Desk.alone {
            let (probe, watcher) = try floating()
            try probe.wait(for: "a is stoppable true")
            let isRestored = manner != "unlisten a"
            try probe.tell(manner, "stop a")
            try probe.wait(for: "a is active false", times: 2)
            try watcher.waitForNoWindow(.pictureInPicture)
            #expect(probe.words(of: "a", "asyncRestore").count == (isRestored ? 1 : 0))
            #expect(try probe.state(of: "a").contains("reason=\(isRestored ? "restored" : "stopped")"))
            let changes = probe.words(of: "a", "is stoppable")
            #expect(changes == ["a is stoppable false", "a is stoppable true", "a is stoppable false"])
            try probe.quit()
        }
    }

    @Test("7: the category does not permit it: not possible, and the failure says why, after the start has returned")
    func categoryForbids() async throws {
        try await Desk.alone {
            let probe = try RunningProbe()
            try probe.film("a", "count30.mp4")
            try probe.tell("category a ambient")
            try probe.wait(for: "a is possible false", times: 2)
            try probe.tell("start a")
            try probe.wait(for: "a failed")
            #expect(probe.order(of: "a returned start", "a failed") == ["a returned start", "a failed"])
            #expect(try probe.wait(for: "a because").contains("category"))
            try probe.tell("category a playback")
            try probe.wait(for: "a is possible true", times: 2)
            try probe.start("a")
            try probe.quit()
        }
    }

    @Test("13: a stop before the window is granted fails the start, after the stop has returned")
    func stopBeforeTheGrant() async throws {
        try await Desk.alone {
            let probe = try RunningProbe()
            try probe.film("a", "count30.mp4")
            try probe.tell("start a", "stop a")
            try probe.wait(for: "a failed")
            #expect(probe.order(of: "a returned stop", "a failed") == ["a returned stop", "a failed"])
            #expect(probe.calls(of: "a") == ["failed"])
            try probe.start("a")
            try probe.quit()
        }
    }

    @Test(
        "a player that is closed, or taken off its layer, ends Picture-in-Picture",
        arguments: ["closePlayer a", "detach a"])
    func playerGoes(verb: String) async throws {
        try await Desk.alone {
            let (probe, watcher) = try floating()
            try probe.tell(verb)
            #expect(try probe.wait(for: "a didStop") == "a didStop active=false place=layer reason=ended")
            try watcher.waitForNoWindow(.pictureInPicture)
            #expect(probe.calls(of: "a") == ["willStart", "didStart", "willStop", "didStop"])
            #expect(try probe.state(of: "a").contains("active=false possible=false"))
            try probe.tell("start a")
            try probe.wait(for: "a failed")
            try probe.quit()
        }
    }

    @Test("a compositor that is killed while nothing needs it leaves no zombie")
    func killedCompositorIsCollected() async throws {
        try await Desk.alone {
            let (probe, watcher) = try floating()
            try probe.tell("release a")
            try watcher.waitForNoWindow(.pictureInPicture)
            let compositor = try probe.compositor()
            kill(compositor, SIGKILL)
            // A zombie can still be signalled.
            #expect(Deadline.poll(for: .seconds(15)) { kill(compositor, 0) == 0 ? nil : true } == true)
            try probe.quit()
        }
    }

    @Test("a display server that does not answer holds nothing up in the program")
    func displayServerHangs() async throws {
        try await Desk.alone {
            let server = try SilentServer()
            let probe = try RunningProbe(environment: ["DISPLAY": "127.0.0.1:\(server.display)"])
            try probe.tell("film a \(Fixtures.path("count30.mp4")) 320x180+50+60")
            #expect(try probe.state(of: "a").contains("active=false"))
            try probe.wait(for: "a firstFrame")
            #expect(try probe.state(of: "a").contains("active=false"))
        }
    }
}
