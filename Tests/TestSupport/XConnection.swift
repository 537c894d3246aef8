import CXCB
import Foundation

/// A connection to the desk's X server, for looking (and for letting the keyboard's focus go).
///
/// `@unchecked Sendable`: libxcb locks its connection itself; nothing else here changes.
package final class XConnection: @unchecked Sendable {
    let raw: OpaquePointer
    package let root: UInt32
    package let width: Int
    package let height: Int

    /// - Parameter display: `:1` and the like; nil for `$DISPLAY`.
    /// - Throws: ``RigError`` when no X server answers there.
    package init(display: String? = nil) throws(RigError) {
        var number: Int32 = 0
        let connection = xcb_connect(display, &number)
        guard let connection, xcb_connection_has_error(connection) == 0, let setup = xcb_get_setup(connection) else {
            if let connection { xcb_disconnect(connection) }
            throw RigError(
                "no X server at DISPLAY=\(display ?? ProcessInfo.processInfo.environment["DISPLAY"] ?? ""): run scripts/test"
            )
        }
        raw = connection
        let screen = xcb_setup_roots_iterator(setup).data.pointee
        root = screen.root
        width = Int(screen.width_in_pixels)
        height = Int(screen.height_in_pixels)
    }

    deinit { xcb_disconnect(raw) }

    /// Takes a reply, whose memory is freed when `body` is done; nil when the server answered with an error, as for a
    /// window that is gone.
    func reply<Reply, Result>(
        _ fetch: (UnsafeMutablePointer<UnsafeMutablePointer<xcb_generic_error_t>?>) -> UnsafeMutablePointer<Reply>?,
        _ body: (UnsafeMutablePointer<Reply>) -> Result?
    ) -> Result? {
        var error: UnsafeMutablePointer<xcb_generic_error_t>?
        let reply = fetch(&error)
        defer {
            free(reply)
            free(error)
        }
        return reply.flatMap(body)
    }

    func children(of window: UInt32) -> [UInt32] {
        let cookie = xcb_query_tree(raw, window)
        return reply({ xcb_query_tree_reply(raw, cookie, $0) }) { reply in
            Array(
                UnsafeBufferPointer(
                    start: xcb_query_tree_children(reply), count: Int(xcb_query_tree_children_length(reply))))
        } ?? []
    }

    /// The bytes of a property; empty when the window has none of that name.
    func property(_ name: String, of window: UInt32) -> [UInt8] {
        let cookie = xcb_get_property(raw, 0, window, atom(name), UInt32(XCB_GET_PROPERTY_TYPE_ANY.rawValue), 0, 1024)
        return reply({ xcb_get_property_reply(raw, cookie, $0) }) { reply in
            Array(
                UnsafeRawBufferPointer(
                    start: xcb_get_property_value(reply), count: Int(xcb_get_property_value_length(reply))))
        } ?? []
    }

    /// The numbers of a property of format 32.
    package func numbers(_ name: String, of window: UInt32) -> [UInt32] {
        let bytes = property(name, of: window)
        return bytes.withUnsafeBytes { raw in
            (0..<raw.count / 4).map { raw.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self) }
        }
    }

    /// The names in a property that lists atoms, such as `_NET_WM_STATE`.
    package func atoms(_ name: String, of window: UInt32) -> [String] {
        numbers(name, of: window).compactMap { atom in
            let cookie = xcb_get_atom_name(raw, atom)
            return reply({ xcb_get_atom_name_reply(raw, cookie, $0) }) { reply in
                let start = UnsafeRawPointer(xcb_get_atom_name_name(reply))
                return String(
                    decoding: UnsafeRawBufferPointer(start: start, count: Int(xcb_get_atom_name_name_length(reply))),
                    as: UTF8.self)
            }
        }
    }

    /// Sets such a property, as a window manager does.
    package func setAtoms(_ name: String, of window: UInt32, to names: [String]) {
        let values = names.map(atom)
        xcb_change_property(
            raw, UInt8(XCB_PROP_MODE_REPLACE.rawValue), window, atom(name), XCB_ATOM_ATOM.rawValue, 32,
            UInt32(values.count), values)
        xcb_flush(raw)
    }

    func atom(_ name: String) -> UInt32 {
        let cookie = xcb_intern_atom(raw, 0, UInt16(name.utf8.count), name)
        return reply({ xcb_intern_atom_reply(raw, cookie, $0) }) { $0.pointee.atom } ?? 0
    }

    /// Lets keys go to the window under the pointer, as on a display without a window manager that nobody has used yet:
    /// a program of a test before may have taken the focus with it.
    package func letFocusFollowPointer() {
        xcb_set_input_focus(raw, UInt8(XCB_INPUT_FOCUS_POINTER_ROOT.rawValue), XCB_INPUT_FOCUS_POINTER_ROOT.rawValue, 0)
        xcb_flush(raw)
    }
}
