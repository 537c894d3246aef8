/// Replaces the properties in a text with mpv's syntax, such as `${time-pos}`.
///
/// | Text | Result |
/// |---|---|
/// | `${NAME}` | the property's value for people; `(unavailable)` or `(error)` without one |
/// | `${=NAME}` | the property's value without formatting |
/// | `${NAME:TEXT}` | the value; the expanded TEXT if there is none |
/// | `${?NAME:TEXT}`, `${!NAME:TEXT}` | the expanded TEXT if the property has a value, or has none |
/// | `${?NAME==VALUE:TEXT}`, `${!NAME==VALUE:TEXT}` | the expanded TEXT if the unformatted value is, or is not, VALUE |
/// | `$$`, `$}`, `$>` | `$`, `}`, and the end of expansion |
enum PropertyExpansion {
    /// The result of reading a property.
    enum Value: Equatable {
        case text(String)
        /// The property has no value now.
        case unavailable
        /// There is no such property.
        case unknown
    }

    /// Returns a property's value. The first argument is the name, the second whether the value is unformatted.
    typealias Reader = (String, Bool) -> Value

    /// The largest number of nested expansions.
    private static let depthLimit = 16

    /// Returns `text` with the values of properties in place of `${…}`. A `$` that begins none of the forms above
    /// stays.
    static func expand(_ text: String, reading read: Reader) -> String {
        var remainingText = text[...]
        return expand(&remainingText, isNested: false, depth: 0, read)
    }

    /// Expands `remainingText` up to its end, or up to the closing brace if `isNested` is true, and removes the
    /// expanded part from `remainingText`.
    private static func expand(_ remainingText: inout Substring, isNested: Bool, depth: Int, _ read: Reader) -> String {
        var result = ""
        while let character = remainingText.popFirst() {
            if character == "}", isNested { return result }
            guard character == "$", let nextCharacter = remainingText.first else {
                result.append(character)
                continue
            }
            switch nextCharacter {
            case "$", "}":
                result.append(nextCharacter)
                remainingText.removeFirst()
            case ">" where !isNested:
                result += remainingText.dropFirst()
                remainingText = ""
            case "{":
                remainingText.removeFirst()
                result += expansion(&remainingText, depth: depth, read)
            default: result.append(character)
            }
        }
        return result
    }

    /// Returns the expansion of the text after `${`, and removes it with its closing brace from `remainingText`.
    private static func expansion(_ remainingText: inout Substring, depth: Int, _ read: Reader) -> String {
        guard depth < depthLimit else {
            remainingText = ""
            return ""
        }
        let condition = remainingText.first == "?" || remainingText.first == "!" ? remainingText.removeFirst() : nil
        let isRaw = condition == nil && remainingText.first == "="
        if isRaw { remainingText.removeFirst() }
        var head = remainingText.prefix { $0 != ":" && $0 != "}" }
        remainingText = remainingText[head.endIndex...]
        var comparedText: Substring?
        if condition != nil, let separator = head.firstRange(of: "==") {
            comparedText = head[separator.upperBound...]
            head = head[..<separator.lowerBound]
        }
        let hasFallback = remainingText.first == ":"
        if !remainingText.isEmpty { remainingText.removeFirst() }
        let fallback = hasFallback ? expand(&remainingText, isNested: true, depth: depth + 1, read) : nil
        let value = read(String(head), isRaw || comparedText != nil)
        if let condition {
            let isMet: Bool =
                if let comparedText { value == .text(String(comparedText)) } else if case .text = value { true } else {
                    false
                }
            return isMet == (condition == "?") ? fallback ?? "" : ""
        }
        return switch value {
        case .text(let text): text
        case .unavailable: fallback ?? "(unavailable)"
        case .unknown: fallback ?? "(error)"
        }
    }
}
