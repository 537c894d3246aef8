import CXCB
import Foundation
import SystemCalls

/// A connection to an X server, for reading its state, simulating keys and changing the focus.
///
/// `@unchecked Sendable`: libxcb locks its connection itself, and the other properties are constant or locked.
package final class XConnection: @unchecked Sendable {
    /// The pointer to the connection object of libxcb.
    let raw: OpaquePointer
    /// The root window of the screen.
    package let root: UInt32
    /// The width of the screen in pixels.
    package let width: Int
    /// The height of the screen in pixels.
    package let height: Int
    /// The identifiers of the atoms that were asked for, by name.
    private let atoms = Monitor<[String: UInt32]>([:])

    /// Connects to an X server.
    ///
    /// - Parameter display: the name of the X display, such as `:1`; nil for `$DISPLAY`.
    /// - Throws: ``TestFailure`` if no X server accepts the connection.
    package init(display: String? = nil) throws(TestFailure) {
        var screenNumber: Int32 = 0
        let connection = xcb_connect(display, &screenNumber)
        guard let connection, xcb_connection_has_error(connection) == 0, let setup = xcb_get_setup(connection) else {
            if let connection { xcb_disconnect(connection) }
            let name = display ?? ProcessInfo.processInfo.environment["DISPLAY"] ?? ""
            throw TestFailure("no X server at DISPLAY=\(name): run scripts/test")
        }
        raw = connection
        let screen = xcb_setup_roots_iterator(setup).data.pointee
        root = screen.root
        width = Int(screen.width_in_pixels)
        height = Int(screen.height_in_pixels)
    }

    deinit { xcb_disconnect(raw) }

    /// Passes the reply of a request to `body` and frees the reply afterwards. Returns nil if the server replied with
    /// an error, for example because the window no longer exists.
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

    /// Returns the identifiers of the child windows of a window, bottommost first.
    func children(of window: UInt32) -> [UInt32] {
        let cookie = xcb_query_tree(raw, window)
        return reply({ xcb_query_tree_reply(raw, cookie, $0) }) { reply in
            Array(
                UnsafeBufferPointer(
                    start: xcb_query_tree_children(reply), count: Int(xcb_query_tree_children_length(reply))))
        } ?? []
    }

    /// Returns the bytes of a window property; empty if the window has no such property.
    func property(_ name: String, of window: UInt32) -> [UInt8] { value(requestProperty(name, of: window)) }

    /// Sends a request for a window property, so that several requests can be sent before the first reply is read.
    func requestProperty(_ name: String, of window: UInt32) -> xcb_get_property_cookie_t {
        xcb_get_property(raw, 0, window, atom(name), UInt32(XCB_GET_PROPERTY_TYPE_ANY.rawValue), 0, 1024)
    }

    /// Waits for the reply to a request for a window property, and returns its bytes.
    func value(_ request: xcb_get_property_cookie_t) -> [UInt8] {
        reply({ xcb_get_property_reply(raw, request, $0) }) { reply in
            Array(
                UnsafeRawBufferPointer(
                    start: xcb_get_property_value(reply), count: Int(xcb_get_property_value_length(reply))))
        } ?? []
    }

    /// Returns the values of a window property that consists of 32-bit numbers; empty if the window has no such
    /// property.
    package func propertyNumbers(_ name: String, of window: UInt32) -> [UInt32] {
        let bytes = property(name, of: window)
        return bytes.withUnsafeBytes { raw in
            (0..<raw.count / 4).map { raw.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self) }
        }
    }

    /// Returns the names of the atoms in a window property that lists atoms, such as `_NET_WM_STATE`.
    package func propertyAtoms(_ name: String, of window: UInt32) -> [String] {
        propertyNumbers(name, of: window).compactMap { atom in
            let cookie = xcb_get_atom_name(raw, atom)
            return reply({ xcb_get_atom_name_reply(raw, cookie, $0) }) { reply in
                let start = UnsafeRawPointer(xcb_get_atom_name_name(reply))
                return String(
                    decoding: UnsafeRawBufferPointer(start: start, count: Int(xcb_get_atom_name_name_length(reply))),
                    as: UTF8.self)
            }
        }
    }

    /// Sets a window property that lists atoms, such as `_NET_WM_STATE`, as a window manager does.
    package func setAtoms(_ name: String, of window: UInt32, to names: [String]) {
        let values = names.map(atom)
        xcb_change_property(
            raw, UInt8(XCB_PROP_MODE_REPLACE.rawValue), window, atom(name), XCB_ATOM_ATOM.rawValue, 32,
            UInt32(values.count), values)
        xcb_flush(raw)
    }

    /// Returns the identifier of the atom `name`; 0 if the server does not reply.
    func atom(_ name: String) -> UInt32 {
        if let known = atoms.withLock({ $0[name] }) { return known }
        let cookie = xcb_intern_atom(raw, 0, UInt16(name.utf8.count), name)
        let atom = reply({ xcb_intern_atom_reply(raw, cookie, $0) }) { $0.pointee.atom } ?? 0
        if atom != 0 { atoms.withLock { $0[name] = atom } }
        return atom
    }

    /// Makes the X server send keyboard input to the window under the pointer, as an X server without a window manager
    /// does at its start. The program of an earlier test may have taken the focus.
    package func letFocusFollowPointer() {
        xcb_set_input_focus(raw, UInt8(XCB_INPUT_FOCUS_POINTER_ROOT.rawValue), XCB_INPUT_FOCUS_POINTER_ROOT.rawValue, 0)
        xcb_flush(raw)
    }
}
