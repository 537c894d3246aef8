import CXCB
import Foundation
import Glibc

/// A private X server with a screen of 1920x1080 pixels, and optionally the window manager openbox. Both processes exit
/// when this object is deinitialised.
package final class PrivateDesktop {
    /// The name of the X display, such as `:1`.
    package let display: String
    private let server: ChildProcess
    /// The openbox process; nil if the desktop has no window manager.
    private let windowManager: ChildProcess?
    private let connection: XConnection

    /// Starts the desktop.
    ///
    /// - Parameter monitors: the areas of the monitors, the primary one first; empty for one monitor.
    package init(hasWindowManager: Bool, monitors: [Window.Area] = []) throws {
        let server = try ChildProcess(
            Products.systemProgram("Xvfb"),
            ["-displayfd", "1", "-screen", "0", "1920x1080x24", "-nolisten", "tcp", "-noreset"])
        guard server.output.wait(for: "\n", within: .seconds(20)) else {
            throw TestFailure("no X server: \(server.errors.text)")
        }
        let display = ":" + server.output.text.trimmingCharacters(in: .whitespacesAndNewlines)
        let connection = try XConnection(display: display)
        try Self.setMonitors(monitors, display)
        var manager: ChildProcess?
        if hasWindowManager {
            let process = try ChildProcess(Products.systemProgram("openbox"), environment: ["DISPLAY": display])
            let isReady = Deadline.poll(for: .seconds(20)) {
                connection.propertyNumbers("_NET_SUPPORTING_WM_CHECK", of: connection.root).isEmpty ? nil : true
            }
            guard isReady != nil, Self.waitUntilWindowsAreManaged(connection) else {
                throw TestFailure("no window manager: \(process.errors.text)")
            }
            manager = process
        }
        (self.display, self.server, self.windowManager, self.connection) = (display, server, manager, connection)
    }

    /// Waits until the window manager manages new windows: openbox ignores windows that are mapped while it starts.
    ///
    /// - Returns: Whether it does so within the time limit.
    private static func waitUntilWindowsAreManaged(_ connection: XConnection) -> Bool {
        let raw = connection.raw, id = xcb_generate_id(raw)
        xcb_create_window(
            raw, 0, id, connection.root, 0, 0, 1, 1, 0, UInt16(XCB_WINDOW_CLASS_INPUT_OUTPUT.rawValue), 0, 0, nil)
        defer {
            xcb_destroy_window(raw, id)
            xcb_flush(raw)
        }
        for _ in 0..<100 {
            xcb_map_window(raw, id)
            xcb_flush(raw)
            // A window manager sets this property of each window that it manages (ICCCM 4.1.3.1).
            let isManaged = Deadline.poll(for: .milliseconds(200)) {
                connection.propertyNumbers("WM_STATE", of: id).isEmpty ? nil : true
            }
            if isManaged == true { return true }
            xcb_unmap_window(raw, id)
        }
        return false
    }

    /// Divides the screen into monitors, the first of which becomes the primary one; none keeps the single monitor.
    private static func setMonitors(_ areas: [Window.Area], _ display: String) throws {
        for (index, area) in areas.enumerated() {
            // The first monitor contains the server's only output, so that the server's own monitor disappears.
            try run(
                "xrandr",
                [
                    "--setmonitor", index == 0 ? "*first" : "monitor\(index)",
                    "\(area.width)/300x\(area.height)/300+\(area.x)+\(area.y)", index == 0 ? "screen" : "none",
                ], environment: ["DISPLAY": display])
        }
    }

    deinit {
        // Wait for both processes, so that no process outlives the test.
        windowManager?.signal(SIGTERM)
        _ = try? windowManager?.waitForExit()
        server.signal(SIGTERM)
        _ = try? server.waitForExit()
    }

    /// The environment variable that makes a program use this X display.
    package var environment: [String: String?] { ["DISPLAY": display] }

    /// The process identifier of the X server.
    package var serverPID: Int32 { server.pid }

    /// Adds a panel that reserves a strip at the lower edge of the screen until the X server exits. Returns when the
    /// window manager has shrunk the work area (`_NET_WORKAREA`).
    ///
    /// - Parameter height: the height of the panel, in pixels.
    /// - Throws: ``TestFailure`` if the window manager does not shrink the work area.
    package func addPanel(height: Int) throws {
        let raw = connection.raw, id = xcb_generate_id(raw)
        let top = connection.height - height
        xcb_create_window(
            raw, 0, id, connection.root, 0, Int16(top), UInt16(connection.width), UInt16(height), 0,
            UInt16(XCB_WINDOW_CLASS_INPUT_OUTPUT.rawValue), 0, 0, nil)
        connection.setAtoms("_NET_WM_WINDOW_TYPE", of: id, to: ["_NET_WM_WINDOW_TYPE_DOCK"])
        let strut: [UInt32] = [0, 0, 0, UInt32(height), 0, 0, 0, 0, 0, 0, 0, UInt32(connection.width - 1)]
        xcb_change_property(
            raw, UInt8(XCB_PROP_MODE_REPLACE.rawValue), id, connection.atom("_NET_WM_STRUT_PARTIAL"),
            XCB_ATOM_CARDINAL.rawValue,
            32, UInt32(strut.count), strut)
        xcb_map_window(raw, id)
        xcb_flush(raw)
        let isReserved = Deadline.poll(for: .seconds(10)) {
            let workArea = connection.propertyNumbers("_NET_WORKAREA", of: connection.root)
            return workArea.dropFirst(3).first == UInt32(top) ? true : nil
        }
        guard isReserved != nil else { throw TestFailure("the window manager does not reserve space for the panel") }
    }

    /// Returns the screen area of a window including its decorations.
    package func frame(of window: Window) -> Window.Area {
        let extents = connection.propertyNumbers("_NET_FRAME_EXTENTS", of: window.id).map { Int($0) }
        guard extents.count == 4 else { return window.area }
        let (left, right, top, bottom) = (extents[0], extents[1], extents[2], extents[3])
        return Window.Area(
            x: window.area.x - left, y: window.area.y - top, width: window.area.width + left + right,
            height: window.area.height + top + bottom)
    }
}
