import SystemCalls
import TestSupport
import Testing

/// Tests the buttons and keys of the Picture-in-Picture window with the pointer and the keyboard.
@Suite("Picture-in-Picture: controls")
struct PictureInPictureControlsTests {
    @Test("the key p moves the picture to the floating window and back")
    func keyMovesThePictureToTheFloatingWindowAndBack() async throws {
        try await TestEnvironment.runExclusively {
            let watcher = try ScreenWatcher()
            // Wait until the X server has removed the player's window of an earlier test.
            try watcher.waitForNoWindow(.player)
            let player = try RunningPlayer("count30.mp4")
            try watcher.waitForFrame(in: .player)
            try player.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
            // Without a window manager, the X server sends keys to the window under the pointer.
            watcher.connection.letFocusFollowPointer()
            try Pointer.move(to: watcher.waitForWindow(.player).area, x: 0.5, y: 0.5)
            try run("xdotool", ["key", "p"])
            try player.ipc.waitForProperty("picture-in-picture") { $0 == true }
            try watcher.waitForFrame(in: .pictureInPicture)
            try watcher.waitForPlaceholder()
            try run("xdotool", ["key", "p"])
            try watcher.waitForNoWindow(.pictureInPicture)
            try watcher.waitForFrame(in: .player)
            try player.quit()
        }
    }

    @Test("the restore button returns the picture, and playback continues")
    func restoreButtonReturnsThePicture() async throws {
        try await TestEnvironment.runExclusively {
            let (player, watcher) = try Self.startPlayerInPictureInPicture()
            let frame = try watcher.waitForFrame(in: .pictureInPicture)
            try Pointer.click(.restore, in: watcher.waitForWindow(.pictureInPicture).area)
            try watcher.waitForNoWindow(.pictureInPicture)
            try player.ipc.waitForProperty("picture-in-picture") { $0 == false }
            try watcher.waitForFrame(in: .player) { $0 >= frame + 20 }
            #expect(try player.ipc.property("pause") == false)
            try player.quit()
        }
    }

    @Test("the close button closes the window and pauses; the player's window shows a frame again")
    func closeButtonClosesTheWindowAndPauses() async throws {
        try await TestEnvironment.runExclusively {
            let (player, watcher) = try Self.startPlayerInPictureInPicture()
            try Pointer.click(.close, in: watcher.waitForWindow(.pictureInPicture).area)
            try watcher.waitForNoWindow(.pictureInPicture)
            try player.ipc.waitForProperty("picture-in-picture") { $0 == false }
            #expect(try player.ipc.property("pause") == true)
            let frame = try watcher.waitForFrame(in: .player)
            try player.ipc.setProperty("pause", false)
            try watcher.waitForFrame(in: .player) { $0 >= frame + 10 }
            try player.quit()
        }
    }

    @Test("the play button pauses and resumes, and the window stays open")
    func playButtonPausesAndResumes() async throws {
        try await TestEnvironment.runExclusively {
            let (player, watcher) = try Self.startPlayerInPictureInPicture()
            let area = try watcher.waitForWindow(.pictureInPicture).area
            try Pointer.click(.playPause, in: area)
            try player.ipc.waitForProperty("pause") { $0 == true }
            // Move the pointer away, because the play button covers the frame number while the controls are visible.
            try Pointer.moveAway()
            let frame = try player.pauseAtFrame(in: .pictureInPicture, watcher)
            try Pointer.click(.playPause, in: area)
            try player.ipc.waitForProperty("pause") { $0 == false }
            try Pointer.moveAway()
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > frame + 10 }
            #expect(try player.ipc.property("picture-in-picture") == true)
            try player.quit()
        }
    }

    @Test("the controls are visible only while the pointer is over the window")
    func controlsAreVisibleOnlyUnderThePointer() async throws {
        try await TestEnvironment.runExclusively {
            let (player, watcher) = try Self.startPlayerInPictureInPicture()
            _ = try player.pauseAtFrame(in: .pictureInPicture, watcher)
            let area = try watcher.waitForWindow(.pictureInPicture).area
            let (x, y) = (area.x + area.width / 4, area.y + area.height / 6)
            let currentColor = { watcher.connection.color(x: x, y: y) }
            let pictureColor = try #require(currentColor())
            try Pointer.move(to: area, x: 0.3, y: 0.8)
            #expect(Deadline.poll(for: .seconds(5)) { currentColor() != pictureColor ? true : nil } == true)
            try Pointer.moveAway()
            #expect(Deadline.poll(for: .seconds(5)) { currentColor() == pictureColor ? true : nil } == true)
            try player.quit()
        }
    }

    /// Starts a player in Picture-in-Picture.
    private static func startPlayerInPictureInPicture() throws -> (RunningPlayer, ScreenWatcher) {
        let player = try RunningPlayer("count30.mp4", options: ["--pip"]), watcher = try ScreenWatcher()
        try player.ipc.waitForProperty("picture-in-picture") { $0 == true }
        try watcher.waitForFrame(in: .pictureInPicture) { $0 >= 10 }
        return (player, watcher)
    }
}
