import MediaPipeline

/// Converts JSON values from clients to Swift values, and throws the errors with which mpv replies.
extension JSONValue {
    /// The value as `get_property_string` returns it: booleans as `yes` and `no`, fractions with six digits, lists and
    /// objects as JSON.
    var propertyString: String {
        switch self {
        case .null: ""
        case .bool(let flag): flag ? "yes" : "no"
        case .int(let number): String(number)
        case .double(let number):
            number.isFinite ? String(decoding: Self.decimalDigits(of: number), as: UTF8.self) : "nan"
        case .string(let text): text
        case .undecodedString(let bytes): String(decoding: bytes, as: UTF8.self)
        case .array, .object: encoded
        }
    }

    /// Returns the value for a boolean property: a boolean, or `yes` or `no`. As in mpv, an empty string means `yes`.
    ///
    /// - Throws: ``IPCError/propertyFormat`` for any other string, ``IPCError/propertyError`` for any other type.
    func propertyFlag() throws(IPCError) -> Bool {
        switch self {
        case .bool(let flag): return flag
        case .string("yes"), .string(""): return true
        case .string("no"): return false
        case .string: throw .propertyFormat
        default: throw .propertyError
        }
    }

    /// Returns the value for a numeric property: a number in `range`, or a string that contains one.
    ///
    /// - Throws: ``IPCError/propertyFormat`` for a malformed string or a number out of range,
    ///   ``IPCError/propertyError`` for any other type.
    func propertyNumber(in range: ClosedRange<Double> = -.greatestFiniteMagnitude ... .greatestFiniteMagnitude)
        throws(IPCError) -> Double
    {
        switch self {
        case .int, .double, .string:
            guard let number, range.contains(number) else { throw .propertyFormat }
            return number
        default: throw .propertyError
        }
    }

    /// Returns the value for a numeric argument of a command: a finite number, or a string that contains one.
    ///
    /// - Throws: ``IPCError/invalidParameter`` for any other value.
    func argumentNumber() throws(IPCError) -> Double {
        guard let number else { throw .invalidParameter }
        return number
    }

    /// Returns the value for a text argument of a command.
    ///
    /// - Throws: ``IPCError/invalidParameter`` if the value is not a string.
    func argumentString() throws(IPCError) -> String {
        switch self {
        case .string(let text): return text
        case .undecodedString(let bytes): return String(decoding: bytes, as: UTF8.self)
        default: throw .invalidParameter
        }
    }

    /// Returns the location for an argument of a command that names a file or an address.
    ///
    /// - Throws: ``IPCError/invalidParameter`` if the value is not a string.
    func argumentLocation() throws(IPCError) -> String {
        switch self {
        case .string(let text): return MediaLocation.location(written: Array(text.utf8))
        case .undecodedString(let bytes): return MediaLocation.location(written: bytes)
        default: throw .invalidParameter
        }
    }

    /// The finite number that this value is or, as a string, contains; nil for any other value.
    private var number: Double? {
        switch self {
        case .int(let number): return Double(number)
        case .double(let number): return number.isFinite ? number : nil
        case .string(let text):
            guard let number = Double(text.drop { $0 == " " }), number.isFinite else { return nil }
            return number
        default: return nil
        }
    }
}
