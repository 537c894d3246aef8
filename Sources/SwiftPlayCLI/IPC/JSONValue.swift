/// A JSON value. Like mpv, it distinguishes integers from fractions.
enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    /// A string that is not UTF-8, such as the name of a file. Encoded with U+FFFD in place of the invalid bytes.
    case undecodedString([UInt8])
    case array([JSONValue])
    /// An object. The encoder writes the keys in alphabetical order.
    case object([String: JSONValue])
}

extension JSONValue {
    /// Creates a string from bytes that should be UTF-8.
    init(stringBytes bytes: [UInt8]) {
        self = String(validating: bytes, as: UTF8.self).map(JSONValue.string) ?? .undecodedString(bytes)
    }
}

extension JSONValue: Equatable {
    /// Compares two values. NaN equals NaN, so that a property that stays NaN does not count as changed.
    static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.int(let a), .int(let b)): a == b
        case (.double(let a), .double(let b)): a == b || (a.isNaN && b.isNaN)
        case (.string(let a), .string(let b)): a == b
        case (.undecodedString(let a), .undecodedString(let b)): a == b
        case (.array(let a), .array(let b)): a == b
        case (.object(let a), .object(let b)): a == b
        default: false
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(integerLiteral value: Int64) { self = .int(value) }
    init(floatLiteral value: Double) { self = .double(value) }
    init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Creates an object. As in mpv, the first of duplicate keys counts.
    init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { first, _ in first }))
    }
}
