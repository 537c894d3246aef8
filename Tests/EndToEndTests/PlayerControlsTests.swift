import Foundation
import TestSupport
import Testing

/// The controls of the player's window, as a user finds them with the pointer and the keys.
@Suite("Player's window: controls")
struct PlayerControlsTests {
    /// Where things are in a window of 640x360: `PlayerControlsLayout`'s places.
    enum Place {
        static let play = (x: 22, y: 338), mute = (x: 57, y: 338), volume = (x: 82, y: 338),
            volumeEnd = (x: 131, y: 338)
        static let pictureInPicture = (x: 583, y: 338), fullScreen = (x: 618, y: 338)
        static let lineStart = (x: 7, y: 313), lineMiddle = (x: 319, y: 313), lineEnd = (x: 631, y: 313)
        static let picture = (x: 300, y: 100)
        /// Within the panel, and nothing is drawn there but its shade.
        static let shade = (x: 400, y: 340)
    }

    typealias Point = (x: Int, y: Int)

    @Test("a movement brings the controls, also while paused, and they go again by themselves")
    func visibility() async throws {
        try await Desk.alone {
            let (player, watcher, area) = try Self.start()
            let frame = try player.pause(watcher)
            let plain = try #require(watcher.connection.color(x: area.x + Place.shade.x, y: area.y + Place.shade.y))
            try Self.move(area, Place.picture)
            try Self.wait(watcher, area, Place.shade, "no controls") { $0 != plain }
            // What lies over the picture has not changed it, and does not hide its middle.
            #expect(watcher.frame(in: .player) == frame)
            try Self.wait(watcher, area, Place.shade, "the controls stay") { $0 == plain }
            #expect(watcher.frame(in: .player) == frame)
            // Where the pointer rests on them they stay: longer than they would otherwise.
            try Self.move(area, Place.shade)
            try Self.wait(watcher, area, Place.shade, "no controls") { $0 != plain }
            let gone = Deadline.poll(for: .seconds(4)) {
                watcher.connection.color(x: area.x + Place.shade.x, y: area.y + Place.shade.y) == plain ? true : nil
            }
            #expect(gone == nil)
            try Pointer.moveAway()
            try Self.wait(watcher, area, Place.shade, "the controls stay") { $0 == plain }
            try player.quit()
        }
    }

    @Test("play, mute and volume do what their keys do")
    func buttons() async throws {
        try await Desk.alone {
            let (player, _, area) = try Self.start()
            try Self.click(area, Place.play)
            try player.ipc.waitForProperty("pause") { $0 == true }
            try Self.click(area, Place.play)
            try player.ipc.waitForProperty("pause") { $0 == false }
            try Self.click(area, Place.mute)
            try player.ipc.waitForProperty("mute") { $0 == true }
            try Self.drag(area, Place.volumeEnd, Place.volume)
            try player.ipc.waitForProperty("volume") { ($0.number ?? 100) == 0 }
            try Self.drag(area, Place.volume, (x: 107, y: 338))
            try player.ipc.waitForProperty("volume") { (40...60).contains($0.number ?? 0) }
            try run("xdotool", ["click", "4"])
            try player.ipc.waitForProperty("volume") { (42...62).contains($0.number ?? 0) }
            try player.quit()
        }
    }

    @Test("text is above the controls while they are seen, also while paused, and comes down when they go")
    func textAbove() async throws {
        try await Desk.alone {
            let (player, watcher, area) = try Self.start(
                "tracks.mkv", options: ["--sid=1", "--sub-auto=no", "--start=1.5", "--pause"])
            // The panel begins at row 296 of 360.
            func isLifted() -> Bool {
                (watcher.points(in: .player, from: 0.68, to: 0.82) { $0 & 0xF0F0F0 == 0xF0F0F0 } ?? 0) > 60
            }
            func isBelow() -> Bool {
                (watcher.points(in: .player, from: 0.82, to: 1) { $0 & 0xF0F0F0 == 0xF0F0F0 } ?? 0) > 60
            }
            try #require(Deadline.poll(for: .seconds(10), { isBelow() && !isLifted() ? true : nil }) == true)
            try Self.move(area, Place.picture)
            #expect(Deadline.poll(for: .seconds(10), { isLifted() ? true : nil }) == true)
            #expect(Deadline.poll(for: .seconds(10), { isBelow() && !isLifted() ? true : nil }) == true)
            try player.quit()
        }
    }

