/// A reference to a resource, split as RFC 3986, appendix B describes. A pure value.
package struct URIReference: Sendable, Equatable {
    /// The text before the first colon, as written, such as `https`; nil if there is none.
    package var scheme: Substring?
    /// The user, host and port, which follow `//`; nil if there is no `//`.
    package var authority: Substring?
    /// The text between the authority and the query; may be empty.
    package var path: Substring
    /// The text after the question mark; nil if there is none.
    package var query: Substring?
    /// The text after the number sign; nil if there is none.
    package var fragment: Substring?

    /// Splits a text. Accepts every text, without checking its characters.
    package init(_ text: String) {
        var remainingText = text[...]
        if let separator = remainingText.utf8.firstIndex(of: UInt8(ascii: "#")) {
            fragment = Self.withoutFirstByte(remainingText[separator...])
            remainingText = remainingText[..<separator]
        }
        if let separator = remainingText.utf8.firstIndex(of: UInt8(ascii: "?")) {
            query = Self.withoutFirstByte(remainingText[separator...])
            remainingText = remainingText[..<separator]
        }
        if let end = Self.schemeEnd(of: remainingText) {
            scheme = remainingText[..<end]
            remainingText = Self.withoutFirstByte(remainingText[end...])
        }
        if remainingText.utf8.starts(with: "//".utf8) {
            remainingText = Self.withoutFirstByte(Self.withoutFirstByte(remainingText))
            let end = remainingText.utf8.firstIndex(of: UInt8(ascii: "/")) ?? remainingText.endIndex
            authority = remainingText[..<end]
            remainingText = remainingText[end...]
        }
        path = remainingText
    }

    /// The reference as text (RFC 3986, section 5.3).
    package var text: String {
        var result = ""
        if let scheme { result += scheme + ":" }
        if let authority {
            result += "//" + authority
        } else if path.utf8.starts(with: "//".utf8) {
            // Add this prefix, because the path would otherwise be read as a host.
            result += "/."
        }
        result += path
        if let query { result += "?" + query }
        if let fragment { result += "#" + fragment }
        return result
    }

    /// Returns the target of this reference, relative to `base` (RFC 3986, section 5.2.2, strict).
    package func resolved(against base: URIReference) -> URIReference {
        var target = self
        if scheme != nil || authority != nil {
            target.path = Self.removingDotSegments(path)
        } else if path.isEmpty {
            target.path = base.path
            target.query = query ?? base.query
        } else {
            target.path = Self.removingDotSegments(path.utf8.first == UInt8(ascii: "/") ? path : merged(with: base))
        }
        if scheme == nil {
            target.scheme = base.scheme
            if authority == nil { target.authority = base.authority }
        }
        return target
    }

    /// Returns this relative path below the folder of the base (RFC 3986, section 5.2.3).
    private func merged(with base: URIReference) -> Substring {
        if base.authority != nil, base.path.isEmpty { return "/" + path }
        guard let slashIndex = base.path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
        return base.path[..<base.path.utf8.index(after: slashIndex)] + path
    }

    /// Removes the segments `.` and `..` (RFC 3986, section 5.2.4).
    package static func removingDotSegments(_ path: Substring) -> Substring {
        guard path.utf8.contains(UInt8(ascii: ".")) else { return path }
        let isAbsolute = path.utf8.first == UInt8(ascii: "/")
        let segments = (isAbsolute ? withoutFirstByte(path) : path).utf8.split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        var keptSegments: [Substring] = []
        for (index, segment) in segments.enumerated() {
            let isParent = segment.elementsEqual("..".utf8)
            guard isParent || segment.elementsEqual(".".utf8) else {
                keptSegments.append(Substring(segment))
                continue
            }
            if isParent { _ = keptSegments.popLast() }
            // At the end of a path, `.` and `..` denote a folder, so the result ends with a slash.
            if index == segments.count - 1 { keptSegments.append("") }
        }
        return (isAbsolute ? "/" : "") + keptSegments.joined(separator: "/")
    }

    /// Returns the text without its first byte, an ASCII character. `dropFirst` would also remove a combining character
    /// after it.
    private static func withoutFirstByte(_ text: Substring) -> Substring { Substring(text.utf8.dropFirst()) }

    /// Returns the index of the colon after a scheme (RFC 3986, section 3.1).
    private static func schemeEnd(of text: Substring) -> Substring.Index? {
        guard let colonIndex = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let candidate = text[..<colonIndex].utf8
        guard let firstCharacter = candidate.first, isLetter(firstCharacter) else { return nil }
        let isScheme = candidate.allSatisfy { byte in
            isLetter(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: ".")
        }
        return isScheme ? colonIndex : nil
    }

    /// Returns whether a byte is an ASCII letter.
    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
