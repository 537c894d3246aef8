import TestSupport
import Testing

/// Tests of still images in the player program.
@Suite("Still images")
struct StillImageTests {
    @Test("a still image is not paused while it is shown; a pause by the user lasts until the next image")
    func aStillImageIsPausedOnlyByTheUser() async throws {
        try await TestEnvironment.runExclusively {
            let watcher = try ScreenWatcher()
            let player = try RunningPlayer(
                "still-21.png", "still-5.png", options: ["--image-display-duration=3"])
            let ipc = try player.ipc
            try watcher.waitForFrame(in: .player) { $0 == 21 }
            // While the image's display time runs, the player is not paused, although it is idle.
            #expect(try ipc.property("pause") == false)
            try ipc.waitForProperty("core-idle") { $0 == true }
            #expect(try ipc.property("pause") == false)
            try ipc.command(["cycle", "pause"])
            #expect(try ipc.property("pause") == true)
            // The next image stays paused, until the user ends the pause.
            try ipc.command(["playlist-next"])
            try watcher.waitForFrame(in: .player) { $0 == 5 }
            #expect(try ipc.property("pause") == true)
            try ipc.command(["playlist-prev"])
            try watcher.waitForFrame(in: .player) { $0 == 21 }
            try ipc.setProperty("pause", false)
            #expect(try ipc.property("pause") == false)
            try watcher.waitForFrame(in: .player) { $0 == 5 }
            #expect(try player.child.waitForExit().isSuccess)
        }
    }
}
