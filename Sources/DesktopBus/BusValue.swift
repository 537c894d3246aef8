/// A D-Bus value.
package indirect enum BusValue: Sendable, Equatable {
    case byte(UInt8)
    case bool(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case objectPath(String)
    case signature(String)
    case bytes([UInt8])
    /// An array: the type signature of its elements, which an empty array also needs, and the elements.
    case array(of: String, [BusValue])
    /// A dictionary of the D-Bus type `a{sv}` (strings to variants). Its values are stored without their variants.
    case dictionary([String: BusValue])
    /// One entry of a dictionary whose type is not `a{sv}`; D-Bus represents such a dictionary as an array of entries.
    case entry(BusValue, BusValue)
    case structure([BusValue])
    /// A value that carries its own type signature.
    case variant(BusValue)

    /// Returns a value that holds an array of strings.
    package static func strings(_ texts: [String]) -> BusValue { .array(of: "s", texts.map { .string($0) }) }

    /// The value's D-Bus type signature.
    package var typeSignature: String {
        switch self {
        case .byte: "y"
        case .bool: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .bytes: "ay"
        case .array(let element, _): "a" + element
        case .dictionary: "a{sv}"
        case .entry(let key, let value): "{\(key.typeSignature)\(value.typeSignature)}"
        case .structure(let members): "(\(members.map(\.typeSignature).joined()))"
        case .variant: "v"
        }
    }

    /// The content of a variant, without all nested variants; for other types, the value itself.
    package var unwrapped: BusValue { if case .variant(let content) = self { content.unwrapped } else { self } }

    /// The text of a string or an object path; nil for other types.
    package var text: String? {
        switch self {
        case .string(let text), .objectPath(let text): text
        default: nil
        }
    }

    /// The value as an integer, for every integer type; nil for other types and for values beyond `Int64`.
    package var integer: Int64? {
        switch self {
        case .byte(let number): Int64(number)
        case .int16(let number): Int64(number)
        case .uint16(let number): Int64(number)
        case .int32(let number): Int64(number)
        case .uint32(let number): Int64(number)
        case .int64(let number): number
        case .uint64(let number): Int64(exactly: number)
        default: nil
        }
    }

    /// The value as a floating-point number, for doubles and all integer types; nil for other types.
    package var number: Double? {
        if case .double(let number) = self { return number }
        return integer.map(Double.init)
    }

    /// The value of a boolean; nil for other types.
    package var boolean: Bool? { if case .bool(let boolean) = self { boolean } else { nil } }
    /// The entries of an `a{sv}` dictionary; nil for other types.
    package var dictionary: [String: BusValue]? { if case .dictionary(let entries) = self { entries } else { nil } }
    /// The elements of an array, except an array of bytes; nil for other types.
    package var elements: [BusValue]? { if case .array(_, let elements) = self { elements } else { nil } }
}
