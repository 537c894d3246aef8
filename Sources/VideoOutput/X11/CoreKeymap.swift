import CXCB

/// The keyboard mapping of the X core protocol, for a server without XKB. Used by one thread.
///
/// Supports the first keyboard layout with two levels: without and with Shift.
final class CoreKeymap: XKeymap {
    /// xcb's table of key symbols; this object owns it.
    private let symbols: OpaquePointer

    /// Reads the mapping from the server; nil if memory cannot be allocated.
    init?(_ connection: XConnection) {
        guard let symbols = xcb_key_symbols_alloc(connection.pointer) else { return nil }
        self.symbols = symbols
    }

    deinit { xcb_key_symbols_free(symbols) }

    func keysym(of key: UInt8, state mask: UInt16) -> UInt32 {
        let unshifted = xcb_key_symbols_get_keysym(symbols, key, 0),
            shifted = xcb_key_symbols_get_keysym(symbols, key, 1)
        let isLetter = (0x61...0x7a).contains(unshifted)
        let hasShift = UInt32(mask) & XCB_MOD_MASK_SHIFT.rawValue != 0
        let hasCapsLock = UInt32(mask) & XCB_MOD_MASK_LOCK.rawValue != 0
        guard hasShift != (isLetter && hasCapsLock) else { return unshifted }
        if shifted != 0 { return shifted }
        // The keymap has no shifted symbol for this letter. Latin-1 key symbols equal their character codes.
        return isLetter ? unshifted - 0x20 : unshifted
    }
}
