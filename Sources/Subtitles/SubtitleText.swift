/// Functions that read the text of ASS events (Advanced SubStation Alpha).
package enum SubtitleText {
    /// Returns the event's text without formatting tags and drawings.
    ///
    /// - Parameter event: An ASS event: `Layer,Style,Name,MarginL,MarginR,MarginV,Effect,Text`.
    package static func plainText(_ event: String) -> String {
        let fields = event.split(separator: ",", maxSplits: 7, omittingEmptySubsequences: false)
        guard fields.count == 8 else { return "" }
        var result = ""
        var isTag = false, isDrawing = false
        var tag = ""
        var remainingText = fields[7]
        // A search for each opening brace would take quadratic time.
        let lastClosingBrace = remainingText.lastIndex(of: "}")
        while let character = remainingText.popFirst() {
            switch character {
            case "{" where !isTag && lastClosingBrace.map { $0 >= remainingText.startIndex } == true:
                (isTag, tag) = (true, "")
            case "}" where isTag:
                isTag = false
                // \p1 starts a vector drawing and \p0 ends it; its coordinates are not text.
                if let startsDrawing = tag.startsDrawing { isDrawing = startsDrawing }
            case _ where isTag: tag.append(character)
            case _ where isDrawing: break
            case "\\":
                switch remainingText.first {
                case "N", "n": result.append("\n")
                case "h": result.append(" ")
                default:
                    result.append(character)
                    continue
                }
                remainingText = remainingText.dropFirst()
            default: result.append(character)
            }
        }
        return result
    }

    /// Returns the text of an ASS event with its formatting tags, as `plainText` receives it.
    package static func taggedText(_ event: String) -> String {
        let fields = event.split(separator: ",", maxSplits: 7, omittingEmptySubsequences: false)
        return fields.count == 8 ? String(fields[7]) : ""
    }

    /// Returns an ASS event with the plain text of `event`, at the upper edge.
    package static func topAlignedPlainEvent(_ event: String) -> String {
        // A backslash before a brace, and a word joiner after a backslash, keep the text from being a tag.
        let text = plainText(event).replacing("\\", with: "\\\u{2060}").replacing("{", with: "\\{").replacing(
            "\n", with: "\\N")
        return "0,Default,,0,0,0,,{\\an8}" + text
    }

    /// Returns whether the text of an ASS event moves or changes while it is visible.
    package static func isAnimated(_ event: String) -> Bool {
        let fields = event.split(separator: ",", maxSplits: 7, omittingEmptySubsequences: false)
        guard fields.count == 8 else { return false }
        if !fields[6].isEmpty { return true }
        let text = fields[7]
        guard text.contains("{") else { return false }
        return ["\\t(", "\\move", "\\fad", "\\k", "\\K"].contains { text.contains($0) }
    }
}

extension String {
    /// Whether the ASS tags in this text start (true) or end (false) a vector drawing; nil if the text contains no tag
    /// `\p`.
    fileprivate var startsDrawing: Bool? {
        var startsDrawing: Bool?
        for tagName in split(separator: "\\") where tagName.first == "p" {
            let digits = tagName.dropFirst()
            if let firstDigit = digits.first, firstDigit.isNumber { startsDrawing = firstDigit != "0" }
        }
        return startsDrawing
    }
}
