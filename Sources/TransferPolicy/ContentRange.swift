/// The field `Content-Range` of a response (RFC 9110, section 14.4).
package enum ContentRange: Equatable, Sendable {
    /// The body is the bytes `first` to `last` of the content; the total is nil if the server sends `*`.
    case part(first: Int64, last: Int64, total: Int64?)
    /// The requested range does not exist in the content; the total is nil if the server does not state it.
    case unsatisfied(total: Int64?)

    /// Parses the value of the field; nil if its unit is not `bytes`, if it is malformed or contradicts itself.
    package init?(_ value: String) {
        let words = value.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let total = Self.number(parts[1])
        guard total != nil || parts[1] == "*" else { return nil }
        if parts[0] == "*" {
            self = .unsatisfied(total: total)
            return
        }
        let bounds = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, let first = Self.number(bounds[0]), let last = Self.number(bounds[1]), first <= last,
            last < total ?? .max
        else { return nil }
        self = .part(first: first, last: last, total: total)
    }

    /// Returns the number that a text of decimal digits states; nil for other text and beyond 64 bits.
    static func number(_ text: some StringProtocol) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text)
    }
}
