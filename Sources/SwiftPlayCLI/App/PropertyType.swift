/// The type of a property's value. It decides what `add` and `cycle` do, and how messages show the value.
enum PropertyType: Sendable {
    case flag
    /// An integer; `add` stays within the range.
    case integer(ClosedRange<Double> = -1e9...1e9)
    /// A number; `add` stays within the range.
    case number(ClosedRange<Double> = -1e9...1e9)
    /// A position or duration in seconds, shown as hours, minutes and seconds.
    case time
    /// A delay in seconds, shown in milliseconds.
    case delay
    /// A number of bytes, shown with a unit.
    case bytes
    /// One of these texts; `cycle` selects the next one.
    case choice([String])
    /// The number of a track, `no` or `auto`.
    case track
    case text
    case list
    case object

    /// mpv's name of the type, for `option-info/NAME/type`.
    var name: String {
        switch self {
        case .flag: "Flag"
        case .integer: "Integer"
        case .number: "Float"
        case .time, .delay: "Time"
        case .bytes: "ByteSize"
        case .choice, .track: "Choice"
        case .text: "String"
        case .list: "String list"
        case .object: "Key/value list"
        }
    }

    /// The values to which `add` and `multiply` may set the property; nil if it is not a number.
    var range: ClosedRange<Double>? {
        switch self {
        case .integer(let range), .number(let range): range
        case .time, .delay, .bytes: -1e9...1e9
        default: nil
        }
    }

    /// Returns a value as a message shows it (mpv's `${NAME}`), where ``JSONValue/propertyString`` is the unformatted
    /// text (`${=NAME}`).
    func displayText(of value: JSONValue) -> String {
        switch (self, value) {
        case (.time, .double(let seconds)): return ClockText.text(seconds)
        case (.delay, .double(let seconds)): return "\(Int64(clamping: Int((seconds * 1000).rounded()))) ms"
        case (.bytes, .int(let count)): return Self.byteText(Double(count))
        case (.number, .double(let number)): return Self.shortText(number)
        case (_, .object(let members)):
            return members.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.propertyString)" }
                .joined(separator: "\n")
        default: return value.propertyString
        }
    }

    /// Returns a number of bytes with a unit, such as `1.287 MiB`.
    private static func byteText(_ count: Double) -> String {
        let units = [(Double(1 << 30), "GiB"), (Double(1 << 20), "MiB"), (Double(1 << 10), "KiB")]
        guard let (factor, unit) = units.first(where: { count >= $0.0 }) else { return "\(Int64(count)) B" }
        return String(decoding: JSONValue.decimalDigits(of: count / factor).dropLast(3), as: UTF8.self) + " " + unit
    }

    /// Returns a number without the zeros at its end.
    private static func shortText(_ number: Double) -> String {
        var digits = JSONValue.double(number).propertyString
        guard digits.contains(".") else { return digits }
        while digits.last == "0" { digits.removeLast() }
        if digits.last == "." { digits.removeLast() }
        return digits
    }
}
