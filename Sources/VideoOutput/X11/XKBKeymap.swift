import CXKB

/// The keymap of an X server's core keyboard, read through the XKB extension. Used by one thread.
///
/// Modifiers and layout come from each key event, not from XKB's state events: a key event carries the modifiers and
/// layout at the time of the press, and a synthetic event (XSendEvent) has its own modifiers.
final class XKBKeymap: XKeymap {
    /// The first Unicode code point after the Latin blocks.
    private static let firstNonLatinCodePoint: UInt32 = 0x250

    /// libxkbcommon's context; this object owns one reference.
    private let context: OpaquePointer
    /// The server's keymap; this object owns one reference.
    private let keymap: OpaquePointer
    /// The keyboard state of libxkbcommon, which ``keysym(of:state:)`` sets to the modifiers and layout of each key;
    /// this object owns one reference.
    private let state: OpaquePointer

    /// Enables XKB on the connection and requests its keymap events. Waits for the server.
    ///
    /// - Returns: The event code that all XKB events share; nil if the server does not support XKB.
    static func setUp(_ connection: XConnection) -> UInt8? {
        var firstEvent: UInt8 = 0
        let hasExtension = xkb_x11_setup_xkb_extension(
            connection.pointer, UInt16(XKB_X11_MIN_MAJOR_XKB_VERSION), UInt16(XKB_X11_MIN_MINOR_XKB_VERSION),
            XKB_X11_SETUP_XKB_EXTENSION_NO_FLAGS, nil, nil, &firstEvent, nil)
        guard hasExtension == 1 else { return nil }
        xcb_xkb_select_events(
            connection.pointer, xcb_xkb_device_spec_t(XCB_XKB_ID_USE_CORE_KBD.rawValue), cxkb_keymap_events, 0,
            cxkb_keymap_events, cxkb_map_parts, cxkb_map_parts, nil)
        return firstEvent
    }

    /// Returns whether an XKB event of this kind means that the keymap has changed.
    static func isKeymapChange(_ kind: UInt8) -> Bool {
        Int32(kind) == XCB_XKB_NEW_KEYBOARD_NOTIFY || Int32(kind) == XCB_XKB_MAP_NOTIFY
    }

    /// Reads the keymap. Waits for the server. Returns nil if the keymap cannot be read.
    init?(_ connection: XConnection) {
        // The server alone defines the keymap: ignore files and environment variables.
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
        // X11 packs modifiers into bits 0 to 7, buttons into bits 8 to 12 and XKB's layout into bits 13 and 14.
        let modifiers = UInt32(mask & 0xff), layout = UInt32(mask >> 13 & 3)
        let currentKeysym = keysym(of: key, modifiers, layout)
        guard xkb_keysym_to_utf32(currentKeysym) >= Self.firstNonLatinCodePoint else { return currentKeysym }
        // Use a Latin character if this key has one in another of the user's layouts, so that shortcuts work with
        // Cyrillic or Greek layouts.
        for otherLayout in 0..<xkb_keymap_num_layouts_for_key(keymap, UInt32(key)) where otherLayout != layout {
            let latinKeysym = keysym(of: key, modifiers, otherLayout)
            if (0x21...0x7e).contains(xkb_keysym_to_utf32(latinKeysym)) { return latinKeysym }
        }
        return currentKeysym
    }

    /// Returns the key symbol of a key with modifiers in a layout.
    private func keysym(of key: UInt8, _ modifiers: UInt32, _ layout: UInt32) -> UInt32 {
        xkb_state_update_mask(state, modifiers, 0, 0, 0, 0, layout)
        return xkb_state_key_get_one_sym(state, UInt32(key))
    }
}