    @Test("the tracks' buttons take the next one, and with the other button the one before")
    func tracks() async throws {
        try await Desk.alone {
            let (player, _, area) = try Self.start("tracks.mkv", options: ["--sid=1"])
            // Audio, subtitles: in the middle of the right half.
            for (place, property) in [((x: 483, y: 338), "aid"), ((x: 538, y: 338), "sid")] {
                try player.ipc.waitForProperty(property) { $0 == 1 }
                try Self.click(area, place)
                try player.ipc.waitForProperty(property) { $0 == 2 }
                try run("xdotool", ["click", "3"])
                try player.ipc.waitForProperty(property) { $0 == 1 }
            }
            #expect(try player.ipc.property("pause") == false)
            try player.quit()
        }
    }

    @Test("a press on the scrubber goes there, and a drag takes the picture along")
    func scrubbing() async throws {
        try await Desk.alone {
            let (player, watcher, area) = try Self.start()
            _ = try player.pause(watcher)
            try Self.click(area, Place.lineMiddle)
            // The preview lies over the number.
            try Self.move(area, Place.picture)
            // Half of 20 s at 30 pictures a second; a point of the line is a picture wide.
            try watcher.waitForFrame(in: .player) { (297...303).contains($0) }
            try Self.move(area, Place.lineMiddle)
            try run("xdotool", ["mousedown", "1"])
            for x in [340, 380, 420, 475] {
                try Self.move(area, (x, 313))
                let expected = (x - 7) * 600 / 624
                try watcher.waitForFrame(in: .player) { (expected - 3...expected + 3).contains($0) }
            }
            // Off the line it is still held; the end is not what comes after it.
            try Self.move(area, (x: 900, y: 100))
            try watcher.waitForFrame(in: .player) { $0 >= 595 }
            try Self.move(area, (x: -20, y: 100))
            try watcher.waitForFrame(in: .player) { $0 == 0 }
            try run("xdotool", ["mouseup", "1"])
            #expect(try player.ipc.property("eof-reached") == false)
            try player.quit()
        }
    }

    @Test("the scrubber shows the picture of the place under the pointer, above it")
    func preview() async throws {
        try await Desk.alone {
            let (player, watcher, area) = try Self.start()
            let frame = try player.pause(watcher)
            // Keyframes are two seconds apart, and one before the place will do.
            for (x, number) in [(322, 300), (166, 120), (478, 420), (322, 300)] {
                try Self.move(area, (x, 313))
                let picture = Window.Area(x: area.x + x - 96, y: area.y + 163, width: 192, height: 108)
                let seen = Deadline.poll(for: .seconds(10)) {
                    watcher.connection.frameNumber(in: picture) == number ? true : nil
                }
                #expect(seen == true, "at \(x): \(watcher.connection.frameNumber(in: picture) ?? -1)")
            }
            try Pointer.moveAway()
            // The film has not been touched.
            try watcher.waitForFrame(in: .player) { $0 == frame }
            try player.quit()
        }
    }

