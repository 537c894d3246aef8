import Foundation
import TestSupport
import Testing

/// Tests the player's window under a window manager, and in a window of another program.
@Suite("Window and window manager")
struct WindowManagerTests {
    /// Runs xdotool on a desktop.
    private func xdotool(_ desktop: PrivateDesktop, _ arguments: String...) throws {
        try run("xdotool", arguments, environment: desktop.environment)
    }

    /// Waits until the player's window has an area for which `condition` returns true, and returns the area.
    private func waitForArea(
        _ watcher: ScreenWatcher, _ expectedState: String, in query: WindowQuery = .player,
        _ condition: (Window.Area) -> Bool
    ) throws -> Window.Area {
        // The window manager moves and decorates a window in separate steps, and animations change its size.
        var shownArea = SteadyValue<Window.Area>(for: .milliseconds(100))
        let area = Deadline.poll(for: .seconds(20)) { () -> Window.Area? in
            guard shownArea.isSteady(watcher.window(query)?.area), let area = shownArea.last else { return nil }
            return condition(area) ? area : nil
        }
        guard let area else {
            throw TestFailure("not \(expectedState); the area is \(String(describing: shownArea.last))")
        }
        return area
    }

    @Test("resizing keeps the aspect ratio, a drag of the picture moves the window, and the next file resizes it")
    func theWindowFollowsTheVideo() async throws {
        try await TestEnvironment.runExclusively {
            let desktop = try PrivateDesktop(hasWindowManager: true)
            let watcher = try ScreenWatcher(display: desktop.display)
            let player = try RunningPlayer(
                "count30.mp4", "tall.mp4", options: ["--pause", "--ao=null"], environment: desktop.environment)
            let firstArea = try waitForArea(watcher, "in the size of the film") { $0.width == 640 && $0.height == 360 }

            // openbox resizes a window with the right mouse button and the Alt key.
            let (right, bottom) = (firstArea.x + firstArea.width - 20, firstArea.y + firstArea.height - 20)
            try xdotool(desktop, "mousemove", "\(right)", "\(bottom)", "keydown", "alt", "mousedown", "3")
            var distance = 0
            let hasGrown = try Deadline.poll(for: .seconds(10)) { () -> Bool? in
                distance = distance % 200 + 20
                try xdotool(desktop, "mousemove", "\(right + distance)", "\(bottom + 10)")
                return watcher.window(.player).flatMap { $0.area.width > 700 ? true : nil }
            }
            try xdotool(desktop, "mouseup", "3", "keyup", "alt")
            #expect(hasGrown == true)
            let resizedArea = try waitForArea(watcher, "larger") { $0.width > 660 }
            #expect(abs(resizedArea.width * 9 - resizedArea.height * 16) <= 16, "\(resizedArea)")

            let (x, y) = (resizedArea.x + 100, resizedArea.y + 100)
            try xdotool(desktop, "mousemove", "\(x)", "\(y)", "mousedown", "1", "mousemove", "\(x - 60)", "\(y - 30)")
            // The window follows the pointer from the time at which the window manager receives the player's request.
            var step = 0
            let hasMoved = try Deadline.poll(for: .seconds(10)) { () -> Bool? in
                step = (step + 5) % 200
                try xdotool(desktop, "mousemove", "\(x - 60 - step)", "\(y - 30 - step)")
                return watcher.window(.player).flatMap { $0.area.x < resizedArea.x - 20 ? true : nil }
            }
            try xdotool(desktop, "mouseup", "1")
            #expect(hasMoved == true)
            let movedArea = try waitForArea(watcher, "moved") { $0.x < resizedArea.x - 20 && $0.y < resizedArea.y - 10 }
            #expect(movedArea.width == resizedArea.width && movedArea.height == resizedArea.height)

            try player.ipc.setProperty("playlist-pos", 1)
            let tallArea = try waitForArea(watcher, "in the size of the second film") {
                $0.width == 320 && $0.height == 400
            }
            #expect(tallArea.x == movedArea.x && tallArea.y == movedArea.y, "the upper left corner stays in place")
            try player.quit()
        }
    }

    @Test("--auto-window-resize=no keeps the size, --autofit, --border and --ontop reach the window manager")
    func optionsReachTheWindowManager() async throws {
        try await TestEnvironment.runExclusively {
            let desktop = try PrivateDesktop(hasWindowManager: true)
            let watcher = try ScreenWatcher(display: desktop.display)
            let player = try RunningPlayer(
                "count30.mp4", "tall.mp4",
                options: [
                    "--pause", "--ao=null", "--auto-window-resize=no", "--autofit=50%", "--no-border", "--ontop",
                ],
                environment: desktop.environment)
            let area = try waitForArea(watcher, "half of the screen") { $0.width == 960 && $0.height == 540 }
            let window = try watcher.waitForWindow(.player)
            #expect(desktop.frame(of: window).height < area.height + 10, "the window has a title bar")
            #expect(watcher.connection.propertyAtoms("_NET_WM_STATE", of: window.id).contains("_NET_WM_STATE_ABOVE"))
            try player.ipc.setProperty("playlist-pos", 1)
            try player.ipc.waitForProperty("width") { $0 == 320 }
            // The window keeps its shape and shows the second film between bars; therefore the watcher does not find
            // the frame number where it expects it.
            let isShown = Deadline.poll(for: .seconds(10)) { watcher.frameNumber(in: .player) == nil ? true : nil }
            #expect(isShown == true)
            #expect(watcher.window(.player)?.area == area)
            try player.quit()
        }
    }

