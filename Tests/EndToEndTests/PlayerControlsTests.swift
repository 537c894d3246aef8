import Foundation
import TestSupport
import Testing

/// Tests the controls of the player's window with the pointer and the keyboard.
@Suite("Player's window: controls")
struct PlayerControlsTests {
    /// The positions of the controls in a window of 640x360 pixels, as `PlayerControlsLayout` computes them.
    enum Position {
        static let play = (x: 22, y: 338), mute = (x: 57, y: 338), volume = (x: 82, y: 338),
            volumeEnd = (x: 131, y: 338)
        static let pictureInPicture = (x: 583, y: 338), fullScreen = (x: 618, y: 338)
        static let scrubberStart = (x: 7, y: 313), scrubberMiddle = (x: 319, y: 313), scrubberEnd = (x: 631, y: 313)
        static let picture = (x: 300, y: 100)
        /// A point of the control panel that shows only the background of the panel.
        static let panel = (x: 400, y: 340)
    }

    /// A point in the player's window, in pixels from the upper left corner.
    typealias Point = (x: Int, y: Int)

    @Test("moving the pointer shows the controls, also while paused, and they hide after a timeout")
    func movingThePointerShowsTheControls() async throws {
        try await TestEnvironment.runExclusively {
            let (player, watcher, area) = try Self.startPlayer()
            let frame = try player.pauseAtFrame(watcher)
            let panel = (x: area.x + Position.panel.x, y: area.y + Position.panel.y)
            let plainColor = try #require(watcher.connection.color(x: panel.x, y: panel.y))
            try Self.movePointer(area, Position.picture)
            try Self.waitForColor(watcher, area, Position.panel, "no controls") { $0 != plainColor }
            // The controls neither change the picture nor cover the frame number, so the frame number is still
            // readable.
            #expect(watcher.frameNumber(in: .player) == frame)
            try Self.waitForColor(watcher, area, Position.panel, "the controls do not hide") { $0 == plainColor }
            #expect(watcher.frameNumber(in: .player) == frame)
            // While the pointer rests on the controls, they stay visible for longer than the timeout.
            try Self.movePointer(area, Position.panel)
            try Self.waitForColor(watcher, area, Position.panel, "no controls") { $0 != plainColor }
            let areHidden = Deadline.poll(for: .seconds(4)) {
                watcher.connection.color(x: panel.x, y: panel.y) == plainColor ? true : nil
            }
            #expect(areHidden == nil)
            try Pointer.moveAway()
            try Self.waitForColor(watcher, area, Position.panel, "the controls do not hide") { $0 == plainColor }
            try player.quit()
        }
    }

    @Test("the play, mute and volume controls set the player's properties")
    func playMuteAndVolumeControlsSetTheProperties() async throws {
        try await TestEnvironment.runExclusively {
            let (player, _, area) = try Self.startPlayer()
            try Self.click(area, Position.play)
            try player.ipc.waitForProperty("pause") { $0 == true }
            try Self.click(area, Position.play)
            try player.ipc.waitForProperty("pause") { $0 == false }
            try Self.click(area, Position.mute)
            try player.ipc.waitForProperty("mute") { $0 == true }
            try Self.drag(area, Position.volumeEnd, Position.volume)
            try player.ipc.waitForProperty("volume") { ($0.number ?? 100) == 0 }
            try Self.drag(area, Position.volume, (x: 107, y: 338))
            try player.ipc.waitForProperty("volume") { (40...60).contains($0.number ?? 0) }
            try run("xdotool", ["click", "4"])
            try player.ipc.waitForProperty("volume") { (42...62).contains($0.number ?? 0) }
            try player.quit()
        }
    }

