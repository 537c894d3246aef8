/// Functions that extract plain text from ASS events.
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
        while let character = remainingText.popFirst() {
            switch character {
            case "{" where !isTag && remainingText.contains("}"): (isTag, tag) = (true, "")
            case "}" where isTag:
                isTag = false
                // \p1 starts a vector drawing and \p0 ends it; its coordinates are not text.
                if let mode = tag.drawingMode { isDrawing = mode }
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

    /// Returns whether the event moves or changes while it is shown.
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
    /// Whether these ASS tags switch vector drawing on (true) or off (false); nil if they do not contain `\p`.
    fileprivate var drawingMode: Bool? {
        var mode: Bool?
        for part in split(separator: "\\") where part.first == "p" {
            let digits = part.dropFirst()
            if let first = digits.first, first.isNumber { mode = first != "0" }
        }
        return mode
    }
}
