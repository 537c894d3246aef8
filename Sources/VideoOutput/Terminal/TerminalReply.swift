/// A terminal's reply to a query.
package enum TerminalReply: Sendable, Equatable {
    /// The primary device attributes (`CSI ? … c`); the number 4 among them means that the terminal supports sixels.
    case attributes([Int])
    /// Whether the terminal supports kitty graphics.
    case kittyGraphics(Bool)
    /// The size of one cell in pixels.
    case cellSize(width: Int, height: Int)
    /// Whether the terminal draws 24-bit colours without replacing them by colours of a palette.
    case directColour(Bool)
    /// The number of colours of a sixel image (XTSMGRAPHICS).
    case sixelColourCount(Int)
    /// The maximum size of a sixel image in pixels (XTSMGRAPHICS).
    case maximumSixelSize(width: Int, height: Int)
    /// The number of colours in the terminal's palette.
    case colourCount(Int)

    /// Parses the body of a device control string (DCS): a reply to XTGETTCAP (`1 + r name=value`, in hexadecimal
    /// digits) or to DECRQSS (`1 $ r … m`), both as documented by xterm. Returns nil if the terminal rejects the query,
    /// and for other strings.
    static func deviceControl(_ body: String) -> TerminalReply? {
        if body.hasPrefix("1+r") { return terminfoReply(body.dropFirst(3)) }
        if body.hasPrefix("1$r"), body.hasSuffix("m") { return renditionReply(body.dropFirst(3).dropLast()) }
        return nil
    }

    /// Parses the names and values of a reply to XTGETTCAP. `RGB` and `Tc` are extended capabilities of terminfo for
    /// 24-bit colours; `Co` is the number of colours.
    private static func terminfoReply(_ text: Substring) -> TerminalReply? {
        var result: TerminalReply?
        for entry in text.split(separator: ";") {
            let nameAndValue = entry.split(separator: "=", maxSplits: 1).map { hexadecimalText($0) }
            switch nameAndValue.first {
            case "RGB", "Tc": return .directColour(true)
            case "Co", "colors":
                if nameAndValue.count == 2, let count = Int(nameAndValue[1]) { result = .colourCount(count) }
            default: break
            }
        }
        return result
    }

    /// Parses the graphic rendition (SGR) that the terminal reports after ``TerminalCapabilities/queries`` has selected
    /// the 24-bit background colour 1, 2, 3. Parameters are separated by semicolons or colons, and an empty colour
    /// space may precede the three components.
    private static func renditionReply(_ text: Substring) -> TerminalReply? {
        let numbers = text.split { $0 == ";" || $0 == ":" }.compactMap { Int($0) }
        guard let start = numbers.firstIndex(of: 48), start + 1 < numbers.count else { return nil }
        if numbers[start + 1] == 5 { return .directColour(false) }
        return numbers[start + 1] == 2 && numbers.suffix(3) == [1, 2, 3] ? .directColour(true) : nil
    }

    /// Decodes pairs of hexadecimal digits to ASCII; stops at the first invalid pair.
    private static func hexadecimalText(_ digits: Substring) -> String {
        var result = "", rest = digits
        while rest.count >= 2, let value = UInt8(rest.prefix(2), radix: 16), value < 0x80 {
            result.unicodeScalars.append(Unicode.Scalar(value))
            rest = rest.dropFirst(2)
        }
        return result
    }
}
