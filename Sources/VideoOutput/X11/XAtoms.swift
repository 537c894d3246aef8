import CXCB

/// The X11 atoms of a connection. libxcb-ewmh requests the EWMH atoms, and SwiftPlay requests the others by name. All
/// requests are sent together, before the first reply is read.
package struct XAtoms: Sendable {
    // ICCCM atoms, and the type of EWMH's text properties.
    package let wmProtocols, utf8String, wmDeleteWindow, wmTakeFocus, wmChangeState: xcb_atom_t
    // EWMH: properties of the root window.
    package let netSupported, supportingWMCheck, clientListStacking, currentDesktop, workArea: xcb_atom_t
    // EWMH: messages to the root window, and the protocol `_NET_WM_PING`.
    package let activeWindow, requestFrameExtents, moveResize, ping, fullScreenMonitors: xcb_atom_t
    // EWMH: properties of a window.
    package let netWMName, netWMState, windowType, processID, desktop, userTime, frameExtents: xcb_atom_t
    // EWMH: values of `_NET_WM_STATE` and `_NET_WM_WINDOW_TYPE`.
    package let stateFullScreen, stateAbove, stateSticky, stateSkipTaskbar, stateSkipPager, stateHidden: xcb_atom_t
    package let stateMaximisedVertically, stateMaximisedHorizontally: xcb_atom_t
    package let typeUtility, typeNormal: xcb_atom_t
    // EWMH atoms that libxcb-ewmh lacks, Motif's window hints, and the message with which SwiftPlay wakes its event
    // thread.
    package let opacity, opaqueRegion, motifHints, wake: xcb_atom_t

    /// The names of the atoms that libxcb-ewmh does not request.
    private static let otherNames = [
        "WM_DELETE_WINDOW", "WM_TAKE_FOCUS", "_NET_WM_WINDOW_OPACITY", "_NET_WM_OPAQUE_REGION", "_MOTIF_WM_HINTS",
        "SWIFTPLAY_WAKE", "WM_CHANGE_STATE",
    ]

    /// The pending requests for all atoms. Pass each value of this type to ``receive(_:_:)`` exactly once.
    struct Pending {
        /// The structure that receives libxcb-ewmh's atoms.
        fileprivate var ewmh = xcb_ewmh_connection_t()
        /// libxcb-ewmh's pending requests; nil if memory could not be allocated.
        fileprivate let ewmhCookies: UnsafeMutablePointer<xcb_intern_atom_cookie_t>?
        /// The pending requests for ``XAtoms/otherNames``.
        fileprivate let otherCookies: [xcb_intern_atom_cookie_t]

        /// Sends the requests for all atoms.
        fileprivate init(_ connection: OpaquePointer) {
            ewmhCookies = xcb_ewmh_init_atoms(connection, &ewmh)
            otherCookies = XAtoms.otherNames.map { xcb_intern_atom(connection, 0, UInt16($0.utf8.count), $0) }
        }
    }

    /// Sends the requests for all atoms.
    static func request(_ connection: OpaquePointer) -> Pending { Pending(connection) }

    /// Waits for the replies and returns the atoms. All atoms are 0 if the connection has failed.
    static func receive(_ connection: OpaquePointer, _ pending: Pending) -> XAtoms {
        var ewmh = pending.ewmh
        // `xcb_ewmh_init_atoms_replies` takes ownership of the cookies. On failure it also releases the structure's
        // contents.
        let hasAtoms = pending.ewmhCookies.map { xcb_ewmh_init_atoms_replies(&ewmh, $0, nil) != 0 } ?? false
        let otherAtoms = pending.otherCookies.map { cookie -> xcb_atom_t in
            guard let reply = xcb_intern_atom_reply(connection, cookie, nil) else { return 0 }
            defer { free(reply) }
            return reply.pointee.atom
        }
        defer { if hasAtoms { xcb_ewmh_connection_wipe(&ewmh) } }
        return XAtoms(hasAtoms ? ewmh : xcb_ewmh_connection_t(), otherAtoms)
    }

    /// Stores each received atom in the property that is named after its meaning.
    private init(_ ewmh: xcb_ewmh_connection_t, _ otherAtoms: [xcb_atom_t]) {
        (wmProtocols, utf8String) = (ewmh.WM_PROTOCOLS, ewmh.UTF8_STRING)
        (wmDeleteWindow, wmTakeFocus) = (otherAtoms[0], otherAtoms[1])
        (netSupported, supportingWMCheck) = (ewmh._NET_SUPPORTED, ewmh._NET_SUPPORTING_WM_CHECK)
        (clientListStacking, currentDesktop) = (ewmh._NET_CLIENT_LIST_STACKING, ewmh._NET_CURRENT_DESKTOP)
        workArea = ewmh._NET_WORKAREA
        (activeWindow, requestFrameExtents) = (ewmh._NET_ACTIVE_WINDOW, ewmh._NET_REQUEST_FRAME_EXTENTS)
        (moveResize, ping) = (ewmh._NET_WM_MOVERESIZE, ewmh._NET_WM_PING)
        fullScreenMonitors = ewmh._NET_WM_FULLSCREEN_MONITORS
        (netWMName, netWMState, windowType) = (ewmh._NET_WM_NAME, ewmh._NET_WM_STATE, ewmh._NET_WM_WINDOW_TYPE)
        (processID, desktop) = (ewmh._NET_WM_PID, ewmh._NET_WM_DESKTOP)
        (userTime, frameExtents) = (ewmh._NET_WM_USER_TIME, ewmh._NET_FRAME_EXTENTS)
        (stateFullScreen, stateAbove) = (ewmh._NET_WM_STATE_FULLSCREEN, ewmh._NET_WM_STATE_ABOVE)
        (stateSticky, stateHidden) = (ewmh._NET_WM_STATE_STICKY, ewmh._NET_WM_STATE_HIDDEN)
        (stateSkipTaskbar, stateSkipPager) = (ewmh._NET_WM_STATE_SKIP_TASKBAR, ewmh._NET_WM_STATE_SKIP_PAGER)
        (typeUtility, typeNormal) = (ewmh._NET_WM_WINDOW_TYPE_UTILITY, ewmh._NET_WM_WINDOW_TYPE_NORMAL)
        (opacity, opaqueRegion) = (otherAtoms[2], otherAtoms[3])
        (motifHints, wake, wmChangeState) = (otherAtoms[4], otherAtoms[5], otherAtoms[6])
        stateMaximisedVertically = ewmh._NET_WM_STATE_MAXIMIZED_VERT
        stateMaximisedHorizontally = ewmh._NET_WM_STATE_MAXIMIZED_HORZ
    }
}
