import SystemCalls
import TestSupport
import Testing

/// The floating window and its buttons, as a user finds them with the pointer and the keys.
@Suite("Picture-in-Picture: controls")
struct PictureInPictureControlsTests {
    @Test("the key p takes the picture out and brings it back")
    func key() async throws {
        try await Desk.alone {
            let watcher = try ScreenWatcher()
            // A window of the test before, which the server is about to take away, would be taken for ours.
            try watcher.waitForNoWindow(.player)
            let player = try RunningPlayer("count30.mp4")
            try watcher.waitForFrame(in: .player)
            try player.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
            // Without a window manager keys go to the window under the pointer.
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

    @Test("the restore button brings the picture back, and it plays on")
    func restore() async throws {
        try await Desk.alone {
            let (player, watcher) = try Self.floating()
            let frame = try watcher.waitForFrame(in: .pictureInPicture)
            try Pointer.click(.restore, in: watcher.waitForWindow(.pictureInPicture).area)
            try watcher.waitForNoWindow(.pictureInPicture)
            try player.ipc.waitForProperty("picture-in-picture") { $0 == false }
            try watcher.waitForFrame(in: .player) { $0 >= frame + 20 }
            #expect(try player.ipc.property("pause") == false)
            try player.quit()
        }
    }

    @Test("the close button closes the window and pauses; the frame that was last seen stands in the player's window")
    func close() async throws {
        try await Desk.alone {
            let (player, watcher) = try Self.floating()
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

    @Test("the play and pause button pauses, and plays on; the window stays")
    func playPause() async throws {
        try await Desk.alone {
            let (player, watcher) = try Self.floating()
            let area = try watcher.waitForWindow(.pictureInPicture).area
            try Pointer.click(.playPause, in: area)
            try player.ipc.waitForProperty("pause") { $0 == true }
            // The button lies over the number.
            try Pointer.moveAway()
            let frame = try player.pause(in: .pictureInPicture, watcher)
            try Pointer.click(.playPause, in: area)
            try player.ipc.waitForProperty("pause") { $0 == false }
            try Pointer.moveAway()
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > frame + 10 }
            #expect(try player.ipc.property("picture-in-picture") == true)
            try player.quit()
        }
    }

    @Test("the controls show while the pointer is over the window, and go with it")
    func visibility() async throws {
        try await Desk.alone {
            let (player, watcher) = try Self.floating()
            _ = try player.pause(in: .pictureInPicture, watcher)
            let area = try watcher.waitForWindow(.pictureInPicture).area
            let (x, y) = (area.x + area.width / 4, area.y + area.height / 6)
            let plain = try #require(watcher.connection.color(x: x, y: y))
            try Pointer.move(to: area, x: 0.3, y: 0.8)
            #expect(
                Deadline.poll(for: .seconds(5)) { watcher.connection.color(x: x, y: y) != plain ? true : nil } == true)
            try Pointer.moveAway()
            #expect(
                Deadline.poll(for: .seconds(5)) { watcher.connection.color(x: x, y: y) == plain ? true : nil } == true)
            try player.quit()
        }
    }

    /// A player whose picture floats.
    private static func floating() throws -> (RunningPlayer, ScreenWatcher) {
        let player = try RunningPlayer("count30.mp4", options: ["--pip"]), watcher = try ScreenWatcher()
        try player.ipc.waitForProperty("picture-in-picture") { $0 == true }
        try watcher.waitForFrame(in: .pictureInPicture) { $0 >= 10 }
        return (player, watcher)
    }
}
