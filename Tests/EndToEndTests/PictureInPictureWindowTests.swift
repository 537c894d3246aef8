import CXCB
import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Tests the window properties that are set before the floating window is mapped, and how the user moves and controls
/// the window.
@Suite("Picture-in-Picture: window")
struct PictureInPictureWindowTests {
    @Test("all properties that window manager rules match are set before the window is mapped")
    func propertiesAreSetBeforeMapping() async throws {
        try await TestEnvironment.runExclusively {
            let manager = try MinimalWindowManager(), watcher = try ScreenWatcher()
            let player = try RunningPlayer("count30.mp4", options: ["--pip"])
            var requestedWindow: Window?
            while requestedWindow == nil {
                let id = try manager.nextMapRequest()
                if let window = watcher.connection.window(id), window.instanceName == "swiftplay-pip" {
                    requestedWindow = window
                } else {
                    manager.mapWindow(id)
                }
            }
            let window = try #require(requestedWindow)
            #expect(!window.isViewable && !window.isUnmanaged)
            #expect(window.className == "swiftplay")
            #expect(window.title == "Picture-in-Picture")
            let connection = watcher.connection
            #expect(connection.propertyAtoms("_NET_WM_WINDOW_TYPE", of: window.id) == ["_NET_WM_WINDOW_TYPE_UTILITY"])
            #expect(
                Set(connection.propertyAtoms("_NET_WM_STATE", of: window.id)) == [
                    "_NET_WM_STATE_ABOVE", "_NET_WM_STATE_STICKY", "_NET_WM_STATE_SKIP_TASKBAR",
                    "_NET_WM_STATE_SKIP_PAGER",
                ])
            #expect(connection.propertyAtoms("WM_PROTOCOLS", of: window.id).contains("WM_DELETE_WINDOW"))
            #expect(connection.propertyNumbers("_NET_WM_PID", of: window.id) == [UInt32(try player.compositorPID())])
            #expect(window.area.width * 9 == window.area.height * 16, "\(window.area)")

            manager.mapWindow(window.id)
            try watcher.waitForFrame(in: .pictureInPicture) { $0 >= 10 }
            #expect(try watcher.waitForWindow(.pictureInPicture).area == window.area)
            try player.quit()
        }
    }

    /// Waits until exactly one floating window exists and `condition` returns true for its area, and returns the area.
    private func waitForWindowArea(
        _ watcher: ScreenWatcher, _ expectedState: String, _ condition: (Window.Area) -> Bool
    ) throws -> Window.Area {
        var lastArea: Window.Area?
        let area: Window.Area? = Deadline.poll(for: .seconds(20)) {
            // During an animation a second floating window exists, which does not receive pointer events.
            let windows = watcher.connection.windows().filter { $0.instanceName == "swiftplay-pip" && $0.isViewable }
            guard windows.count == 1, let window = windows.first, !window.isUnmanaged else { return nil }
            lastArea = window.area
            return lastArea.flatMap { condition($0) ? $0 : nil }
        }
        guard let area else {
            throw TestFailure("the window is not \(expectedState); its area is \(String(describing: lastArea))")
        }
        return area
    }

    @Test("a flick, the wheel, a double click and a corner drag place the window, which reopens at the same place")
    func gesturesMoveAndResizeTheWindow() async throws {
        try await TestEnvironment.runExclusively {
            let watcher = try ScreenWatcher(), directory = try RuntimeDirectory()
            let player = try RunningPlayer(
                "count30.mp4", options: ["--geometry=800x450+50+60", "--loop-file"], directory: directory)
            try player.enterPictureInPicture()
            let initialArea = try waitForWindowArea(watcher, "in the lower right") { $0.x == 1416 && $0.y == 786 }
            #expect(initialArea.width == 480 && initialArea.height == 270)
            try Pointer.move(to: initialArea, x: 0.3, y: 0.75)
            try run("xdotool", ["click", "4"])
            let largerArea = try waitForWindowArea(watcher, "larger") { $0.width == 528 && $0.x == 1368 && $0.y == 759 }
            // Flick the window to the left: press, move in ten steps, release.
            let (x, y) = (largerArea.x + 150, largerArea.y + 220)
            var steps = ["mousemove", "\(x)", "\(y)", "mousedown", "1"]
            for step in 1...10 { steps += ["mousemove", "\(x - step * 60)", "\(y)"] }
            try run("xdotool", steps + ["mouseup", "1"])
            let leftArea = try waitForWindowArea(watcher, "in the lower left") { $0.x == 24 && $0.y == 759 }
            try Pointer.move(to: leftArea, x: 0.3, y: 0.75)
            try run("xdotool", ["click", "--repeat", "2", "--delay", "50", "1"])
            let resizedArea = try waitForWindowArea(watcher, "the next size") { $0.width == 640 && $0.x == 24 }
            // Drag the upper right corner of the window to make the window smaller.
            try run(
                "xdotool",
                [
                    "mousemove", "\(resizedArea.x + resizedArea.width - 2)", "\(resizedArea.y + 2)", "mousedown", "1",
                    "mousemove", "\(resizedArea.x + resizedArea.width - 162)", "\(resizedArea.y + 92)", "mouseup", "1",
                ])
            let smallArea = try waitForWindowArea(watcher, "small again") {
                $0.width == 480 && $0.x == 24 && $0.y + $0.height == 1056
            }
            try player.leavePictureInPicture()
            try player.enterPictureInPicture()
            let reopenedArea = try waitForWindowArea(watcher, "where it was") {
                $0.x == smallArea.x && $0.y == smallArea.y
            }
            #expect(reopenedArea.width == smallArea.width)
            try Pointer.moveAway()
            try watcher.waitForFrame(in: .pictureInPicture) { $0 >= 10 }
            try player.quit()
        }
    }

    @Test("dragging the progress bar seeks, and the skip button skips 10 s")
    func progressBarSeeksAndButtonSkips() async throws {
        try await TestEnvironment.runExclusively {
            let watcher = try ScreenWatcher()
            let player = try RunningPlayer("count30.mp4", options: ["--pause"])
            try player.enterPictureInPicture()
            let area = try waitForWindowArea(watcher, "in the lower right") { $0.x == 1416 && $0.y == 786 }
            try Pointer.move(to: area, x: 0.3, y: 0.7)
            try Pointer.move(to: area, x: 0.5, y: 0.945)
            try run("xdotool", ["mousedown", "1"])
            try player.ipc.waitForProperty("time-pos") { abs(($0.number ?? 0) - 10) < 0.3 }
            try Pointer.move(to: area, x: 0.75, y: 0.5)
            try run("xdotool", ["mouseup", "1"])
            try player.ipc.waitForProperty("time-pos") { abs(($0.number ?? 0) - 15) < 0.4 }
            // Click the button that skips 10 s back.
            try Pointer.move(to: area, x: 0.5 - 0.168, y: 0.5)
            try run("xdotool", ["click", "1"])
            try player.ipc.waitForProperty("time-pos") { abs(($0.number ?? 0) - 5) < 0.4 }
            try player.quit()
        }
    }

    @Test("the button and keys mute; the keys also skip, play and return the picture")
    func keysControlThePlayer() async throws {
        try await TestEnvironment.runExclusively {
            let watcher = try ScreenWatcher()
            let player = try RunningPlayer("count30.mp4", options: ["--pause"])
            try player.enterPictureInPicture()
            let area = try waitForWindowArea(watcher, "in the lower right") { $0.x == 1416 && $0.y == 786 }
            try Pointer.move(to: area, x: 0.3, y: 0.65)
            try Pointer.move(to: area, x: 0.072, y: 0.797)
            try run("xdotool", ["click", "1"])
            try player.ipc.waitForProperty("mute") { $0 == true }
            try run("xdotool", ["click", "1"])
            try player.ipc.waitForProperty("mute") { $0 == false }
            // Without a window manager, the X server sends keys to the window under the pointer.
            watcher.connection.letFocusFollowPointer()
            try run("xdotool", ["key", "m"])
            try player.ipc.waitForProperty("mute") { $0 == true }
            try run("xdotool", ["key", "Right"])
            try player.ipc.waitForProperty("time-pos") { abs(($0.number ?? 0) - 5) < 0.4 }
            try run("xdotool", ["key", "space"])
            try player.ipc.waitForProperty("pause") { $0 == false }
            try run("xdotool", ["key", "p"])
            try watcher.waitForNoWindow(.pictureInPicture)
            try player.quit()
        }
    }

    @Test("while Control is held, the window under the pointer is transparent")
    func controlKeyMakesTheWindowTransparent() async throws {
        try await TestEnvironment.runExclusively {
            let watcher = try ScreenWatcher()
            let player = try RunningPlayer("count30.mp4", options: ["--loop-file"])
            try player.enterPictureInPicture()
            let area = try waitForWindowArea(watcher, "in the lower right") { $0.x == 1416 && $0.y == 786 }
            try Pointer.move(to: area, x: 0.3, y: 0.75)
            defer { _ = try? run("xdotool", ["keyup", "ctrl"]) }
            try run("xdotool", ["keydown", "ctrl"])
            let point = (x: area.x + area.width / 4, y: area.y + area.height / 4)
            let background = try #require(watcher.connection.color(x: area.x - 10, y: area.y - 10))
            let isTransparent = Deadline.poll(for: .seconds(10)) {
                watcher.connection.color(x: point.x, y: point.y) == background ? true : nil
            }
            #expect(isTransparent == true)
            try run("xdotool", ["keyup", "ctrl"])
            let isOpaque = Deadline.poll(for: .seconds(10)) {
                watcher.connection.color(x: point.x, y: point.y) != background ? true : nil
            }
            #expect(isOpaque == true)
            try player.quit()
        }
    }
}

