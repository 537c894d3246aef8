/// What targets need to take values from clients, with the errors mpv answers.
extension JSONValue {
    /// The value as `get_property_string` and the text of commands have it: `yes` and `no`, fractions with six digits,
    /// lists as JSON.
    var propertyString: String {
        switch self {
        case .null: ""
        case .bool(let flag): flag ? "yes" : "no"
        case .int(let number): String(number)
        case .double(let number): number.isFinite ? String(decoding: Self.digits(number), as: UTF8.self) : "nan"
        case .string(let text): text
        case .array, .object: encoded
        }
    }

    /// For a property that is on or off: a boolean, or `yes` or `no` as a string (an empty one is `yes`, as in mpv).
    func propertyFlag() throws(IPCError) -> Bool {
        switch self {
        case .bool(let flag): return flag
        case .string("yes"), .string(""): return true
        case .string("no"): return false
        case .string: throw .propertyFormat
        default: throw .propertyError
        }
    }

    /// For a property that is a number: one, or a string that reads as one; within `range`.
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

    /// For an argument of a command: a number, or a string that reads as one.
    func argumentNumber() throws(IPCError) -> Double {
        guard let number else { throw .invalidParameter }
        return number
    }

    /// For an argument of a command that is text: only a string.
    func argumentString() throws(IPCError) -> String {
        guard case .string(let text) = self else { throw .invalidParameter }
        return text
    }

    /// The number this is or, as a string, says; never infinite, never not a number.
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
