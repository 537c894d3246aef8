import CXCB
import Glibc
import SharedFrames

extension XConnection {
    /// The rectangles of the monitors that make up the X screen, the primary monitor first. If the server does not
    /// report monitors, the array contains the whole screen.
    ///
    /// Waits for the server.
    package var monitors: [PixelRect] {
        reportedMonitors.sorted { $0.isPrimary && !$1.isPrimary }.map(\.rect)
    }

    /// The monitors in the order in which the server reports them (RandR 1.5), which is the order of the numbers in
    /// `_NET_WM_FULLSCREEN_MONITORS`. Waits for the server.
    var reportedMonitors: [(isPrimary: Bool, rect: PixelRect)] {
        let wholeScreen = (
            isPrimary: true, rect: PixelRect(x: 0, y: 0, width: screenSize.width, height: screenSize.height)
        )
        guard let data = xcb_get_extension_data(pointer, cxcb_randr_extension()), data.pointee.present != 0,
            let reply = xcb_randr_get_monitors_reply(pointer, xcb_randr_get_monitors(pointer, root, 1), nil)
        else { return [wholeScreen] }
        defer { free(reply) }
        var reported: [(isPrimary: Bool, rect: PixelRect)] = []
        var iterator = xcb_randr_get_monitors_monitors_iterator(reply)
        while iterator.rem > 0, let monitor = iterator.data?.pointee {
            let rect = PixelRect(
                x: Int(monitor.x), y: Int(monitor.y), width: Int(monitor.width), height: Int(monitor.height))
            if rect.width > 0, rect.height > 0 { reported.append((monitor.primary != 0, rect)) }
            xcb_randr_monitor_info_next(&iterator)
        }
        return reported.isEmpty ? [wholeScreen] : reported
    }

    /// Requests the root window's events: changed properties such as the current workspace, starts of compositing
    /// managers (their `MANAGER` message, ICCCM 2.8), and changes of top-level windows.
    func watchRoot() { xcb_change_window_attributes(pointer, root, XCB_CW_EVENT_MASK.rawValue, [cxcb_root_events]) }

    /// Whether a compositing manager draws the screen, so that windows can be translucent. Such a manager owns the
    /// selection `_NET_WM_CM_Sn` (EWMH). Waits for the server.
    package var isComposited: Bool {
        let name = "_NET_WM_CM_S\(screenNumber)"
        guard let atom = xcb_intern_atom_reply(pointer, xcb_intern_atom(pointer, 1, UInt16(name.utf8.count), name), nil)
        else { return false }
        defer { free(atom) }
        guard atom.pointee.atom != 0,
            let owner = xcb_get_selection_owner_reply(pointer, xcb_get_selection_owner(pointer, atom.pointee.atom), nil)
        else { return false }
        defer { free(owner) }
        return owner.pointee.owner != 0
    }

    /// Requests events for added, removed and changed monitors.
    package func watchMonitors() {
        guard let data = xcb_get_extension_data(pointer, cxcb_randr_extension()), data.pointee.present != 0 else {
            return
        }
        xcb_randr_select_input(pointer, root, UInt16(XCB_RANDR_NOTIFY_MASK_SCREEN_CHANGE.rawValue))
        flush()
    }

    /// Returns whether an event reports that monitors changed.
    package func isMonitorChange(_ event: UnsafeMutablePointer<xcb_generic_event_t>) -> Bool {
        guard let data = xcb_get_extension_data(pointer, cxcb_randr_extension()), data.pointee.present != 0 else {
            return false
        }
        return event.pointee.response_type & 0x7f == data.pointee.first_event &+ UInt8(XCB_RANDR_SCREEN_CHANGE_NOTIFY)
    }
}
