extension TerminalText {
    /// The maximum number of characters between the start and the end of a sequence for colours.
    private static let parameterLimit = 64

    /// Returns the sanitised text, cut to a width of `columns` cells, in which sequences for colours and font styles
    /// (SGR) stay. The default colours are restored at its end.
    package static func styledLine(_ text: String, columns: Int) -> String {
        var result = "", remainingColumns = max(0, columns), isStyled = false
        var plainText = String.UnicodeScalarView()
        func appendPlainText() {
            for (scalars, width) in fitting(String(plainText), columns: .max) {
                // Text after a character that does not fit is cut off, even if it is narrower.
                guard width <= remainingColumns else {
                    remainingColumns = 0
                    break
                }
                result.unicodeScalars += scalars
                remainingColumns -= width
            }
            plainText = .init()
        }
        var remainingScalars = Substring(text).unicodeScalars
        while let scalar = remainingScalars.popFirst() {
            if scalar == "\u{1b}", let sequenceEnd = endOfStyle(remainingScalars) {
                appendPlainText()
                result += "\u{1b}" + String(remainingScalars[..<sequenceEnd])
                remainingScalars = remainingScalars[sequenceEnd...]
                isStyled = true
            } else {
                plainText.append(scalar)
            }
        }
        appendPlainText()
        return isStyled ? result + "\u{1b}[0m" : result
    }

    /// Returns the end of the sequence for colours whose text after the Escape begins with `text`; nil if there is no
    /// such sequence.
    private static func endOfStyle(_ text: Substring.UnicodeScalarView) -> String.Index? {
        guard text.first == "[" else { return nil }
        let parameters = text.dropFirst().prefix(parameterLimit).prefix {
            ("0"..."9").contains($0) || $0 == ";" || $0 == ":"
        }
        guard parameters.endIndex < text.endIndex, text[parameters.endIndex] == "m" else { return nil }
        return text.index(after: parameters.endIndex)
    }
}
