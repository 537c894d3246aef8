import CXCB
import Glibc
import SharedFrames
import SystemCalls

extension XConnection {
    /// The monitor that contains the pointer, or else the primary monitor. Waits for the server.
    var pointerMonitor: PixelRect {
        let monitors = monitors
        return pointerPosition.flatMap { position in
            monitors.first { $0.contains(x: position.x, y: position.y) }
        } ?? monitors.first ?? PixelRect(x: 0, y: 0, width: screenSize.width, height: screenSize.height)
    }

    /// Returns the part of a monitor that panels leave free on the current workspace (`_NET_WORKAREA`), or the whole
    /// monitor if no window manager is running. Waits for the server.
    func workArea(of monitor: PixelRect, isManaged: Bool) -> PixelRect {
        guard isManaged else { return monitor }
        let areas = workAreas, desktop = currentDesktop
        // If the list has fewer areas than there are workspaces, its first area applies to all workspaces.
        guard let area = areas.indices.contains(desktop) ? areas[desktop] : areas.first else { return monitor }
        let x = max(monitor.x, area.x), y = max(monitor.y, area.y)
        let width = min(monitor.x + monitor.width, area.x + area.width) - x
        let height = min(monitor.y + monitor.height, area.y + area.height) - y
        return width > 0 && height > 0 ? PixelRect(x: x, y: y, width: width, height: height) : monitor
    }

    /// The work area (`_NET_WORKAREA`) of each workspace; empty if the window manager does not publish it.
    private var workAreas: [PixelRect] {
        var areas = xcb_ewmh_get_workarea_reply_t()
        let reply = rootProperty(atoms.workArea)
        // On success the structure `areas` owns the reply.
        guard reply != nil, xcb_ewmh_get_workarea_from_reply(&areas, reply) != 0 else {
            free(reply)
            return []
        }
        defer { xcb_ewmh_get_workarea_reply_wipe(&areas) }
        // EWMH defines the coordinates as unsigned, but window managers also write negative values.
        return UnsafeBufferPointer(start: areas.workarea, count: Int(areas.workarea_len)).map { area in
            func signed(_ number: UInt32) -> Int { Int(Int32(bitPattern: number)) }
            return PixelRect(
                x: signed(area.x), y: signed(area.y), width: signed(area.width), height: signed(area.height))
        }
    }

    /// The number of the current workspace.
    private var currentDesktop: Int { Int(words(of: rootProperty(atoms.currentDesktop)).first ?? 0) }

    /// Returns the server's reply about a property of the root window; the caller frees it.
    private func rootProperty(_ property: xcb_atom_t) -> UnsafeMutablePointer<xcb_get_property_reply_t>? {
        xcb_get_property_reply(pointer, xcb_get_property(pointer, 0, root, property, 0, 0, 256), nil)
    }

    /// The pointer's position on the screen; nil if the pointer is on another screen.
    private var pointerPosition: (x: Int, y: Int)? {
        guard let reply = xcb_query_pointer_reply(pointer, xcb_query_pointer(pointer, root), nil) else { return nil }
        defer { free(reply) }
        return reply.pointee.same_screen == 0 ? nil : (Int(reply.pointee.root_x), Int(reply.pointee.root_y))
    }
}

extension XWindow {
    /// Returns the window manager's estimate of the window's decorations (EWMH `_NET_REQUEST_FRAME_EXTENTS`). Call it
    /// before the window is mapped.
    ///
    /// - Returns: Decorations without width if the window manager does not support the request, or does not reply
    ///   within 250 ms.
    func estimateDecorations() -> WindowDecorations {
        let atoms = connection.atoms
        guard propertyWords(atoms.netSupported, ofRoot: true, limit: 1024).contains(atoms.requestFrameExtents) else {
            return WindowDecorations()
        }
        sendRootMessage(atoms.requestFrameExtents, (0, 0, 0, 0, 0))
        let deadline = MonotonicTime.now + 250_000_000
        repeat {
            if let decorations { return decorations }
        } while waitForChange(of: atoms.frameExtents, until: deadline)
        return WindowDecorations()
    }

    /// The window's decorations according to the window manager (EWMH `_NET_FRAME_EXTENTS`); nil if it has not set
    /// them. Waits for the server.
    var decorations: WindowDecorations? {
        let extents = propertyWords(connection.atoms.frameExtents).map { Int($0) }
        guard extents.count == 4 else { return nil }
        return WindowDecorations(left: extents[0], right: extents[1], top: extents[2], bottom: extents[3])
    }

    /// Waits until a property of the window changes. Discards all other events, so call this method only before the
    /// event thread runs.
    ///
    /// - Returns: Whether the property has changed; false at the deadline, or if the connection has failed.
    private func waitForChange(of property: xcb_atom_t, until deadline: Int64) -> Bool {
        while !connection.isBroken {
            while let event = xcb_poll_for_event(connection.pointer) {
                defer { free(event) }
                guard Int32(event.pointee.response_type & 0x7f) == XCB_PROPERTY_NOTIFY else { continue }
                let isRequestedChange = event.withMemoryRebound(to: xcb_property_notify_event_t.self, capacity: 1) {
                    $0.pointee.window == id && $0.pointee.atom == property
                }
                if isRequestedChange { return true }
            }
            guard (try? Poll.waitReadable(connection.descriptor, until: deadline)) == true else { return false }
        }
        return false
    }
}

/// The widths of the frame and title bar that a window manager adds to a window, in pixels.
struct WindowDecorations: Equatable, Sendable {
    var left = 0
    var right = 0
    var top = 0
    var bottom = 0

    /// Decorations that are larger than the decorations of every known window manager.
    static let largest = WindowDecorations(left: 64, right: 64, top: 128, bottom: 64)

    /// Returns the area for the inside of a window whose decorations must stay within `area`.
    func clientArea(within area: PixelRect) -> PixelRect {
        PixelRect(
            x: area.x + left, y: area.y + top, width: max(1, area.width - left - right),
            height: max(1, area.height - top - bottom))
    }
}
