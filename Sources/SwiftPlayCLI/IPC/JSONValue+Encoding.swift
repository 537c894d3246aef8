import Glibc

extension JSONValue {
    /// The value as JSON text.
    var encoded: String {
        var bytes: [UInt8] = []
        encode(into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the value to `bytes` as JSON text without line breaks. JSON cannot represent NaN and infinity; they
    /// become `null`.
    func encode(into bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let flag): bytes.append(contentsOf: (flag ? "true" : "false").utf8)
        case .int(let number): bytes.append(contentsOf: String(number).utf8)
        case .double(let number):
            bytes.append(contentsOf: number.isFinite ? Self.decimalDigits(of: number) : Array("null".utf8))
        case .string(let text): Self.encode(text, into: &bytes)
        case .undecodedString(let text): Self.encode(String(decoding: text, as: UTF8.self), into: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (i, element) in elements.enumerated() {
                if i > 0 { bytes.append(UInt8(ascii: ",")) }
                element.encode(into: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            Self.encode(members: members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, into: &bytes)
        }
    }

    /// Appends a JSON object to `bytes`. The keys keep the order of `members`.
    static func encode(members: [(String, JSONValue)], into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "{"))
        for (i, member) in members.enumerated() {
            if i > 0 { bytes.append(UInt8(ascii: ",")) }
            encode(member.0, into: &bytes)
            bytes.append(UInt8(ascii: ":"))
            member.1.encode(into: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    /// Returns the ASCII digits of a number as mpv prints it: with six digits after a decimal point, independent of the
    /// locale.
    static func decimalDigits(of number: Double) -> [UInt8] {
        // The largest double has 309 digits before the point.
        var buffer = [CChar](repeating: 0, count: 400)
        let count = withVaList([number]) { vsnprintf(&buffer, buffer.count, "%f", $0) }
        return buffer.prefix(max(0, min(Int(count), buffer.count - 1))).map { character in
            let byte = UInt8(bitPattern: character)
            let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            return isDigit || byte == UInt8(ascii: "-") ? byte : UInt8(ascii: ".")
        }
    }

    /// Appends a text to `bytes` as a JSON string with its quotes.
    private static func encode(_ text: String, into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(contentsOf: [UInt8(ascii: "\\"), byte])
            case 0x08: bytes.append(contentsOf: #"\b"#.utf8)
            case 0x0C: bytes.append(contentsOf: #"\f"#.utf8)
            case 0x0A: bytes.append(contentsOf: #"\n"#.utf8)
            case 0x0D: bytes.append(contentsOf: #"\r"#.utf8)
            case 0x09: bytes.append(contentsOf: #"\t"#.utf8)
            case 0..<0x10: bytes.append(contentsOf: (#"\u000"# + String(byte, radix: 16)).utf8)
            case 0x10..<0x20: bytes.append(contentsOf: (#"\u00"# + String(byte, radix: 16)).utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
