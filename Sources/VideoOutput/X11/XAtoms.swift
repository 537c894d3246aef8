import CXCB

/// The atoms that we use, asked for in one go.
package struct XAtoms: Sendable {
    private static let names = [
        "WM_PROTOCOLS", "WM_DELETE_WINDOW", "_NET_WM_NAME", "UTF8_STRING", "_NET_WM_STATE", "_NET_WM_STATE_FULLSCREEN",
        "_NET_WM_STATE_ABOVE", "_NET_WM_STATE_STICKY", "_NET_WM_STATE_SKIP_TASKBAR", "_NET_WM_STATE_SKIP_PAGER",
        "_NET_WM_WINDOW_TYPE", "_NET_WM_WINDOW_TYPE_UTILITY", "_NET_WM_WINDOW_TYPE_NORMAL", "_NET_WM_PID", "_NET_WM_DESKTOP",
        "_NET_SUPPORTING_WM_CHECK", "_MOTIF_WM_HINTS", "_NET_WM_USER_TIME", "_NET_ACTIVE_WINDOW", "_NET_WM_PING", "SWIFTPLAY_WAKE",
        "_NET_WM_STATE_HIDDEN", "_NET_CURRENT_DESKTOP", "WM_TAKE_FOCUS", "_NET_WM_WINDOW_OPACITY",
        "_NET_CLIENT_LIST_STACKING", "_NET_WM_OPAQUE_REGION",
        "_NET_WORKAREA", "_NET_FRAME_EXTENTS", "_NET_REQUEST_FRAME_EXTENTS", "_NET_SUPPORTED",
    ]
    private let values: [xcb_atom_t]

    private subscript(_ index: Int) -> xcb_atom_t { values[index] }
    package var wmProtocols: xcb_atom_t { self[0] }
    package var wmDeleteWindow: xcb_atom_t { self[1] }
    package var netWMName: xcb_atom_t { self[2] }
    package var utf8String: xcb_atom_t { self[3] }
    package var netWMState: xcb_atom_t { self[4] }
    package var stateFullScreen: xcb_atom_t { self[5] }
    package var stateAbove: xcb_atom_t { self[6] }
    package var stateSticky: xcb_atom_t { self[7] }
    package var stateSkipTaskbar: xcb_atom_t { self[8] }
    package var stateSkipPager: xcb_atom_t { self[9] }
    package var windowType: xcb_atom_t { self[10] }
    package var typeUtility: xcb_atom_t { self[11] }
    package var typeNormal: xcb_atom_t { self[12] }
    package var processID: xcb_atom_t { self[13] }
    package var desktop: xcb_atom_t { self[14] }
    package var supportingWMCheck: xcb_atom_t { self[15] }
    package var motifHints: xcb_atom_t { self[16] }
    package var userTime: xcb_atom_t { self[17] }
    package var activeWindow: xcb_atom_t { self[18] }
    package var ping: xcb_atom_t { self[19] }
    package var wake: xcb_atom_t { self[20] }
    package var stateHidden: xcb_atom_t { self[21] }
    package var currentDesktop: xcb_atom_t { self[22] }
    package var wmTakeFocus: xcb_atom_t { self[23] }
    package var opacity: xcb_atom_t { self[24] }
    package var clientListStacking: xcb_atom_t { self[25] }
    package var opaqueRegion: xcb_atom_t { self[26] }
    package var workArea: xcb_atom_t { self[27] }
    package var frameExtents: xcb_atom_t { self[28] }
    package var requestFrameExtents: xcb_atom_t { self[29] }
    package var supported: xcb_atom_t { self[30] }

    static func request(_ c: OpaquePointer) -> [xcb_intern_atom_cookie_t] {
        names.map { xcb_intern_atom(c, 0, UInt16($0.utf8.count), $0) }
    }

    static func receive(_ c: OpaquePointer, _ cookies: [xcb_intern_atom_cookie_t]) -> XAtoms {
        XAtoms(values: cookies.map { cookie in
            guard let reply = xcb_intern_atom_reply(c, cookie, nil) else { return 0 }
            defer { free(reply) }
            return reply.pointee.atom
        })
    }
}
