/// The attributes of a playlist tag (RFC 8216, section 4.2).
///
/// The list is tolerant: it accepts white space around names and values, skips text without an equals sign, and keeps
/// the first of two attributes with the same name.
package struct AttributeList {
    /// The text of an attribute, without its quotation marks.
    private struct Value {
        package let text: String
        package let isQuoted: Bool
    }

    /// The tag that has the attributes.
    package let tag: PlaylistTag
    /// The attributes by name.
    private var values: [String: Value] = [:]

    /// Reads the attributes of a tag and replaces the variables in quoted strings and hexadecimal sequences.
    ///
    /// - Throws: `invalidAttributes` for an unterminated string or too many attributes, or an error in a variable.
    package init(_ tag: PlaylistTag, _ variables: inout PlaylistVariables, limits: PlaylistLimits) throws(PlaylistError)
    {
        self.tag = tag
        var remainingBytes = tag.value
        while !remainingBytes.isEmpty {
            let nameEnd =
                remainingBytes.firstIndex { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ",") }
                ?? remainingBytes.endIndex
            let name = Self.trimmed(remainingBytes[..<nameEnd])
            guard nameEnd < remainingBytes.endIndex, remainingBytes[nameEnd] == UInt8(ascii: "=") else {
                remainingBytes = remainingBytes[nameEnd...].dropFirst()
                continue
            }
            remainingBytes = remainingBytes[(nameEnd + 1)...].drop { $0 == 0x20 || $0 == 9 }
            let value = try Self.takeValue(&remainingBytes, tag, &variables)
            let key = String(decoding: name, as: UTF8.self)
            guard values[key] == nil else { continue }
            guard values.count < limits.attributes else {
                throw PlaylistError(.invalidAttributes(tag: tag.name), line: tag.line)
            }
            values[key] = value
        }
    }

    /// Removes the attribute value at the start of `rest` and the comma after it, and returns the value.
    private static func takeValue(
        _ rest: inout ArraySlice<UInt8>, _ tag: PlaylistTag, _ variables: inout PlaylistVariables
    ) throws(PlaylistError) -> Value {
        let isQuoted = rest.first == UInt8(ascii: "\"")
        var text: ArraySlice<UInt8>
        if isQuoted {
            rest = rest.dropFirst()
            guard let end = rest.firstIndex(of: UInt8(ascii: "\"")) else {
                throw PlaylistError(.invalidAttributes(tag: tag.name), line: tag.line)
            }
            text = rest[..<end]
            rest = rest[end...]
        } else {
            text = trimmed(rest.prefix { $0 != UInt8(ascii: ",") })
        }
        rest = rest.drop { $0 != UInt8(ascii: ",") }.dropFirst()
        text = try variables.expand(text, line: tag.line)
        return Value(text: String(decoding: text, as: UTF8.self), isQuoted: isQuoted)
    }

    /// Returns the text without spaces and tabs at its ends.
    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = text.drop { $0 == 0x20 || $0 == 9 }
        while let last = text.last, last == 0x20 || last == 9 { text.removeLast() }
        return text
    }

    /// Returns the text of a quoted string or of an enumerated string.
    package subscript(_ name: String) -> String? { values[name]?.text }

    /// Returns the text of a quoted string; nil if the attribute is missing or not quoted.
    package func quotedString(_ name: String) -> String? {
        guard let value = values[name], value.isQuoted else { return nil }
        return value.text
    }

    /// Returns a decimal integer; nil if it is missing, malformed or too large.
    package func integer(_ name: String) -> Int? { self[name].flatMap { DecimalText.integer($0.utf8) } }

    /// Returns an unsigned number of seconds, converted to nanoseconds; nil if it is missing, malformed or too large.
    package func nanoseconds(_ name: String) -> Int64? { self[name].flatMap { DecimalText.billionths($0.utf8) } }

    /// Returns an unsigned decimal number; nil if it is missing, malformed or too large.
    package func decimal(_ name: String) -> Double? { nanoseconds(name).map { Double($0) / 1_000_000_000 } }

    /// Returns whether an attribute's value is the enumerated string `YES`.
    package func isSetToYes(_ name: String) -> Bool { self[name] == "YES" }

    /// Returns the parts of a comma-separated list, without white space around them and without empty parts.
    package func list(_ name: String) -> [String] {
        (self[name] ?? "").utf8.split(separator: UInt8(ascii: ",")).compactMap { part in
            let text = String(decoding: Self.trimmed(Array(part)[...]), as: UTF8.self)
            return text.isEmpty ? nil : text
        }
    }

    /// Returns the address in an attribute; nil if it is missing.
    package func address(
        _ name: String, in base: PlaylistBase, allowsData: Bool = false
    ) throws(PlaylistError) -> PlaylistAddress? {
        guard let text = self[name] else { return nil }
        return try PlaylistAddress(text.utf8, in: base, allowsData: allowsData, line: tag.line)
    }
}
