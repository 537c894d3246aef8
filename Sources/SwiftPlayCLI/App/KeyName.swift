/// mpv's names of keys, and their spelling in the tables of this program.
enum KeyName {
    /// The modifiers, as the names of keys spell and order them.
    private static let modifiers = ["Shift", "ctrl", "alt", "meta"]

    /// The names of the keys that are not single characters, as mpv lists them.
    static let specialNames: [String] =
        [
            "SPACE", "SHARP", "ENTER", "TAB", "BS", "DEL", "INS", "HOME", "END", "PGUP", "PGDWN", "ESC", "PRINT",
            "RIGHT", "LEFT", "DOWN", "UP", "KP_DEL", "KP_DEC", "KP_INS", "KP_ENTER", "MBTN_LEFT", "MBTN_MID",
            "MBTN_RIGHT", "WHEEL_UP", "WHEEL_DOWN", "WHEEL_LEFT", "WHEEL_RIGHT", "MBTN_BACK", "MBTN_FORWARD",
            "MBTN_LEFT_DBL", "MBTN_MID_DBL", "MBTN_RIGHT_DBL", "POWER", "MENU", "PLAY", "PAUSE", "PLAYPAUSE", "STOP",
            "FORWARD", "REWIND", "NEXT", "PREV", "VOLUME_UP", "VOLUME_DOWN", "MUTE", "PLAYONLY", "PAUSEONLY",
            "CLOSE_WIN",
        ] + (1...24).map { "F\($0)" } + (0...9).map { "KP\($0)" }

    /// All names of keys that are not single characters, also those that no output of this program reports.
    private static let knownNames = Set(
        specialNames + (9...19).map { "MBTN\($0)" }
            + ["RECORD", "CHANNEL_UP", "CHANNEL_DOWN", "KP_ADD", "KP_SUBTRACT", "KP_MULTIPLY", "KP_DIVIDE"])

    /// Names of characters that have a meaning in `input.conf`, and older names of keys.
    private static let otherNames = [
        "SHARP": "#", "PLUS": "+", "MOUSE_BTN0": "MBTN_LEFT", "MOUSE_BTN1": "MBTN_MID", "MOUSE_BTN2": "MBTN_RIGHT",
        "MOUSE_BTN3": "WHEEL_UP", "MOUSE_BTN4": "WHEEL_DOWN", "AXIS_UP": "WHEEL_UP", "AXIS_DOWN": "WHEEL_DOWN",
        "MOUSE_BTN0_DBL": "MBTN_LEFT_DBL",
    ]

    /// Returns the one spelling of a key that the tables of this program use; nil if no key has that name.
    ///
    /// Modifiers may be written in any order. Upper and lower case are equal in modifiers and in names of special keys.
    static func canonical(_ name: String) -> String? {
        var remainingName = name[...], givenModifiers: Set<String> = []
        while let plusIndex = remainingName.dropFirst().firstIndex(of: "+"),
            remainingName.index(after: plusIndex) < remainingName.endIndex,
            let modifier = modifiers.first(where: { $0.lowercased() == remainingName[..<plusIndex].lowercased() })
        {
            givenModifiers.insert(modifier)
            remainingName = remainingName[remainingName.index(after: plusIndex)...]
        }
        guard var key = withoutModifiers(String(remainingName)) else { return nil }
        // Characters have no `Shift+` prefix, because they already depend on Shift.
        if key.count == 1, givenModifiers.remove("Shift") != nil { key = key.uppercased() }
        return modifiers.filter(givenModifiers.contains).map { $0 + "+" }.joined() + key
    }

    /// Returns the spelling of a key without modifiers; nil for an unknown key.
    private static func withoutModifiers(_ name: String) -> String? {
        guard name.count > 1 else { return name.isEmpty || name == " " ? nil : name }
        let upperName = name.uppercased()
        return otherNames[upperName] ?? (knownNames.contains(upperName) ? upperName : nil)
    }
}