/// A minimal window manager. It receives the requests of programs to map windows, and the test decides when a window is
/// mapped. Not thread-safe.
final class MinimalWindowManager {
    /// The pointer to the connection object of libxcb.
    private let raw: OpaquePointer

    init() throws(TestFailure) {
        guard let raw = xcb_connect(nil, nil), xcb_connection_has_error(raw) == 0, let setup = xcb_get_setup(raw) else {
            throw TestFailure("no X server: run scripts/test")
        }
        self.raw = raw
        let root = xcb_setup_roots_iterator(setup).data.pointee.root
        let cookie = xcb_change_window_attributes_checked(
            raw, root, XCB_CW_EVENT_MASK.rawValue, [XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT.rawValue])
        if let error = xcb_request_check(raw, cookie) {
            free(error)
            throw TestFailure("a window manager is running: this test needs an X server without one")
        }
    }

    deinit { xcb_disconnect(raw) }

    /// Waits for the next request to map a window and returns the identifier of the window. Grants requests to
    /// configure windows in the meantime.
    func nextMapRequest(within timeout: Duration = .seconds(10)) throws(TestFailure) -> UInt32 {
        let window = Deadline.poll(for: timeout) { () -> UInt32? in
            while let event = xcb_poll_for_event(raw) {
                defer { free(event) }
                switch Int32(event.pointee.response_type & 0x7f) {
                case XCB_MAP_REQUEST:
                    return event.withMemoryRebound(to: xcb_map_request_event_t.self, capacity: 1) { $0.pointee.window }
                case XCB_CONFIGURE_REQUEST:
                    event.withMemoryRebound(to: xcb_configure_request_event_t.self, capacity: 1) {
                        grantConfigureRequest($0.pointee)
                    }
                default: break
                }
            }
            return nil
        }
        guard let window else { throw TestFailure("no window requested to be mapped within \(timeout)") }
        return window
    }

    /// Maps a window, as a window manager does after a map request.
    func mapWindow(_ window: UInt32) {
        xcb_map_window(raw, window)
        xcb_flush(raw)
    }

    /// Sets the position, size and other properties of a window exactly as a program requested.
    private func grantConfigureRequest(_ request: xcb_configure_request_event_t) {
        let values: [(xcb_config_window_t, UInt32)] = [
            (XCB_CONFIG_WINDOW_X, UInt32(bitPattern: Int32(request.x))),
            (XCB_CONFIG_WINDOW_Y, UInt32(bitPattern: Int32(request.y))),
            (XCB_CONFIG_WINDOW_WIDTH, UInt32(request.width)), (XCB_CONFIG_WINDOW_HEIGHT, UInt32(request.height)),
        ]
        let requestedValues = values.filter { UInt32(request.value_mask) & $0.0.rawValue != 0 }
        let mask = requestedValues.reduce(0) { $0 | $1.0.rawValue }
        xcb_configure_window(raw, request.window, UInt16(mask), requestedValues.map { $0.1 })
        xcb_flush(raw)
    }
}
