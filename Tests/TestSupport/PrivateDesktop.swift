import CXCB
import Foundation
import Glibc

/// An X server of the test's own, 1920x1080, with openbox if wanted. Both end with this object.
package final class PrivateDesktop {
    package let display: String
    private let server: ChildProcess
    private let manager: ChildProcess?
    private let connection: XConnection

    package init(hasWindowManager: Bool) throws {
        let server = try ChildProcess(
            Products.system("Xvfb"),
            ["-displayfd", "1", "-screen", "0", "1920x1080x24", "-nolisten", "tcp", "-noreset"])
        guard server.output.wait(for: "\n", within: .seconds(20)) else {
            throw RigError("no X server: \(server.errors.text)")
        }
        let display = ":" + server.output.text.trimmingCharacters(in: .whitespacesAndNewlines)
        let connection = try XConnection(display: display)
        var manager: ChildProcess?
        if hasWindowManager {
            let started = try ChildProcess(Products.system("openbox"), environment: ["DISPLAY": display])
            let isUp = Deadline.poll(for: .seconds(20)) {
                connection.numbers("_NET_SUPPORTING_WM_CHECK", of: connection.root).isEmpty ? nil : true
            }
            guard isUp != nil else { throw RigError("no window manager: \(started.errors.text)") }
            manager = started
        }
        (self.display, self.server, self.manager, self.connection) = (display, server, manager, connection)
    }

    deinit {
        // Exits before the screen's memory goes; waited for, so that no process of a test is left.
        manager?.signal(SIGTERM)
        _ = try? manager?.waitForExit()
        server.signal(SIGTERM)
        _ = try? server.waitForExit()
    }

    /// For a program that is to be on this display.
    package var environment: [String: String?] { ["DISPLAY": display] }

    /// The process of the X server.
    package var serverPID: Int32 { server.pid }

    /// Keeps a strip at the lower edge free, as a panel does, until the desktop ends; returns when the work area has
    /// changed.
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
        // Mapped again until the window manager has it: openbox misses windows that are mapped while it starts.
        let isKept = Deadline.poll(for: .seconds(10), every: .milliseconds(200)) { () -> Bool? in
            if connection.numbers("_NET_WORKAREA", of: connection.root).dropFirst(3).first == UInt32(top) {
                return true
            }
            xcb_unmap_window(raw, id)
            xcb_map_window(raw, id)
            xcb_flush(raw)
            return nil
        }
        guard isKept != nil else { throw RigError("the window manager keeps no room for the panel") }
    }

    /// A window with its decorations, on the screen.
    package func frame(of window: Window) -> Window.Area {
        let extents = connection.numbers("_NET_FRAME_EXTENTS", of: window.id).map { Int($0) }
        guard extents.count == 4 else { return window.area }
        let (left, right, top, bottom) = (extents[0], extents[1], extents[2], extents[3])
        return Window.Area(
            x: window.area.x - left, y: window.area.y - top, width: window.area.width + left + right,
            height: window.area.height + top + bottom)
    }
}
