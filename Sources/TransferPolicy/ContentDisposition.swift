/// The field `Content-Disposition` of a response (RFC 6266).
package enum ContentDisposition {
    /// The maximum length of a name, in bytes. Longer names are ignored.
    static let nameLimit = 1024

    /// Returns the file name that a server suggests, exactly as the server states it; nil if there is none or if it is
    /// malformed. The name may contain slashes and other characters that a file name must not have.
    package static func fileName(_ value: String) -> String? {
        let parameters = parameters(Array(value.utf8))
        let extended = parameters.first { $0.name == "filename*" }.flatMap { extendedName($0.value) }
        let name =
            extended ?? parameters.first { $0.name == "filename" }.map { String(decoding: $0.value, as: UTF8.self) }
        guard let name, !name.isEmpty, name.utf8.count <= nameLimit else { return nil }
        return name
    }

    /// A parameter of the field.
    private struct Parameter {
        var name: String
        var value: [UInt8]
    }

    /// Splits the field into its parameters; quoted values lose their quotes and backslashes.
    private static func parameters(_ bytes: [UInt8]) -> [Parameter] {
        var result: [Parameter] = []
        var rest = bytes[...]
        // The disposition type, such as `attachment`, ends at the first semicolon.
        while let semicolon = rest.firstIndex(of: UInt8(ascii: ";")) {
            rest = rest[(semicolon + 1)...].drop { $0 == UInt8(ascii: " ") || $0 == 9 }
            guard let equals = rest.firstIndex(of: UInt8(ascii: "=")) else { break }
            let name = String(decoding: rest[..<equals], as: UTF8.self).filter { !$0.isWhitespace }.lowercased()
            rest = rest[(equals + 1)...].drop { $0 == UInt8(ascii: " ") || $0 == 9 }
            let value = rest.first == UInt8(ascii: "\"") ? quotedValue(&rest) : plainValue(&rest)
            result.append(Parameter(name: name, value: value))
        }
        return result
    }

    /// Removes and returns a quoted value at the start of `rest`.
    private static func quotedValue(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        var value: [UInt8] = []
        rest = rest.dropFirst()
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() {
                value.append(escaped)
            } else {
                value.append(byte)
            }
        }
        return value
    }

    /// Removes and returns a value without quotes at the start of `rest`.
    private static func plainValue(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        let value = rest.prefix { $0 != UInt8(ascii: ";") }
        rest = rest[value.endIndex...]
        return Array(value.reversed().drop { $0 == UInt8(ascii: " ") || $0 == 9 }.reversed())
    }

    /// Decodes a value with its character set, such as `UTF-8''na%C3%AFve.txt` (RFC 8187); nil if it is malformed or if
    /// the character set is not UTF-8.
    private static func extendedName(_ value: [UInt8]) -> String? {
        let parts = value.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, String(decoding: parts[0], as: UTF8.self).lowercased() == "utf-8" else { return nil }
        var bytes: [UInt8] = []
        var rest = parts[2]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(code)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
