import CXCB

/// The atoms that are used: those of EWMH from libxcb-ewmh, and the others by name. All are requested at once.
package struct XAtoms: Sendable {
    // ICCCM, and what it is written in.
    package let wmProtocols, utf8String, wmDeleteWindow, wmTakeFocus: xcb_atom_t
    // EWMH: the root window's properties.
    package let supported, supportingWMCheck, clientListStacking, currentDesktop, workArea: xcb_atom_t
    // EWMH: requests.
    package let activeWindow, requestFrameExtents, ping: xcb_atom_t
    // EWMH: a window's properties.
    package let netWMName, netWMState, windowType, processID, desktop, userTime, frameExtents: xcb_atom_t
    // EWMH: values of these.
    package let stateFullScreen, stateAbove, stateSticky, stateSkipTaskbar, stateSkipPager, stateHidden: xcb_atom_t
    package let typeUtility, typeNormal: xcb_atom_t
    // EWMH's additions that libxcb-ewmh does not know, Motif's, and our own.
    package let opacity, opaqueRegion, motifHints, wake: xcb_atom_t

    private static let otherNames = [
        "WM_DELETE_WINDOW", "WM_TAKE_FOCUS", "_NET_WM_WINDOW_OPACITY", "_NET_WM_OPAQUE_REGION", "_MOTIF_WM_HINTS",
        "SWIFTPLAY_WAKE",
    ]

    /// The requests, before their replies are read. Each is received exactly once.
    struct Pending {
        fileprivate var ewmh = xcb_ewmh_connection_t()
        fileprivate let ewmhCookies: UnsafeMutablePointer<xcb_intern_atom_cookie_t>?
        fileprivate let others: [xcb_intern_atom_cookie_t]

        fileprivate init(_ c: OpaquePointer) {
            ewmhCookies = xcb_ewmh_init_atoms(c, &ewmh)
            others = XAtoms.otherNames.map { xcb_intern_atom(c, 0, UInt16($0.utf8.count), $0) }
        }
    }

    static func request(_ c: OpaquePointer) -> Pending { Pending(c) }

    /// Waits for the replies. Atoms are 0 where the server is gone.
    static func receive(_ c: OpaquePointer, _ pending: Pending) -> XAtoms {
        var ewmh = pending.ewmh
        // Takes the cookies over. Where it fails, it has released what the structure holds.
        let hasAtoms = pending.ewmhCookies.map { xcb_ewmh_init_atoms_replies(&ewmh, $0, nil) != 0 } ?? false
        let others = pending.others.map { cookie -> xcb_atom_t in
            guard let reply = xcb_intern_atom_reply(c, cookie, nil) else { return 0 }
            defer { free(reply) }
            return reply.pointee.atom
        }
        defer { if hasAtoms { xcb_ewmh_connection_wipe(&ewmh) } }
        return XAtoms(hasAtoms ? ewmh : xcb_ewmh_connection_t(), others)
    }

    private init(_ ewmh: xcb_ewmh_connection_t, _ others: [xcb_atom_t]) {
        (wmProtocols, utf8String) = (ewmh.WM_PROTOCOLS, ewmh.UTF8_STRING)
        (wmDeleteWindow, wmTakeFocus) = (others[0], others[1])
        (supported, supportingWMCheck) = (ewmh._NET_SUPPORTED, ewmh._NET_SUPPORTING_WM_CHECK)
        (clientListStacking, currentDesktop) = (ewmh._NET_CLIENT_LIST_STACKING, ewmh._NET_CURRENT_DESKTOP)
        workArea = ewmh._NET_WORKAREA
        (activeWindow, requestFrameExtents) = (ewmh._NET_ACTIVE_WINDOW, ewmh._NET_REQUEST_FRAME_EXTENTS)
        ping = ewmh._NET_WM_PING
        (netWMName, netWMState, windowType) = (ewmh._NET_WM_NAME, ewmh._NET_WM_STATE, ewmh._NET_WM_WINDOW_TYPE)
        (processID, desktop) = (ewmh._NET_WM_PID, ewmh._NET_WM_DESKTOP)
        (userTime, frameExtents) = (ewmh._NET_WM_USER_TIME, ewmh._NET_FRAME_EXTENTS)
        (stateFullScreen, stateAbove) = (ewmh._NET_WM_STATE_FULLSCREEN, ewmh._NET_WM_STATE_ABOVE)
        (stateSticky, stateHidden) = (ewmh._NET_WM_STATE_STICKY, ewmh._NET_WM_STATE_HIDDEN)
        (stateSkipTaskbar, stateSkipPager) = (ewmh._NET_WM_STATE_SKIP_TASKBAR, ewmh._NET_WM_STATE_SKIP_PAGER)
        (typeUtility, typeNormal) = (ewmh._NET_WM_WINDOW_TYPE_UTILITY, ewmh._NET_WM_WINDOW_TYPE_NORMAL)
        (opacity, opaqueRegion) = (others[2], others[3])
        (motifHints, wake) = (others[4], others[5])
    }
}
