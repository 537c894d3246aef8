/// The variables of a playlist and their replacement (draft-pantos-hls-rfc8216bis, section 4.3).
package struct PlaylistVariables: Sendable {
    /// The values of the defined variables, by name.
    package private(set) var values: [String: String] = [:]
    /// The number of bytes inserted so far in place of variables.
    private var insertedBytes = 0
    /// The limits on the number of variables and of inserted bytes.
    private let limits: PlaylistLimits

    package init(limits: PlaylistLimits) { self.limits = limits }

    /// Defines a variable.
    ///
    /// - Throws: `invalidDefinition` if the name is malformed or already defined, or if there are too many variables.
    package mutating func define(_ name: String, as value: String, line: Int) throws(PlaylistError) {
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isNameCharacter), values[name] == nil,
            values.count < limits.variables
        else { throw PlaylistError(.invalidDefinition(name), line: line) }
        values[name] = value
    }

    /// Returns the text with each `{$name}` replaced by the variable's value. Braces that do not enclose a name stay.
    ///
    /// - Throws: `undefinedVariable`, or `expansionTooLarge` if the values inserted into the playlist exceed the limit.
    package mutating func expand(_ text: ArraySlice<UInt8>, line: Int) throws(PlaylistError) -> ArraySlice<UInt8> {
        guard text.contains(UInt8(ascii: "{")) else { return text }
        var result: [UInt8] = []
        var remainingText = text
        while let brace = remainingText.firstIndex(of: UInt8(ascii: "{")) {
            result += remainingText[..<brace]
            remainingText = remainingText[brace...]
            let name = remainingText.dropFirst(2).prefix(while: Self.isNameCharacter)
            guard remainingText.dropFirst().first == UInt8(ascii: "$"), !name.isEmpty,
                name.endIndex < remainingText.endIndex,
                remainingText[name.endIndex] == UInt8(ascii: "}")
            else {
                result.append(remainingText[brace])
                remainingText = remainingText.dropFirst()
                continue
            }
            let key = String(decoding: name, as: UTF8.self)
            guard let value = values[key] else { throw PlaylistError(.undefinedVariable(key), line: line) }
            insertedBytes += value.utf8.count
            guard insertedBytes <= limits.bytes else {
                throw PlaylistError(.expansionTooLarge(limit: limits.bytes), line: line)
            }
            result += value.utf8
            remainingText = remainingText[(name.endIndex + 1)...]
        }
        return (result + remainingText)[...]
    }

    /// Returns the value of a parameter in the query of an address, percent-decoded; nil if it is missing or empty.
    package static func queryParameter(_ name: String, of address: URIReference) -> String? {
        for parameter in (address.query ?? "").utf8.split(separator: UInt8(ascii: "&")) {
            let equalsSign = parameter.firstIndex(of: UInt8(ascii: "=")) ?? parameter.endIndex
            guard PercentEncoding.decoded(String(Substring(parameter[..<equalsSign]))) == name else { continue }
            let value = PercentEncoding.decoded(String(Substring(parameter[equalsSign...].dropFirst())))
            return value.isEmpty ? nil : value
        }
        return nil
    }

    /// Returns whether a variable's name may contain the byte.
    private static func isNameCharacter(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "_")
    }
}
