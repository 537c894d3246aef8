/// Checks a JSON text (RFC 8259) and reports the members of interest without building values.
struct JSONValidator {
    /// The deepest nesting of arrays and objects.
    static let depthLimit = 32

    /// The text is not valid JSON, or is nested too deeply.
    struct InvalidText: Error {}

    /// A value, as far as a notification needs it.
    enum Scalar: Equatable {
        case array, object, null
        case string(String)
        case number(Double?)
        case boolean(Bool)
    }

    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0
    /// Receives the path and the kind of each member of an object, down to three levels.
    private var members: [[String]: Scalar] = [:]

    /// Returns the members of a JSON object by their paths, down to three levels.
    /// - Throws: ``InvalidText`` if the bytes are not one JSON object in UTF-8.
    static func members(of bytes: [UInt8]) throws(InvalidText) -> [[String]: Scalar] {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw InvalidText() }
        var validator = JSONValidator(bytes: bytes)
        validator.skipSpace()
        guard try validator.readValue(path: []) == .object else { throw InvalidText() }
        validator.skipSpace()
        guard validator.position == bytes.count else { throw InvalidText() }
        return validator.members
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = current, [0x20, 0x09, 0x0a, 0x0d].contains(byte) { position += 1 }
    }

    private mutating func read(_ byte: Character) -> Bool {
        guard current == byte.asciiValue else { return false }
        position += 1
        return true
    }

    private mutating func readValue(path: [String]) throws(InvalidText) -> Scalar {
        switch current {
        case UInt8(ascii: "{"):
            try readObject(path: path)
            return .object
        case UInt8(ascii: "["):
            try readArray()
            return .array
        case UInt8(ascii: "\""): return .string(try readString())
        case UInt8(ascii: "t"): return try readWord("true", .boolean(true))
        case UInt8(ascii: "f"): return try readWord("false", .boolean(false))
        case UInt8(ascii: "n"): return try readWord("null", .null)
        default: return try readNumber()
        }
    }

    private mutating func readObject(path: [String]) throws(InvalidText) {
        try enter()
        skipSpace()
        if read("}") { return leave() }
        repeat {
            skipSpace()
            let name = try readString()
            skipSpace()
            guard read(":") else { throw InvalidText() }
            skipSpace()
            let memberPath = path + [name]
            let value = try readValue(path: memberPath)
            if memberPath.count <= 3 { members[memberPath] = value }
            skipSpace()
        } while read(",")
        guard read("}") else { throw InvalidText() }
        leave()
    }

    private mutating func readArray() throws(InvalidText) {
        try enter()
        skipSpace()
        if read("]") { return leave() }
        repeat {
            skipSpace()
            // Members of objects in arrays are of no interest: their path is too long to be reported.
            _ = try readValue(path: ["", "", "", ""])
            skipSpace()
        } while read(",")
        guard read("]") else { throw InvalidText() }
        leave()
    }

    private mutating func enter() throws(InvalidText) {
        position += 1
        depth += 1
        if depth > Self.depthLimit { throw InvalidText() }
    }

    private mutating func leave() { depth -= 1 }

    /// Reads a string and returns its text.
    private mutating func readString() throws(InvalidText) -> String {
        guard read("\"") else { throw InvalidText() }
        // Escaped characters are UTF-16, in which two units may form one character; the text between them is UTF-8.
        var text = "", start = position, units: [UInt16] = []
        while let byte = current {
            position += 1
            guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
                if byte < 0x20 { throw InvalidText() }
                continue
            }
            let plain = bytes[start..<position - 1]
            if !plain.isEmpty {
                text += String(decoding: units, as: UTF16.self) + String(decoding: plain, as: UTF8.self)
                units = []
            }
            if byte == UInt8(ascii: "\"") { return text + String(decoding: units, as: UTF16.self) }
            units.append(try readEscape())
            start = position
        }
        throw InvalidText()
    }

    /// Reads an escape sequence after its backslash, and returns its UTF-16 code unit.
    private mutating func readEscape() throws(InvalidText) -> UInt16 {
        guard let byte = current else { throw InvalidText() }
        position += 1
        switch byte {
        case UInt8(ascii: "u"):
            var unit: UInt16 = 0
            for _ in 0..<4 {
                guard let digit = current.flatMap({ Character(UnicodeScalar($0)).hexDigitValue }) else {
                    throw InvalidText()
                }
                unit = unit << 4 | UInt16(truncatingIfNeeded: digit)
                position += 1
            }
            return unit
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return UInt16(byte)
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "f"): return 0x0C
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "t"): return 0x09
        default: throw InvalidText()
        }
    }

    private mutating func readWord(_ word: StaticString, _ value: Scalar) throws(InvalidText) -> Scalar {
        for byte in String(describing: word).utf8 {
            guard current == byte else { throw InvalidText() }
            position += 1
        }
        return value
    }

    private mutating func readNumber() throws(InvalidText) -> Scalar {
        let start = position
        _ = read("-")
        if !read("0") { try readDigits() }
        if read(".") { try readDigits() }
        if read("e") || read("E") {
            if !read("+") { _ = read("-") }
            try readDigits()
        }
        return .number(Double(String(decoding: bytes[start..<position], as: UTF8.self)))
    }

    private mutating func readDigits() throws(InvalidText) {
        let start = position
        while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        if position == start { throw InvalidText() }
    }
}