    @Test("subtitles are above the controls while these are visible, also while paused, and move down afterwards")
    func subtitlesMoveAboveTheVisibleControls() async throws {
        try await TestEnvironment.runExclusively {
            let (player, watcher, area) = try Self.startPlayer(
                "tracks.mkv", options: ["--sid=1", "--sub-auto=no", "--start=1.5", "--pause"])
            // The control panel begins at row 296 of 360, which is 0.82 of the height.
            func areSubtitlesRaised() -> Bool {
                (watcher.pixelCount(in: .player, from: 0.68, to: 0.82) { $0 & 0xF0F0F0 == 0xF0F0F0 } ?? 0) > 60
            }
            func areSubtitlesAtBottom() -> Bool {
                (watcher.pixelCount(in: .player, from: 0.82, to: 1) { $0 & 0xF0F0F0 == 0xF0F0F0 } ?? 0) > 60
            }
            try #require(
                Deadline.poll(for: .seconds(10), { areSubtitlesAtBottom() && !areSubtitlesRaised() ? true : nil })
                    == true)
            try Self.movePointer(area, Position.picture)
            #expect(Deadline.poll(for: .seconds(10), { areSubtitlesRaised() ? true : nil }) == true)
            #expect(
                Deadline.poll(for: .seconds(10), { areSubtitlesAtBottom() && !areSubtitlesRaised() ? true : nil })
                    == true)
            try player.quit()
        }
    }

    @Test("a track button selects the next track, and a right click the previous one")
    func trackButtonsSelectTheNextAndPreviousTrack() async throws {
        try await TestEnvironment.runExclusively {
            let (player, _, area) = try Self.startPlayer("tracks.mkv", options: ["--sid=1"])
            // Click the button for audio tracks and the button for subtitle tracks.
            for (point, property) in [((x: 483, y: 338), "aid"), ((x: 538, y: 338), "sid")] {
                try player.ipc.waitForProperty(property) { $0 == 1 }
                try Self.click(area, point)
                try player.ipc.waitForProperty(property) { $0 == 2 }
                try run("xdotool", ["click", "3"])
                try player.ipc.waitForProperty(property) { $0 == 1 }
            }
            #expect(try player.ipc.property("pause") == false)
            try player.quit()
        }
    }

    @Test("a click on the scrubber seeks, and a drag shows the pictures at the positions it passes")
    func clicksAndDragsOnTheScrubberSeek() async throws {
        try await TestEnvironment.runExclusively {
            let (player, watcher, area) = try Self.startPlayer()
            _ = try player.pauseAtFrame(watcher)
            try Self.click(area, Position.scrubberMiddle)
            // Move the pointer away from the scrubber, because its preview covers the frame number.
            try Self.movePointer(area, Position.picture)
            // The clip has 600 frames and the scrubber 624 pixels, so a pixel corresponds to about one frame.
            try watcher.waitForFrame(in: .player) { (297...303).contains($0) }
            try Self.movePointer(area, Position.scrubberMiddle)
            try run("xdotool", ["mousedown", "1"])
            for x in [340, 380, 420, 475] {
                try Self.movePointer(area, (x, 313))
                let expected = (x - 7) * 600 / 624
                try watcher.waitForFrame(in: .player) { (expected - 3...expected + 3).contains($0) }
            }
            // The drag continues outside of the scrubber. Dragging to the end does not start the next repetition of the
            // file.
            try Self.movePointer(area, (x: 900, y: 100))
            try watcher.waitForFrame(in: .player) { $0 >= 595 }
            try Self.movePointer(area, (x: -20, y: 100))
            try watcher.waitForFrame(in: .player) { $0 == 0 }
            try run("xdotool", ["mouseup", "1"])
            #expect(try player.ipc.property("eof-reached") == false)
            try player.quit()
        }
    }

    @Test("the scrubber shows a preview of the position under the pointer, above the pointer")
    func scrubberShowsPreviewsUnderThePointer() async throws {
        try await TestEnvironment.runExclusively {
            let (player, watcher, area) = try Self.startPlayer()
            let frame = try player.pauseAtFrame(watcher)
            // Keyframes are two seconds (60 frames) apart. The preview shows the last keyframe before the position.
            for (x, number) in [(322, 300), (166, 120), (478, 420), (322, 300)] {
                try Self.movePointer(area, (x, 313))
                let picture = Window.Area(x: area.x + x - 96, y: area.y + 163, width: 192, height: 108)
                let isShown = Deadline.poll(for: .seconds(10)) {
                    watcher.connection.frameNumber(in: picture) == number ? true : nil
                }
                #expect(isShown == true, "at \(x): \(watcher.connection.frameNumber(in: picture) ?? -1)")
            }
            try Pointer.moveAway()
            // The previews did not change the playback position.
            try watcher.waitForFrame(in: .player) { $0 == frame }
            try player.quit()
        }
    }

    @Test("the button starts Picture-in-Picture; the window then has a placeholder and no controls")
    func buttonStartsPictureInPicture() async throws {
        try await TestEnvironment.runExclusively {
            let (player, watcher, area) = try Self.startPlayer()
            try player.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
            watcher.connection.letFocusFollowPointer()
            try Self.click(area, Position.pictureInPicture)
            try player.ipc.waitForProperty("picture-in-picture") { $0 == true }
            try watcher.waitForPlaceholder()
            try Self.waitForColor(watcher, area, Position.panel, "the controls stay over the placeholder") {
                $0 == 0x202022
            }
            // When the message about the volume is visible, the player has already handled the movement of the pointer.
            try Self.movePointer(area, Position.picture)
            try run("xdotool", ["key", "9"])
            #expect(
                Deadline.poll(for: .seconds(5)) {
                    watcher.pixelCount(in: .player, to: 0.15) { $0 == 0xFFFFFF } ?? 0 > 20 ? true : nil
                } == true)
            #expect(watcher.connection.color(x: area.x + Position.panel.x, y: area.y + Position.panel.y) == 0x202022)
            try player.leavePictureInPicture()
            try watcher.waitForFrame(in: .player)
            try player.quit()
        }
    }

    @Test("the button enters full screen, and a double click leaves it")
    func buttonAndDoubleClickToggleFullScreen() async throws {
        try await TestEnvironment.runExclusively {
            let (player, watcher, area) = try Self.startPlayer()
            try Self.click(area, Position.fullScreen)
            try player.ipc.waitForProperty("fullscreen") { $0 == true }
            let screenArea = try #require(
                Deadline.poll(for: .seconds(10)) {
                    watcher.window(.player).flatMap { $0.area.width == 1920 ? $0.area : nil }
                })
            _ = try player.pauseAtFrame(watcher)
            // The pointer is hidden together with the controls, and becomes visible when it moves.
            try Self.movePointer(screenArea, (x: 880, y: 200))
            #expect(try Self.showsPointer(nearX: 880, y: 200))
            #expect(
                try Deadline.poll(for: .seconds(10)) { try Self.showsPointer(nearX: 880, y: 200) ? nil : true } == true)
            try Self.movePointer(screenArea, (x: 900, y: 200))
            #expect(try Self.showsPointer(nearX: 900, y: 200))
            try run("xdotool", ["click", "--repeat", "2", "--delay", "60", "1"])
            try player.ipc.waitForProperty("fullscreen") { $0 == false }
            #expect(Deadline.poll(for: .seconds(10)) { watcher.window(.player)?.area == area ? true : nil } == true)
            try watcher.waitForFrame(in: .player)
            try player.quit()
        }
    }

    @Test("full screen that a window manager sets changes the property")
    func fullScreenOfAWindowManagerIsReported() async throws {
        try await TestEnvironment.runExclusively {
            let (player, watcher, _) = try Self.startPlayer(), window = try watcher.waitForWindow(.player)
            #expect(try player.ipc.property("fullscreen") == false)
            watcher.connection.setAtoms(
                "_NET_WM_STATE", of: window.id, to: ["_NET_WM_STATE_FOCUSED", "_NET_WM_STATE_FULLSCREEN"])
            try player.ipc.waitForProperty("fullscreen") { $0 == true }
            watcher.connection.setAtoms("_NET_WM_STATE", of: window.id, to: ["_NET_WM_STATE_FOCUSED"])
            try player.ipc.waitForProperty("fullscreen") { $0 == false }
            try player.quit()
        }
    }

    @Test("a key shows the controls, and its message is visible with --osc=no too")
    func keysShowTheControlsAndTheirMessages() async throws {
        try await TestEnvironment.runExclusively {
            for hasControls in [true, false] {
                let (player, watcher, area) = try Self.startPlayer(options: hasControls ? [] : ["--osc=no"])
                watcher.connection.letFocusFollowPointer()
                try Self.movePointer(area, Position.picture)
                _ = try player.pauseAtFrame(watcher)
                let plainColor = try #require(watcher.connection.color(x: area.x + Position.panel.x, y: area.y + 358))
                try run("xdotool", ["key", "o"])
                if hasControls {
                    try Self.waitForColor(watcher, area, (Position.panel.x, 358), "no controls") { $0 != plainColor }
                }
                try run("xdotool", ["key", "m"])
                try player.ipc.waitForProperty("mute") { $0 == true }
                #expect(
                    Deadline.poll(for: .seconds(5)) {
                        watcher.pixelCount(in: .player, to: 0.2) { $0 == 0xFFFFFF } ?? 0 > 20 ? true : nil
                    } == true)
                if !hasControls {
                    #expect(watcher.connection.color(x: area.x + Position.panel.x, y: area.y + 358) == plainColor)
                }
                try player.quit()
                try watcher.waitForNoWindow(.player)
            }
        }
    }
}
