/// A parser of one JSON value from untrusted bytes. Never traps, and limits nesting to ``maximumDepth`` levels.
///
/// Scripts rely on the leniency of mpv's parser. Therefore this parser also accepts trailing commas, keys without
/// quotes and `=` in place of `:`, and ignores bytes after the value. The first of duplicate keys counts. A string
/// that is not UTF-8 keeps its bytes; a key that is not UTF-8 contains U+FFFD.
struct JSONParser {
    /// The largest number of nested arrays and objects.
    static let maximumDepth = 50
    /// The text to parse.
    private let bytes: ArraySlice<UInt8>
    /// The index of the next byte.
    private(set) var position: Int

    /// The error for malformed JSON, without a position: the reply to the client only says that the request is invalid.
    struct MalformedJSONError: Error, Equatable {}

    /// Creates a parser that starts at the first of `bytes`.
    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// Returns the value at the beginning of `bytes`; nil if the bytes are not valid JSON.
    static func value(in bytes: some Sequence<UInt8>) -> JSONValue? {
        var parser = JSONParser(ArraySlice(bytes))
        return try? parser.parseValue(depth: 0)
    }

    /// The next byte to parse; nil at the end of the text.
    private var nextByte: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

    /// Parses the value at ``position``; `depth` is the number of arrays and objects that enclose it.
    private mutating func parseValue(depth: Int) throws(MalformedJSONError) -> JSONValue {
        guard depth < Self.maximumDepth else { throw MalformedJSONError() }
        skipSpace()
        guard let firstByte = nextByte else { throw MalformedJSONError() }
        switch firstByte {
        case UInt8(ascii: "{"): return try parseObject(depth: depth)
        case UInt8(ascii: "["): return try parseArray(depth: depth)
        case UInt8(ascii: "\""): return JSONValue(stringBytes: try parseString())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try parseNumber()
        default:
            switch readWord() {
            case "null": return .null
            case "true": return .bool(true)
            case "false": return .bool(false)
            default: throw MalformedJSONError()
            }
        }
    }

    /// Parses the object whose opening brace is at ``position``.
    private mutating func parseObject(depth: Int) throws(MalformedJSONError) -> JSONValue {
        var members: [String: JSONValue] = [:]
        position += 1
        while true {
            skipSpace()
            if skipIfNext("}") { return .object(members) }
            let key = nextByte == UInt8(ascii: "\"") ? String(decoding: try parseString(), as: UTF8.self) : readWord()
            guard !key.isEmpty || bytes[position - 1] == UInt8(ascii: "\"") else { throw MalformedJSONError() }
            skipSpace()
            guard skipIfNext(":") || skipIfNext("=") else { throw MalformedJSONError() }
            let value = try parseValue(depth: depth + 1)
            if members[key] == nil { members[key] = value }
            skipSpace()
            guard skipIfNext(",") || nextByte == UInt8(ascii: "}") else { throw MalformedJSONError() }
        }
    }

    /// Parses the array whose opening bracket is at ``position``.
    private mutating func parseArray(depth: Int) throws(MalformedJSONError) -> JSONValue {
        var elements: [JSONValue] = []
        position += 1
        while true {
            skipSpace()
            if skipIfNext("]") { return .array(elements) }
            elements.append(try parseValue(depth: depth + 1))
            skipSpace()
            guard skipIfNext(",") || nextByte == UInt8(ascii: "]") else { throw MalformedJSONError() }
        }
    }

    /// Parses the number that begins at ``position``.
    private mutating func parseNumber() throws(MalformedJSONError) -> JSONValue {
        let text = readText { byte in
            byte.isASCIIAlphanumeric || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
                || byte == UInt8(ascii: ".")
        }
        if let integer = Int64(text) { return .int(integer) }
        guard let number = Double(text), number.isFinite else { throw MalformedJSONError() }
        return .double(number)
    }

    /// Parses the string whose opening quote is at ``position``, and moves ``position`` past the closing quote.
    ///
    /// - Returns: The bytes of the string, which may be invalid UTF-8.
    mutating func parseString() throws(MalformedJSONError) -> [UInt8] {
        var text: [UInt8] = []
        position += 1
        while let byte = nextByte {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return text
            case UInt8(ascii: "\\"): try parseEscape(into: &text)
            default: text.append(byte)
            }
        }
        throw MalformedJSONError()
    }

    /// Parses an escape sequence, of which the backslash was already read, and appends its character to `text`.
    private mutating func parseEscape(into text: inout [UInt8]) throws(MalformedJSONError) {
        guard let byte = nextByte else { throw MalformedJSONError() }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "x"): text.append(UInt8(truncatingIfNeeded: try parseHexadecimal(digits: 2)))
        case UInt8(ascii: "u"):
            var codePoint = try parseHexadecimal(digits: 4)
            if (0xD800..<0xDC00).contains(codePoint), skipIfNext("\\"), skipIfNext("u") {
                let low = try parseHexadecimal(digits: 4)
                guard (0xDC00..<0xE000).contains(low) else { throw MalformedJSONError() }
                codePoint = 0x10000 + (codePoint - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(codePoint) else { throw MalformedJSONError() }
            text.append(contentsOf: String(Character(scalar)).utf8)
        default: throw MalformedJSONError()
        }
    }

    /// Parses a hexadecimal number with a fixed number of digits.
    private mutating func parseHexadecimal(digits: Int) throws(MalformedJSONError) -> UInt32 {
        var result: UInt32 = 0
        for _ in 0..<digits {
            guard let byte = nextByte, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw MalformedJSONError()
            }
            result = result << 4 | UInt32(digit)
            position += 1
        }
        return result
    }

    /// Reads and returns the letters, digits and underscores at ``position``.
    private mutating func readWord() -> String { readText { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "_") } }

    /// Reads and returns the bytes at ``position`` for which `isIncluded` returns true.
    private mutating func readText(while isIncluded: (UInt8) -> Bool) -> String {
        let start = position
        while let byte = nextByte, isIncluded(byte) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// Moves ``position`` past white space.
    private mutating func skipSpace() {
        while let byte = nextByte, byte.isASCIISpace { position += 1 }
    }

    /// If `character` is the next character, moves ``position`` past it and returns true. Otherwise returns false.
    private mutating func skipIfNext(_ character: Unicode.Scalar) -> Bool {
        guard nextByte == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }
}

extension UInt8 {
    /// Whether the byte is a space, tab, carriage return or line feed.
    var isASCIISpace: Bool { self == 0x20 || self == 0x09 || self == 0x0D || self == 0x0A }

    /// Whether the byte is an ASCII letter or digit.
    var isASCIIAlphanumeric: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: false
        }
    }
}
