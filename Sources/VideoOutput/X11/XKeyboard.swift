import CXCB

/// A mapping from a server's key codes to key symbols.
protocol XKeymap: AnyObject {
    /// Returns the key symbol (`keysymdef.h`) of a key; 0 if the key has no symbol.
    ///
    /// - Parameter mask: The modifiers and the layout, as in an X key event.
    func keysym(of key: UInt8, state mask: UInt16) -> UInt32
}

/// The keyboard of an X server. Returns mpv's names of pressed keys, according to the current layout, modifiers and
/// locks. Used by one thread.
///
/// The keymap is read at the first key event, and at the first key event after a change of the keymap.
package final class XKeyboard {
    /// The connection to the server.
    private let connection: XConnection
    /// The event code that all XKB events share; nil if the server does not support XKB.
    private let xkbEventCode: UInt8?
    /// The current keymap; nil if it must be read at the next key event.
    private var keymap: (any XKeymap)?

    /// Enables XKB on the connection: key events before this call do not state the layout. Waits for the server.
    package init(connection: XConnection) {
        self.connection = connection
        xkbEventCode = XKBKeymap.setUp(connection)
    }

    /// Handles an event if it reports that the keymap changed.
    ///
    /// - Returns: Whether the event was handled; false for all other events, including key presses.
    package func handle(_ event: UnsafeMutablePointer<xcb_generic_event_t>) -> Bool {
        let kind = event.pointee.response_type & 0x7f
        if Int32(kind) == XCB_MAPPING_NOTIFY {
            keymap = nil
            return true
        }
        guard kind == xkbEventCode else { return false }
        // All XKB events share one code; the second byte is the kind.
        if XKBKeymap.isKeymapChange(event.pointee.pad0) { keymap = nil }
        return true
    }

    /// Returns mpv's name of a pressed key, such as `p`, `P`, `ö`, `SPACE` or `Shift+ctrl+LEFT`, with the modifiers in
    /// the same order as in ``TerminalKeys``; nil for a key without a name, such as Shift alone. Waits for the server
    /// if the keymap is not known.
    package func name(of event: xcb_key_press_event_t) -> String? {
        if keymap == nil { readKeymap() }
        guard let keysym = keymap?.keysym(of: event.detail, state: event.state), keysym != 0 else { return nil }
        return XKeyNames.name(of: keysym, state: event.state)
    }

    /// Reads the keymap through XKB, or through the core protocol if that fails.
    private func readKeymap() {
        if xkbEventCode != nil { keymap = XKBKeymap(connection) }
        if keymap == nil { keymap = CoreKeymap(connection) }
    }
}
