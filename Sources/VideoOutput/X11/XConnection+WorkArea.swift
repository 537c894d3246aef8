import CXCB
import Glibc
import SharedFrames
import SystemCalls

extension XConnection {
    /// The part of the pointer's monitor that panels leave free on the current workspace (`_NET_WORKAREA`); without a
    /// window manager, the whole monitor. Asks the server.
    func workArea(isManaged: Bool) -> PixelRect {
        let monitors = monitors
        let whole = PixelRect(x: 0, y: 0, width: screenSize.width, height: screenSize.height)
        let monitor =
            pointerPosition.flatMap { at in
                monitors.first { $0.contains(x: at.x, y: at.y) }
            } ?? monitors.first ?? whole
        guard isManaged else { return monitor }
        let areas = workAreas, desktop = currentDesktop
        // A list that is shorter than the number of workspaces names the same area for all.
        guard let area = areas.indices.contains(desktop) ? areas[desktop] : areas.first else { return monitor }
        let x = max(monitor.x, area.x), y = max(monitor.y, area.y)
        let width = min(monitor.x + monitor.width, area.x + area.width) - x
        let height = min(monitor.y + monitor.height, area.y + area.height) - y
        return width > 0 && height > 0 ? PixelRect(x: x, y: y, width: width, height: height) : monitor
    }

    /// One area for each workspace; empty where the window manager names none.
    private var workAreas: [PixelRect] {
        var areas = xcb_ewmh_get_workarea_reply_t()
        let reply = rootProperty(atoms.workArea)
        // On success the structure owns the reply.
        guard reply != nil, xcb_ewmh_get_workarea_from_reply(&areas, reply) != 0 else {
            free(reply)
            return []
        }
        defer { xcb_ewmh_get_workarea_reply_wipe(&areas) }
        // EWMH has coordinates as unsigned numbers; window managers write negative ones, too.
        return UnsafeBufferPointer(start: areas.workarea, count: Int(areas.workarea_len)).map { area in
            func signed(_ number: UInt32) -> Int { Int(Int32(bitPattern: number)) }
            return PixelRect(
                x: signed(area.x), y: signed(area.y), width: signed(area.width), height: signed(area.height))
        }
    }

    private var currentDesktop: Int { Int(words(of: rootProperty(atoms.currentDesktop)).first ?? 0) }

    private func rootProperty(_ property: xcb_atom_t) -> UnsafeMutablePointer<xcb_get_property_reply_t>? {
        xcb_get_property_reply(pointer, xcb_get_property(pointer, 0, root, property, 0, 0, 256), nil)
    }

    private var pointerPosition: (x: Int, y: Int)? {
        guard let reply = xcb_query_pointer_reply(pointer, xcb_query_pointer(pointer, root), nil) else { return nil }
        defer { free(reply) }
        return reply.pointee.same_screen == 0 ? nil : (Int(reply.pointee.root_x), Int(reply.pointee.root_y))
    }
}

extension XWindow {
    /// Returns the window manager's own estimate of what it will put around the window (EWMH), before the window is
    /// mapped. Zero where the window manager does not support the request or does not answer within a quarter of a
    /// second.
    func estimateDecorations() -> WindowDecorations {
        let atoms = connection.atoms
        guard words(atoms.supported, ofRoot: true, limit: 1024).contains(atoms.requestFrameExtents) else {
            return WindowDecorations()
        }
        ask(atoms.requestFrameExtents, (0, 0, 0, 0, 0))
        let deadline = MonotonicTime.now + 250_000_000
        repeat {
            let extents = words(atoms.frameExtents).map { Int($0) }
            if extents.count == 4 {
                return WindowDecorations(left: extents[0], right: extents[1], top: extents[2], bottom: extents[3])
            }
        } while waitForChange(of: atoms.frameExtents, until: deadline)
        return WindowDecorations()
    }

    /// Waits until a property of the window changes. Takes all events meanwhile: only before the event thread runs.
    ///
    /// - Returns: false when the deadline came first, or the server has gone.
    private func waitForChange(of property: xcb_atom_t, until deadline: Int64) -> Bool {
        while !connection.isBroken {
            while let event = xcb_poll_for_event(connection.pointer) {
                defer { free(event) }
                guard Int32(event.pointee.response_type & 0x7f) == XCB_PROPERTY_NOTIFY else { continue }
                let isMeant = event.withMemoryRebound(to: xcb_property_notify_event_t.self, capacity: 1) {
                    $0.pointee.window == id && $0.pointee.atom == property
                }
                if isMeant { return true }
            }
            guard (try? Poll.waitReadable(connection.descriptor, until: deadline)) == true else { return false }
        }
        return false
    }
}

/// The widths of a window's decorations, in pixels.
struct WindowDecorations: Equatable, Sendable {
    var left = 0
    var right = 0
    var top = 0
    var bottom = 0

    /// Larger than what any window manager is known to put at one side.
    static let generous = WindowDecorations(left: 64, right: 64, top: 128, bottom: 64)

    /// Where the inside of a window may lie whose decorations are to stay within `area`.
    func inside(of area: PixelRect) -> PixelRect {
        PixelRect(
            x: area.x + left, y: area.y + top, width: max(1, area.width - left - right),
            height: max(1, area.height - top - bottom))
    }
}
