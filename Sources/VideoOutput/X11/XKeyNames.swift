import CXCB
import CXKB

/// mpv's names of X11's key symbols.
enum XKeyNames {
    /// Returns mpv's name of a key with its modifiers; nil for a key symbol without a name.
    ///
    /// Characters have no `Shift+` prefix because they already depend on Shift.
    static func name(of keysym: UInt32, state mask: UInt16) -> String? {
        func contains(_ modifier: xcb_mod_mask_t) -> Bool { UInt32(mask) & modifier.rawValue != 0 }
        let prefix =
            (contains(XCB_MOD_MASK_CONTROL) ? "ctrl+" : "") + (contains(XCB_MOD_MASK_1) ? "alt+" : "")
            + (contains(XCB_MOD_MASK_4) ? "meta+" : "")
        if let specialName = specialNames[keysym] {
            return (contains(XCB_MOD_MASK_SHIFT) ? "Shift+" : "") + prefix + specialName
        }
        // Control characters, and key symbols that stand for no character, have no name.
        guard let scalar = Unicode.Scalar(xkb_keysym_to_utf32(keysym)), scalar.value > 0x20,
            !(0x7f..<0xa0).contains(scalar.value)
        else { return nil }
        return prefix + String(scalar)
    }

    /// mpv's names of the keys that are not characters, by key symbol (`keysymdef.h`, `XF86keysym.h`).
    private static let specialNames: [UInt32: String] = [
        0x20: "SPACE", 0xff0d: "ENTER", 0xff1b: "ESC", 0xff09: "TAB", 0xfe20: "TAB", 0xff08: "BS", 0xffff: "DEL",
        0xff63: "INS",
        0xff50: "HOME", 0xff57: "END", 0xff51: "LEFT", 0xff52: "UP", 0xff53: "RIGHT", 0xff54: "DOWN", 0xff55: "PGUP",
        0xff56: "PGDWN", 0xff13: "PAUSE",
        0xff8d: "KP_ENTER", 0xffae: "KP_DEC", 0xffac: "KP_DEC", 0xff9f: "KP_DEL", 0xff9e: "KP_INS",
        0xff9c: "KP1", 0xff99: "KP2", 0xff9b: "KP3", 0xff96: "KP4", 0xff9d: "KP5", 0xff98: "KP6",
        0xff95: "KP7", 0xff97: "KP8", 0xff9a: "KP9",
        0x1008_ff14: "PLAYPAUSE", 0x1008_ff15: "STOP", 0x1008_ff16: "PREV", 0x1008_ff17: "NEXT",
        0x1008_ff11: "VOLUME_DOWN",
        0x1008_ff13: "VOLUME_UP", 0x1008_ff12: "MUTE",
    ]
    .merging((0..<12).map { (0xffbe + $0, "F\($0 + 1)") }) { first, _ in first }
    .merging((0..<10).map { (0xffb0 + $0, "KP\($0)") }) { first, _ in first }
}
