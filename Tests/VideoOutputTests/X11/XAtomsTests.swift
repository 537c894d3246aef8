import CXCB
import TestSupport
import Testing

import class VideoOutput.XConnection

@testable import VideoOutput

@Suite struct XAtomsTests {
    @Test func eachAtomHasItsName() async throws {
        try await TestEnvironment.runExclusively {
            let connection = try XConnection(), atoms = connection.atoms
            func name(_ atom: xcb_atom_t) throws -> String {
                let cookie = xcb_get_atom_name(connection.pointer, atom)
                let reply = try #require(xcb_get_atom_name_reply(connection.pointer, cookie, nil))
                defer { free(reply) }
                let length = Int(xcb_get_atom_name_name_length(reply))
                let bytes = UnsafeRawBufferPointer(start: xcb_get_atom_name_name(reply), count: length)
                return String(decoding: bytes, as: UTF8.self)
            }
            for (atom, expectedName) in [
                (atoms.wmProtocols, "WM_PROTOCOLS"), (atoms.utf8String, "UTF8_STRING"),
                (atoms.wmDeleteWindow, "WM_DELETE_WINDOW"),
                (atoms.wmTakeFocus, "WM_TAKE_FOCUS"), (atoms.netSupported, "_NET_SUPPORTED"),
                (atoms.supportingWMCheck, "_NET_SUPPORTING_WM_CHECK"),
                (atoms.clientListStacking, "_NET_CLIENT_LIST_STACKING"),
                (atoms.currentDesktop, "_NET_CURRENT_DESKTOP"), (atoms.workArea, "_NET_WORKAREA"),
                (atoms.activeWindow, "_NET_ACTIVE_WINDOW"), (atoms.requestFrameExtents, "_NET_REQUEST_FRAME_EXTENTS"),
                (atoms.ping, "_NET_WM_PING"), (atoms.netWMName, "_NET_WM_NAME"), (atoms.netWMState, "_NET_WM_STATE"),
                (atoms.windowType, "_NET_WM_WINDOW_TYPE"), (atoms.processID, "_NET_WM_PID"),
                (atoms.desktop, "_NET_WM_DESKTOP"),
                (atoms.userTime, "_NET_WM_USER_TIME"), (atoms.frameExtents, "_NET_FRAME_EXTENTS"),
                (atoms.stateFullScreen, "_NET_WM_STATE_FULLSCREEN"), (atoms.stateAbove, "_NET_WM_STATE_ABOVE"),
                (atoms.stateSticky, "_NET_WM_STATE_STICKY"), (atoms.stateSkipTaskbar, "_NET_WM_STATE_SKIP_TASKBAR"),
                (atoms.stateSkipPager, "_NET_WM_STATE_SKIP_PAGER"), (atoms.stateHidden, "_NET_WM_STATE_HIDDEN"),
                (atoms.typeUtility, "_NET_WM_WINDOW_TYPE_UTILITY"), (atoms.typeNormal, "_NET_WM_WINDOW_TYPE_NORMAL"),
                (atoms.opacity, "_NET_WM_WINDOW_OPACITY"), (atoms.opaqueRegion, "_NET_WM_OPAQUE_REGION"),
                (atoms.motifHints, "_MOTIF_WM_HINTS"), (atoms.wake, "SWIFTPLAY_WAKE"),
            ] { #expect(try name(atom) == expectedName) }
        }
    }
}
