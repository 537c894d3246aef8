/// A parser of one JSON value from untrusted bytes. It never traps and limits nesting to ``maximumDepth`` levels.
///
/// Scripts rely on the leniency of mpv's parser. Like it, this parser accepts trailing commas, keys without quotes and
/// `=` in place of `:`, and ignores bytes after the value. Of duplicate keys the first counts. Invalid UTF-8 becomes
/// U+FFFD.
struct JSONParser {
    static let maximumDepth = 50
    private let bytes: ArraySlice<UInt8>
    private(set) var position: Int

    /// The error for malformed JSON. It has no position, because the client only learns that its request is invalid.
    struct Malformed: Error, Equatable {}

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// Returns the value at the beginning of `bytes`; nil if the bytes are not valid JSON.
    static func value(in bytes: some Sequence<UInt8>) -> JSONValue? {
        var parser = JSONParser(ArraySlice(bytes))
        return try? parser.value(depth: 0)
    }

    private var next: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

    private mutating func value(depth: Int) throws(Malformed) -> JSONValue {
        guard depth < Self.maximumDepth else { throw Malformed() }
        skipSpace()
        guard let first = next else { throw Malformed() }
        switch first {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default:
            switch word() {
            case "null": return .null
            case "true": return .bool(true)
            case "false": return .bool(false)
            default: throw Malformed()
            }
        }
    }

    private mutating func object(depth: Int) throws(Malformed) -> JSONValue {
        var members: [String: JSONValue] = [:]
        position += 1
        while true {
            skipSpace()
            if take("}") { return .object(members) }
            let key = next == UInt8(ascii: "\"") ? try string() : word()
            guard !key.isEmpty || bytes[position - 1] == UInt8(ascii: "\"") else { throw Malformed() }
            skipSpace()
            guard take(":") || take("=") else { throw Malformed() }
            let value = try value(depth: depth + 1)
            if members[key] == nil { members[key] = value }
            skipSpace()
            guard take(",") || next == UInt8(ascii: "}") else { throw Malformed() }
        }
    }

    private mutating func array(depth: Int) throws(Malformed) -> JSONValue {
        var elements: [JSONValue] = []
        position += 1
        while true {
            skipSpace()
            if take("]") { return .array(elements) }
            elements.append(try value(depth: depth + 1))
            skipSpace()
            guard take(",") || next == UInt8(ascii: "]") else { throw Malformed() }
        }
    }

    private mutating func number() throws(Malformed) -> JSONValue {
        let text = span { byte in
            byte.isASCIIAlphanumeric || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
                || byte == UInt8(ascii: ".")
        }
        if let whole = Int64(text) { return .int(whole) }
        guard let number = Double(text), number.isFinite else { throw Malformed() }
        return .double(number)
    }

    /// Parses the string whose opening quote is at ``position``, and moves ``position`` past the closing quote.
    mutating func string() throws(Malformed) -> String {
        var text: [UInt8] = []
        position += 1
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): try escape(into: &text)
            default: text.append(byte)
            }
        }
        throw Malformed()
    }

    private mutating func escape(into text: inout [UInt8]) throws(Malformed) {
        guard let byte = next else { throw Malformed() }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "x"): text.append(UInt8(truncatingIfNeeded: try hexadecimal(digits: 2)))
        case UInt8(ascii: "u"):
            var code = try hexadecimal(digits: 4)
            if (0xD800..<0xDC00).contains(code), take("\\"), take("u") {
                let low = try hexadecimal(digits: 4)
                guard (0xDC00..<0xE000).contains(low) else { throw Malformed() }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw Malformed() }
            text.append(contentsOf: String(Character(scalar)).utf8)
        default: throw Malformed()
        }
    }

    private mutating func hexadecimal(digits: Int) throws(Malformed) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<digits {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw Malformed() }
            code = code << 4 | UInt32(digit)
            position += 1
        }
        return code
    }

    private mutating func word() -> String { span { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "_") } }

    private mutating func span(while belongs: (UInt8) -> Bool) -> String {
        let start = position
        while let byte = next, belongs(byte) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func skipSpace() {
        while let byte = next, byte.isASCIISpace { position += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }
}

extension UInt8 {
    /// True for space, tab, carriage return and line feed.
    var isASCIISpace: Bool { self == 0x20 || self == 0x09 || self == 0x0D || self == 0x0A }

    var isASCIIAlphanumeric: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: false
        }
    }
}
