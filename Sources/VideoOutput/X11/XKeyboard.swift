import CXCB

/// Names keys as mpv does. Used by the thread that reads the events.
package struct XKeyboard: ~Copyable {
    private let symbols: OpaquePointer

    package init?(connection: XConnection) {
        guard let symbols = xcb_key_symbols_alloc(connection.pointer) else { return nil }
        self.symbols = symbols
    }

    deinit { xcb_key_symbols_free(symbols) }

    /// The layout changed.
    package func refresh(_ event: UnsafeMutablePointer<xcb_mapping_notify_event_t>) {
        xcb_refresh_keyboard_mapping(symbols, event)
    }

    /// `p`, `P`, `SPACE`, `Shift+ctrl+LEFT` (the terminal's order); nil for a key that has no name here (Shift alone, say).
    ///
    /// The first layout counts, so that keys work whatever language is switched on.
    package func name(of event: xcb_key_press_event_t) -> String? {
        let shift = UInt32(event.state) & XCB_MOD_MASK_SHIFT.rawValue != 0
        let control = UInt32(event.state) & XCB_MOD_MASK_CONTROL.rawValue != 0
        let alt = UInt32(event.state) & XCB_MOD_MASK_1.rawValue != 0
        let plain = xcb_key_symbols_get_keysym(symbols, event.detail, 0)
        let shifted = xcb_key_symbols_get_keysym(symbols, event.detail, 1)
        let prefix = (control ? "ctrl+" : "") + (alt ? "alt+" : "")
        if let special = Self.special[plain] { return (shift ? "Shift+" : "") + prefix + special }
        let symbol = shift && shifted != 0 ? shifted : plain
        guard (0x21...0x7e).contains(symbol), let scalar = Unicode.Scalar(symbol) else { return nil }
        // A letter without a shifted symbol of its own.
        let character = shift && shifted == 0 ? String(scalar).uppercased() : String(scalar)
        return prefix + character
    }

    private static let special: [UInt32: String] = [
        0x20: "SPACE", 0xff0d: "ENTER", 0xff1b: "ESC", 0xff09: "TAB", 0xff08: "BS", 0xffff: "DEL", 0xff63: "INS", 0xff50: "HOME",
        0xff57: "END", 0xff51: "LEFT", 0xff52: "UP", 0xff53: "RIGHT", 0xff54: "DOWN", 0xff55: "PGUP", 0xff56: "PGDWN",
        0xff8d: "KP_ENTER", 0xff13: "PAUSE", 0x1008ff14: "PLAYPAUSE", 0x1008ff15: "STOP", 0x1008ff16: "PREV", 0x1008ff17: "NEXT",
        0x1008ff11: "VOLUME_DOWN", 0x1008ff13: "VOLUME_UP", 0x1008ff12: "MUTE",
    ].merging((0..<12).map { (UInt32(0xffbe + $0), "F\($0 + 1)") }) { first, _ in first }
}
