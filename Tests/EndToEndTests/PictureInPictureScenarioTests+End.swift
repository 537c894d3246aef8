import SystemCalls
import TestSupport
import Testing

extension PictureInPictureScenarioTests {
    @Test("the window stays open at the end of the film, which can play again from the beginning")
    func windowStaysOpenAtTheEndOfTheFilm() async throws {
        try await TestEnvironment.runExclusively {
            let (probe, watcher) = try startFilmInPictureInPicture("short.mp4")
            try probe.wait(for: "a playedToEnd")
            let state = try probe.state(of: "a")
            #expect(state.contains("active=true") && state.contains("rate=0.0"))
            try probe.send("seek a 0", "play a")
            try watcher.waitForFrame(in: .pictureInPicture) { $0 < 30 }
            try probe.wait(for: "a playedToEnd", times: 2)
            #expect(probe.outputLines(of: "a", "playedToEnd").count == 2)
            #expect(probe.delegateCalls(of: "a") == Self.startCalls)
            try probe.quit()
        }
    }

    @Test("Picture-in-Picture ends when the queue is empty")
    func emptyQueueEndsPictureInPicture() async throws {
        try await TestEnvironment.runExclusively {
            let (probe, watcher) = try startFilmInPictureInPicture("short.mp4")
            try probe.send("atEnd a advance")
            #expect(try probe.wait(for: "a didStop").hasSuffix("reason=ended"))
            try watcher.waitForNoWindow(.pictureInPicture)
            #expect(probe.delegateCalls(of: "a") == Self.startAndCloseCalls)
            try probe.quit()
        }
    }
}
