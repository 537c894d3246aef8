/// mpv's names of the keys that terminals send.
enum TerminalKeys {
    /// The modifier keys that were held during a key press.
    struct Modifiers: OptionSet {
        let rawValue: Int
        static let shift = Modifiers(rawValue: 1)
        static let alt = Modifiers(rawValue: 2)
        static let control = Modifiers(rawValue: 4)
        static let meta = Modifiers(rawValue: 8)
        init(rawValue: Int) { self.rawValue = rawValue }
        /// Decodes the second parameter of a control sequence, which is the modifier bits plus 1.
        init(parameter: Int) { rawValue = parameter > 1 ? (parameter - 1) & 15 : 0 }

        /// The part of mpv's key name that states the modifiers, such as `Shift+ctrl+`.
        var prefix: String {
            (contains(.shift) ? "Shift+" : "") + (contains(.control) ? "ctrl+" : "") + (contains(.alt) ? "alt+" : "")
                + (contains(.meta) ? "meta+" : "")
        }
    }

    /// The result of decoding the first bytes of a text.
    enum DecodedCharacter: Equatable {
        /// A complete character, with mpv's key name; nil if the character is not a key.
        case complete(String?)
        /// The beginning of a character whose other bytes are missing.
        case incomplete
        /// The bytes are not UTF-8. The value is the last byte if that byte starts the next character.
        case invalid(UInt8?)
    }

    /// The names of the keys whose escape sequence ends in `~`, by the number in the sequence.
    static let namesByNumber: [Int: String] = [
        1: "HOME", 2: "INS", 3: "DEL", 4: "END", 5: "PGUP", 6: "PGDWN", 7: "HOME", 8: "END",
        11: "F1", 12: "F2", 13: "F3", 14: "F4", 15: "F5", 17: "F6", 18: "F7", 19: "F8", 20: "F9", 21: "F10", 23: "F11",
        24: "F12",
        25: "F13", 26: "F14", 28: "F15", 29: "F16", 31: "F17", 32: "F18", 33: "F19", 34: "F20",
    ]

    /// The names of the keys whose escape sequence ends in a letter, by that letter.
    static let namesByLetter: [UInt8: String] = [
        UInt8(ascii: "A"): "UP", UInt8(ascii: "B"): "DOWN", UInt8(ascii: "C"): "RIGHT", UInt8(ascii: "D"): "LEFT",
        UInt8(ascii: "E"): "KP5", UInt8(ascii: "F"): "END", UInt8(ascii: "H"): "HOME",
        UInt8(ascii: "P"): "F1", UInt8(ascii: "Q"): "F2", UInt8(ascii: "R"): "F3", UInt8(ascii: "S"): "F4",
    ]

    /// Returns the name of a key of the application keypad.
    ///
    /// - Parameter bytes: The bytes after `ESC O`: optional digits for the modifiers and a letter.
    static func nameOfApplicationKey(_ bytes: [UInt8]) -> String? {
        guard let finalByte = bytes.last else { return nil }
        let modifierParameter = bytes.dropLast().filter { (0x30...0x39).contains($0) }.prefix(3).reduce(0) {
            $0 * 10 + Int($1 - 0x30)
        }
        let modifiers = Modifiers(parameter: modifierParameter).prefix
        if finalByte == UInt8(ascii: "M") { return modifiers + "KP_ENTER" }
        if (UInt8(ascii: "p")...UInt8(ascii: "y")).contains(finalByte) {
            return modifiers + "KP\(finalByte - UInt8(ascii: "p"))"
        }
        return namesByLetter[finalByte].map { modifiers + $0 }
    }

    /// Decodes the first character of `bytes`, which do not start with an escape.
    static func decodeCharacter(_ bytes: [UInt8]) -> DecodedCharacter {
        guard let firstByte = bytes.first else { return .incomplete }
        if firstByte < 0x80 { return .complete(name(of: Unicode.Scalar(firstByte))) }
        let length =
            switch firstByte {
            case 0xc2...0xdf: 2
            case 0xe0...0xef: 3
            case 0xf0...0xf4: 4
            default: 0
            }
        guard length > 0 else { return .invalid(nil) }
        if let lastByte = bytes.last, bytes.count > 1, !(0x80...0xbf).contains(lastByte) { return .invalid(lastByte) }
        guard bytes.count == length else { return .incomplete }
        guard let text = String(validating: bytes, as: UTF8.self), let scalar = text.unicodeScalars.first else {
            return .invalid(nil)
        }
        // C1 control characters are not keys.
        return .complete(scalar.value < 0xa0 ? nil : text)
    }

    /// Returns the name of the key for which a terminal sends a Unicode scalar.
    static func name(of scalar: Unicode.Scalar) -> String {
        switch scalar.value {
        case 0x00: "ctrl+SPACE"
        case 0x08, 0x7f: "BS"
        case 0x09: "TAB"
        case 0x0a, 0x0d: "ENTER"
        case 0x1b: "ESC"
        case 0x01...0x1a: "ctrl+" + String(Unicode.Scalar(UInt8(scalar.value + 0x60)))
        case 0x1c...0x1f: "ctrl+" + String(Unicode.Scalar(UInt8(scalar.value + 0x40)))
        case 0x20: "SPACE"
        case 0x23: "SHARP"
        default: String(scalar)
        }
    }

    /// Returns the name of a key with its modifiers. Characters have no `Shift+` prefix because they already depend on
    /// Shift.
    static func name(of scalar: Unicode.Scalar, _ modifiers: Modifiers) -> String {
        let name = name(of: scalar)
        return (name.unicodeScalars.count == 1 ? modifiers.subtracting(.shift) : modifiers).prefix + name
    }

    /// Adds Alt to a key's name: `LEFT` becomes `alt+LEFT`, `Shift+ctrl+LEFT` becomes `Shift+ctrl+alt+LEFT`.
    static func addingAlt(to name: String) -> String {
        var leadingModifiers = "", remainingName = Substring(name)
        for prefix in ["Shift+", "ctrl+"] where remainingName.hasPrefix(prefix) {
            leadingModifiers += prefix
            remainingName = remainingName.dropFirst(prefix.count)
        }
        return leadingModifiers + (remainingName.hasPrefix("alt+") ? "" : "alt+") + remainingName
    }
}
