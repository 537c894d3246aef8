import CXCB

/// Translates a server's key codes to key symbols.
protocol XKeymap: AnyObject {
    /// Returns the symbol (`keysymdef.h`) of a key; 0 for none.
    ///
    /// - Parameter mask: the modifiers and the layout, as a key event states them.
    func keysym(of key: UInt8, state mask: UInt16) -> UInt32
}

/// Names the keys of an X server's keyboard as mpv does, by the layout, level and locks in use. Used by one thread.
///
/// The keymap is read with the first key, and again with the first key after a change.
package final class XKeyboard {
    private let connection: XConnection
    /// The code of XKB's events; nil: the server does not have XKB.
    private let firstEvent: UInt8?
    private var keymap: (any XKeymap)?

    /// Makes XKB known to the connection: key events that come before do not state the layout. Waits for the server.
    package init(connection: XConnection) {
        self.connection = connection
        firstEvent = XKBKeymap.setUp(connection)
    }

    /// Takes in an event that is about the keyboard itself.
    ///
    /// - Returns: false for an event about something else.
    package func handle(_ event: UnsafeMutablePointer<xcb_generic_event_t>) -> Bool {
        let kind = event.pointee.response_type & 0x7f
        if Int32(kind) == XCB_MAPPING_NOTIFY {
            keymap = nil
            return true
        }
        guard kind == firstEvent else { return false }
        // All events of the extension share one code; the second byte tells them apart.
        if XKBKeymap.isChange(event.pointee.pad0) { keymap = nil }
        return true
    }

    /// Returns `p`, `P`, `ö`, `SPACE`, `Shift+ctrl+LEFT` (the terminal's order); nil for a key without a name, such as
    /// Shift alone. Waits for the server when the keymap is not known.
    package func name(of event: xcb_key_press_event_t) -> String? {
        if keymap == nil { readKeymap() }
        guard let keysym = keymap?.keysym(of: event.detail, state: event.state), keysym != 0 else { return nil }
        return XKeyNames.name(of: keysym, state: event.state)
    }

    private func readKeymap() {
        if firstEvent != nil { keymap = XKBKeymap(connection) }
        if keymap == nil { keymap = CoreKeymap(connection) }
    }
}
