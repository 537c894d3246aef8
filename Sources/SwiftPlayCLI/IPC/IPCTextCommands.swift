/// The parser of mpv's plain-text commands, such as `seek 10 relative; set title "a b"`.
enum IPCTextCommands {
    /// Returns the commands of a line in order; nil if any command is malformed. As in mpv, no command of a malformed
    /// line is executed.
    ///
    /// Spaces separate words, `;` separates commands, and `#` begins a comment. A word may stand in double quotes, with
    /// the escapes of JSON, or in single quotes, without escapes. All arguments are strings.
    static func parse(_ line: ArraySlice<UInt8>) -> [IPCCommand]? { parseWithComment(line)?.commands }

    /// Returns the commands of a line as ``parse(_:)`` does, and the index of the `#` that begins the comment; the end
    /// of the line if it has no comment.
    static func parseWithComment(
        _ line: ArraySlice<UInt8>
    ) -> (commands: [IPCCommand], commentIndex: ArraySlice<UInt8>.Index)? {
        var commands: [IPCCommand] = []
        var words: [[UInt8]] = []
        var position = line.startIndex

        func endCommand() {
            if let name = words.first {
                commands.append(
                    IPCCommand(
                        String(decoding: name, as: UTF8.self), words.dropFirst().map(JSONValue.init(stringBytes:))))
            }
            words = []
        }

        while position < line.endIndex, line[position] != UInt8(ascii: "#") {
            let byte = line[position]
            if byte.isASCIISpace {
                position += 1
            } else if byte == UInt8(ascii: ";") {
                endCommand()
                position += 1
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                guard let (word, end) = quotedWord(line[position...]), end == line.endIndex || endsWord(line[end])
                else {
                    return nil
                }
                words.append(word)
                position = end
            } else {
                let end = line[position...].firstIndex(where: endsWord) ?? line.endIndex
                words.append(Array(line[position..<end]))
                position = end
            }
        }
        endCommand()
        return (commands, position)
    }

    /// Whether a byte ends a word without quotes.
    private static func endsWord(_ byte: UInt8) -> Bool {
        byte.isASCIISpace || byte == UInt8(ascii: ";") || byte == UInt8(ascii: "#")
    }

    /// Returns the quoted word at the beginning of `bytes` and the index after its closing quote; nil if the quote is
    /// not closed.
    private static func quotedWord(_ bytes: ArraySlice<UInt8>) -> ([UInt8], Int)? {
        if bytes.first == UInt8(ascii: "'") {
            let quotedBytes = bytes.dropFirst()
            guard let end = quotedBytes.firstIndex(of: UInt8(ascii: "'")) else { return nil }
            return (Array(quotedBytes[..<end]), end + 1)
        }
        var parser = JSONParser(bytes)
        guard let word = try? parser.parseString() else { return nil }
        return (word, parser.position)
    }
}
