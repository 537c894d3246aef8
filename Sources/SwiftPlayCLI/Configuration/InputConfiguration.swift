/// The key bindings of `input.conf`, in mpv's syntax: `KEY command arguments ; command`.
struct InputConfiguration: Sendable, Equatable {
    /// A key with the commands that it triggers.
    struct Binding: Sendable, Equatable {
        /// mpv's name of the key, as ``KeyName`` spells it.
        var key: String
        /// The commands; empty if the key is ignored.
        var commands: [IPCCommand]
        /// The number of the line, from 1.
        var line: Int
        /// The commands as the file spells them, without the comment.
        var text = ""
        /// The comment after the commands; nil if there is none.
        var comment: String?
    }

    /// The bindings in the order of their lines; the last one of a key applies.
    private(set) var bindings: [Binding] = []
    /// The lines that could not be parsed.
    private(set) var problems: [ConfigurationFile.Problem] = []

    /// The error of a line that cannot be parsed.
    private struct LineError: Error { var reason: String }

    init(parsing text: String) {
        let lines = text.drop { $0 == "\u{feff}" }.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let line = line.drop(while: \.isWhitespace)
            guard let firstCharacter = line.first, firstCharacter != "#" else { continue }
            do throws(LineError) {
                bindings.append(try Self.binding(line, number: index + 1))
            } catch {
                problems.append(ConfigurationFile.Problem(line: index + 1, reason: error.reason))
            }
        }
    }

    /// Parses a line. Spaces at its start were removed.
    private static func binding(_ line: Substring, number: Int) throws(LineError) -> Binding {
        let name = line.prefix { !$0.isWhitespace }
        var text = line[name.endIndex...].drop(while: \.isWhitespace)
        guard let key = KeyName.canonical(String(name)) else { throw LineError(reason: "unknown key '\(name)'") }
        if text.first == "{", let end = text.firstIndex(of: "}") {
            guard text[..<end].dropFirst() == "default" else {
                throw LineError(reason: "only the section {default} is supported")
            }
            text = text[text.index(after: end)...]
        }
        let bytes = ArraySlice(text.utf8)
        guard let (commands, commentIndex) = IPCTextCommands.parseWithComment(bytes) else {
            throw LineError(reason: "a quotation mark in the command is not closed")
        }
        guard !commands.isEmpty else { throw LineError(reason: "the key '\(name)' has no command") }
        for command in commands {
            guard let bareCommand = command.withoutPrefixes else { throw LineError(reason: "a command is missing") }
            guard MPVCommandNames.contains(bareCommand.name) else {
                throw LineError(reason: "unknown command '\(bareCommand.name)'")
            }
        }
        let isIgnored = commands.count == 1 && commands[0].withoutPrefixes?.name == "ignore"
        let comment = trimmed(bytes[commentIndex...].dropFirst())
        return Binding(
            key: key, commands: isIgnored ? [] : commands, line: number, text: trimmed(bytes[..<commentIndex]),
            comment: comment.isEmpty ? nil : comment)
    }

    /// Returns text without spaces at its ends.
    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
        let text = String(decoding: bytes, as: UTF8.self).drop(while: \.isWhitespace)
        return String(text.prefix(upTo: text.lastIndex { !$0.isWhitespace }.map(text.index(after:)) ?? text.startIndex))
    }
}
