import CXKB

/// The keymap of an X server's core keyboard, read through the XKB extension. Used by one thread.
///
/// Modifiers and layout are taken from each key event, and not from XKB's state events: a key event states them as they
/// were when the key was pressed, and an event that another program sends (XSendEvent) has modifiers of its own.
final class XKBKeymap: XKeymap {
    /// The first character beyond the Latin scripts.
    private static let otherScripts: UInt32 = 0x250

    private let context: OpaquePointer
    private let keymap: OpaquePointer
    private let state: OpaquePointer

    /// Makes the extension known to the connection. Waits for the server.
    ///
    /// - Returns: the code of the extension's events; nil when the server does not have the extension.
    static func setUp(_ connection: XConnection) -> UInt8? {
        var firstEvent: UInt8 = 0
        let isThere = xkb_x11_setup_xkb_extension(
            connection.pointer, UInt16(XKB_X11_MIN_MAJOR_XKB_VERSION), UInt16(XKB_X11_MIN_MINOR_XKB_VERSION),
            XKB_X11_SETUP_XKB_EXTENSION_NO_FLAGS, nil, nil, &firstEvent, nil)
        guard isThere == 1 else { return nil }
        xcb_xkb_select_events(
            connection.pointer, xcb_xkb_device_spec_t(XCB_XKB_ID_USE_CORE_KBD.rawValue), cxkb_keymap_events, 0,
            cxkb_keymap_events, cxkb_map_parts, cxkb_map_parts, nil)
        return firstEvent
    }

    /// Returns whether an event of the extension means that the keymap is another one.
    static func isChange(_ kind: UInt8) -> Bool {
        Int32(kind) == XCB_XKB_NEW_KEYBOARD_NOTIFY || Int32(kind) == XCB_XKB_MAP_NOTIFY
    }

    /// Reads the keymap. Waits for the server.
    ///
    /// - Returns: nil when the keymap cannot be read.
    init?(_ connection: XConnection) {
        // The keymap comes from the server: no file and no variable of the environment decides.
        let flags = XKB_CONTEXT_NO_DEFAULT_INCLUDES.rawValue | XKB_CONTEXT_NO_ENVIRONMENT_NAMES.rawValue
        guard let context = xkb_context_new(xkb_context_flags(flags)) else { return nil }
        xkb_context_set_log_level(context, XKB_LOG_LEVEL_CRITICAL)
        let device = xkb_x11_get_core_keyboard_device_id(connection.pointer)
        guard device >= 0,
            let keymap = xkb_x11_keymap_new_from_device(
                context, connection.pointer, device, XKB_KEYMAP_COMPILE_NO_FLAGS)
        else {
            xkb_context_unref(context)
            return nil
        }
        guard let state = xkb_state_new(keymap) else {
            xkb_keymap_unref(keymap)
            xkb_context_unref(context)
            return nil
        }
        (self.context, self.keymap, self.state) = (context, keymap, state)
    }

    deinit {
        xkb_state_unref(state)
        xkb_keymap_unref(keymap)
        xkb_context_unref(context)
    }

    func keysym(of key: UInt8, state mask: UInt16) -> UInt32 {
        // X11: modifiers in bits 0 to 7, buttons in 8 to 12, XKB's layout in 13 and 14.
        let modifiers = UInt32(mask & 0xff), layout = UInt32(mask >> 13 & 3)
        let found = keysym(of: key, modifiers, layout)
        guard xkb_keysym_to_utf32(found) >= Self.otherScripts else { return found }
        // A shortcut works in Cyrillic or Greek, too, where another layout of the user's has a Latin letter on the key.
        for other in 0..<xkb_keymap_num_layouts_for_key(keymap, UInt32(key)) where other != layout {
            let latin = keysym(of: key, modifiers, other)
            if (0x21...0x7e).contains(xkb_keysym_to_utf32(latin)) { return latin }
        }
        return found
    }

    private func keysym(of key: UInt8, _ modifiers: UInt32, _ layout: UInt32) -> UInt32 {
        xkb_state_update_mask(state, modifiers, 0, 0, 0, 0, layout)
        return xkb_state_key_get_one_sym(state, UInt32(key))
    }
}
