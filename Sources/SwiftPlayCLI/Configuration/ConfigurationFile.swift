/// The parsed content of a configuration file such as `swiftplay.conf`, in mpv's syntax.
///
/// Each line sets an option, as `name=value` or, for a switch, as `name` or `no-name`. `#` begins a comment. A value
/// may stand in single or double quotes, or follow its length in bytes: `%5%a # b`. A line `[name]` begins a profile,
/// which lasts until the next such line; `[default]` returns to the settings that always apply.
struct ConfigurationFile: Sendable, Equatable {
    /// A line that sets an option.
    struct Setting: Sendable, Equatable {
        var name: String
        /// The value without quotes; nil if the line has only a name.
        var value: String?
        /// The number of the line, from 1.
        var line: Int
    }

    /// A line that could not be parsed.
    struct Problem: Sendable, Equatable {
        /// The number of the line, from 1.
        var line: Int
        /// The reason, in words for the user.
        var reason: String
    }

    /// The settings that always apply, in the order of their lines.
    private(set) var settings: [Setting] = []
    /// The settings of each profile, by the profile's name.
    private(set) var profiles: [String: [Setting]] = [:]
    /// The lines that could not be parsed.
    private(set) var problems: [Problem] = []

    /// The error of a line that cannot be parsed.
    private struct LineError: Error { var reason: String }

    init(parsing text: String) {
        var profile: String?
        let lines = text.drop { $0 == "\u{feff}" }.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            do throws(LineError) {
                let line = line.drop(while: \.isWhitespace)
                guard let firstCharacter = line.first, firstCharacter != "#" else { continue }
                if firstCharacter == "[" {
                    profile = try Self.profileName(line)
                    if let profile, profiles[profile] == nil { profiles[profile] = [] }
                    continue
                }
                let setting = try Self.setting(line, number: index + 1)
                if let profile { profiles[profile, default: []].append(setting) } else { settings.append(setting) }
            } catch {
                problems.append(Problem(line: index + 1, reason: error.reason))
            }
        }
    }

    /// Returns the name of the profile that a line `[name]` begins; nil for `[default]`.
    private static func profileName(_ line: Substring) throws(LineError) -> String? {
        guard let end = line.firstIndex(of: "]") else { throw LineError(reason: "']' is missing") }
        try requireEnd(line[line.index(after: end)...])
        let name = line[line.index(after: line.startIndex)..<end]
        return name == "default" ? nil : String(name)
    }

    /// Parses a line that sets an option. Spaces at the start of the line were removed.
    private static func setting(_ line: Substring, number: Int) throws(LineError) -> Setting {
        let name = line.prefix { !$0.isWhitespace && $0 != "=" && $0 != "#" }
        guard !name.isEmpty else { throw LineError(reason: "a name of an option is missing") }
        let remainingText = line[name.endIndex...].drop(while: \.isWhitespace)
        // mpv's manual writes options with hyphens in front, which users copy into the file.
        let option = name.hasPrefix("--") ? name.dropFirst(2) : name
        guard remainingText.first == "=" else {
            try requireEnd(remainingText)
            return Setting(name: String(option), line: number)
        }
        let value = try value(remainingText.dropFirst().drop(while: \.isWhitespace))
        return Setting(name: String(option), value: value, line: number)
    }

    /// Parses the value of an option, which ends at a comment or at the end of the line.
    private static func value(_ text: Substring) throws(LineError) -> String {
        switch text.first {
        case let quote? where quote == "\"" || quote == "'":
            let quotedText = text.dropFirst()
            guard let end = quotedText.firstIndex(of: quote) else {
                throw LineError(reason: "the quotation mark \(quote) is not closed")
            }
            try requireEnd(quotedText[quotedText.index(after: end)...])
            return String(quotedText[..<end])
        case "%":
            let digits = text.dropFirst().prefix(while: \.isASCII).prefix(while: \.isNumber)
            let quotedText = text[digits.endIndex...]
            guard let length = Int(digits), quotedText.first == "%",
                let end = end(ofBytes: length, in: quotedText.dropFirst())
            else {
                throw LineError(reason: "a value that begins with % must be written in quotes, or as %LENGTH%TEXT")
            }
            try requireEnd(text[end...])
            return String(quotedText.dropFirst()[..<end])
        default:
            let value = text.prefix { $0 != "#" }
            return String(value.reversed().drop(while: \.isWhitespace).reversed())
        }
    }

    /// Returns the index at which `length` bytes of a text end; nil if the text is shorter or if the index is within a
    /// character.
    private static func end(ofBytes length: Int, in text: Substring) -> Substring.Index? {
        guard let end = text.utf8.index(text.startIndex, offsetBy: length, limitedBy: text.endIndex) else { return nil }
        return String.Index(end, within: text)
    }

    /// Throws unless a text contains only spaces and a comment.
    private static func requireEnd(_ text: Substring) throws(LineError) {
        let remainingText = text.drop(while: \.isWhitespace)
        guard remainingText.isEmpty || remainingText.first == "#" else {
            throw LineError(reason: "unexpected text at the end: '\(remainingText)'")
        }
    }
}