    @Test("the floating window covers as many pixels for each shape, and returns to its first area")
    func theFloatingWindowKeepsItsArea() async throws {
        try await TestEnvironment.runExclusively {
            let watcher = try ScreenWatcher()
            let player = try RunningPlayer(
                "count30.mp4", "tall.mp4", options: ["--pause", "--ao=null", "--geometry=640x360+50+60"])
            try player.enterPictureInPicture()
            let wideArea = try waitForArea(watcher, "a quarter wide", in: .pictureInPicture) { $0.width == 480 }
            try player.ipc.setProperty("playlist-pos", 1)
            let tallArea = try waitForArea(watcher, "tall", in: .pictureInPicture) { $0.height > $0.width }
            #expect(abs(tallArea.width * 5 - tallArea.height * 4) <= 4, "\(tallArea)")
            #expect(abs(tallArea.width * tallArea.height - 480 * 270) < 1000, "\(tallArea)")
            try player.ipc.setProperty("playlist-pos", 0)
            _ = try waitForArea(watcher, "as at first", in: .pictureInPicture) { $0 == wideArea }
            try player.quit()
        }
    }

    @Test("a floating window stays above a focused full-screen window and survives its minimising")
    func theFloatingWindowStaysAboveFullScreen() async throws {
        try await TestEnvironment.runExclusively {
            let desktop = try PrivateDesktop(hasWindowManager: true)
            let watcher = try ScreenWatcher(display: desktop.display)
            let player = try RunningPlayer(
                "count30.mp4", options: ["--loop-file", "--ao=null"], environment: desktop.environment)
            try player.enterPictureInPicture()
            try watcher.waitForFrame(in: .pictureInPicture)
            let other = try RunningPlayer(
                "tall.mp4", options: ["--fs", "--pause", "--ao=null", "--title=other"],
                environment: desktop.environment)
            let otherWindow = try watcher.waitForWindow(.title("other"))
            let area = try waitForArea(watcher, "in its corner", in: .pictureInPicture) { $0.width == 480 }
            func waitUntilUncovered(_ situation: String) throws {
                let isUncovered = Deadline.poll(for: .seconds(10)) { () -> Bool? in
                    guard let window = watcher.window(.pictureInPicture) else { return nil }
                    return watcher.connection.isCovered(window.id, in: area) ? nil : true
                }
                #expect(isUncovered == true, "\(situation)")
            }
            let isTransient = Deadline.poll(for: .seconds(10)) { () -> Bool? in
                let parent = watcher.window(.pictureInPicture).map {
                    watcher.connection.propertyNumbers("WM_TRANSIENT_FOR", of: $0.id)
                }
                return parent == [otherWindow.id] ? true : nil
            }
            #expect(isTransient == true)
            try waitUntilUncovered("above the full-screen window")
            try xdotool(desktop, "windowminimize", "\(otherWindow.id)")
            try watcher.waitForNoWindow(.title("other"))
            try waitUntilUncovered("after the full-screen window is minimised")
            try watcher.waitForFrame(in: .pictureInPicture)
            try other.quit()
            try player.quit()
        }
    }

    @Test("a player in a window of another program fills it, receives input, and exits with it")
    func aPlayerPlaysInAWindowOfAnotherProgram() async throws {
        try await TestEnvironment.runExclusively {
            let watcher = try ScreenWatcher()
            let parent = try ForeignWindow(Window.Area(x: 100, y: 120, width: 640, height: 360))
            let player = try RunningPlayer(
                "count30.mp4", options: ["--loop-file", "--ao=null", "--wid=\(parent.id)"])
            try watcher.waitForFrame(in: .player) { $0 > 3 }
            #expect(
                try watcher.waitForWindow(.player).area == Window.Area(x: 100, y: 120, width: 640, height: 360))
            parent.resize(width: 800, height: 450)
            let area = try waitForArea(watcher, "as large as its parent") { $0.width == 800 && $0.height == 450 }
            try Pointer.move(to: area, x: 0.5, y: 0.3)
            watcher.connection.letFocusFollowPointer()
            watcher.connection.press(65)
            try player.ipc.waitForProperty("pause") { $0 == true }
            try run("xdotool", ["click", "3"])
            try player.ipc.waitForProperty("pause") { $0 == false }
            parent.destroy()
            #expect(try player.child.waitForExit().reason == .exited(0))
        }
    }

    @Test("a window that does not exist is reported")
    func aMissingParentIsReported() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("count30.mp4", options: ["--ao=null", "--wid=0x7fffff1"])
            #expect(try player.child.waitForExit().reason == .exited(1))
            #expect(player.child.errors.text.contains("no window with the ID"), "\(player.child.errors.text)")
        }
    }
}