    @Test("the button takes the picture out; meanwhile the window has a placeholder and no controls")
    func pictureInPicture() async throws {
        try await Desk.alone {
            let (player, watcher, area) = try Self.start()
            try player.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
            watcher.connection.letFocusFollowPointer()
            try Self.click(area, Place.pictureInPicture)
            try player.ipc.waitForProperty("picture-in-picture") { $0 == true }
            try watcher.waitForPlaceholder()
            try Self.wait(watcher, area, Place.shade, "the controls stay over the placeholder") { $0 == 0x202022 }
            // The word about the volume comes after the movement has been dealt with.
            try Self.move(area, Place.picture)
            try run("xdotool", ["key", "9"])
            #expect(
                Deadline.poll(for: .seconds(5)) {
                    watcher.points(in: .player, to: 0.15) { $0 == 0xFFFFFF } ?? 0 > 20 ? true : nil
                } == true)
            #expect(watcher.connection.color(x: area.x + Place.shade.x, y: area.y + Place.shade.y) == 0x202022)
            try player.leavePictureInPicture()
            try watcher.waitForFrame(in: .player)
            try player.quit()
        }
    }

    @Test("the button and a double click fill the screen and give it back")
    func fullScreen() async throws {
        try await Desk.alone {
            let (player, watcher, area) = try Self.start()
            try Self.click(area, Place.fullScreen)
            try player.ipc.waitForProperty("fullscreen") { $0 == true }
            let whole = try #require(
                Deadline.poll(for: .seconds(10)) {
                    watcher.window(.player).flatMap { $0.area.width == 1920 ? $0.area : nil }
                })
            _ = try player.pause(watcher)
            // The pointer goes with the controls, and comes with a movement.
            try Self.move(whole, (x: 880, y: 200))
            #expect(try Self.showsPointer(nearX: 880, y: 200))
            #expect(
                try Deadline.poll(for: .seconds(10)) { try Self.showsPointer(nearX: 880, y: 200) ? nil : true } == true)
            try Self.move(whole, (x: 900, y: 200))
            #expect(try Self.showsPointer(nearX: 900, y: 200))
            try run("xdotool", ["click", "--repeat", "2", "--delay", "60", "1"])
            try player.ipc.waitForProperty("fullscreen") { $0 == false }
            #expect(Deadline.poll(for: .seconds(10)) { watcher.window(.player)?.area == area ? true : nil } == true)
            try watcher.waitForFrame(in: .player)
            try player.quit()
        }
    }

    @Test("a window manager that fills the screen with the window, by a key of its own, is noticed")
    func fullScreenFromOutside() async throws {
        try await Desk.alone {
            let (player, watcher, _) = try Self.start(), window = try watcher.waitForWindow(.player)
            #expect(try player.ipc.property("fullscreen") == false)
            watcher.connection.setAtoms(
                "_NET_WM_STATE", of: window.id, to: ["_NET_WM_STATE_FOCUSED", "_NET_WM_STATE_FULLSCREEN"])
            try player.ipc.waitForProperty("fullscreen") { $0 == true }
            watcher.connection.setAtoms("_NET_WM_STATE", of: window.id, to: ["_NET_WM_STATE_FOCUSED"])
            try player.ipc.waitForProperty("fullscreen") { $0 == false }
            try player.quit()
        }
    }

    @Test("a key shows the controls without a pointer, and its message is seen with --osc=no, too")
    func keys() async throws {
        try await Desk.alone {
            for hasControls in [true, false] {
                let (player, watcher, area) = try Self.start(options: hasControls ? [] : ["--osc=no"])
                watcher.connection.letFocusFollowPointer()
                try Self.move(area, Place.picture)
                _ = try player.pause(watcher)
                let plain = try #require(watcher.connection.color(x: area.x + Place.shade.x, y: area.y + 358))
                try run("xdotool", ["key", "o"])
                if hasControls { try Self.wait(watcher, area, (Place.shade.x, 358), "no controls") { $0 != plain } }
                try run("xdotool", ["key", "m"])
                try player.ipc.waitForProperty("mute") { $0 == true }
                #expect(
                    Deadline.poll(for: .seconds(5)) {
                        watcher.points(in: .player, to: 0.2) { $0 == 0xFFFFFF } ?? 0 > 20 ? true : nil
                    } == true)
                if !hasControls {
                    #expect(watcher.connection.color(x: area.x + Place.shade.x, y: area.y + 358) == plain)
                }
                try player.quit()
                try watcher.waitForNoWindow(.player)
            }
        }
    }
}
