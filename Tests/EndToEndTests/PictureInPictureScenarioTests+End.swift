import SystemCalls
import TestSupport
import Testing

extension PictureInPictureScenarioTests {
    @Test("16: the film ends in the window: it stays, and plays again from the beginning")
    func end() async throws {
        try await Desk.alone {
            let (probe, watcher) = try floating("short.mp4")
            try probe.wait(for: "a playedToEnd")
            let state = try probe.state(of: "a")
            #expect(state.contains("active=true") && state.contains("rate=0.0"))
            try probe.tell("seek a 0", "play a")
            try watcher.waitForFrame(in: .pictureInPicture) { $0 < 30 }
            try probe.wait(for: "a playedToEnd", times: 2)
            #expect(probe.words(of: "a", "playedToEnd").count == 2 && probe.calls(of: "a") == Self.untilActive)
            try probe.quit()
        }
    }

    @Test("16: the queue is empty after the last film: Picture-in-Picture ends")
    func endOfQueue() async throws {
        try await Desk.alone {
            let (probe, watcher) = try floating("short.mp4")
            try probe.tell("atEnd a advance")
            #expect(try probe.wait(for: "a didStop").hasSuffix("reason=ended"))
            try watcher.waitForNoWindow(.pictureInPicture)
            #expect(probe.calls(of: "a") == Self.closed)
            try probe.quit()
        }
    }
}
