/// Text in which a user writes control characters as escapes, as in mpv's option `--term-status-msg`.
enum EscapedText {
    /// Replaces the escapes `\n`, `\r`, `\t`, `\b`, `\e`, `\"`, `\\`, `\xHH` and `\uHHHH`; nil if an escape is invalid.
    static func unescaped(_ text: String) -> String? {
        var result = String.UnicodeScalarView()
        var remainingScalars = Substring(text).unicodeScalars
        while let scalar = remainingScalars.popFirst() {
            guard scalar == "\\" else {
                result.append(scalar)
                continue
            }
            switch remainingScalars.popFirst() {
            case "n": result.append("\n")
            case "r": result.append("\r")
            case "t": result.append("\t")
            case "b": result.append("\u{8}")
            case "e": result.append("\u{1b}")
            case "\"": result.append("\"")
            case "\\": result.append("\\")
            case "x":
                guard let value = hexadecimal(&remainingScalars, count: 2) else { return nil }
                result.append(value)
            case "u":
                guard let value = hexadecimal(&remainingScalars, count: 4) else { return nil }
                result.append(value)
            default: return nil
            }
        }
        return String(result)
    }

    /// Removes `count` hexadecimal digits from the start of `text`, and returns their scalar; nil if there is none.
    private static func hexadecimal(_ text: inout Substring.UnicodeScalarView, count: Int) -> Unicode.Scalar? {
        let digits = text.prefix(count)
        text = text.dropFirst(count)
        guard digits.count == count, digits.allSatisfy(\.properties.isASCIIHexDigit) else { return nil }
        return UInt32(Substring(digits), radix: 16).flatMap(Unicode.Scalar.init)
    }
}
