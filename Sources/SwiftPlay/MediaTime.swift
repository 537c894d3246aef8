/// A time on an item's timeline: a whole number of parts of a second (CMTime).
public struct MediaTime: Sendable, Hashable, Comparable, CustomStringConvertible {
    private enum Kind: Int8, Sendable { case invalid, negativeInfinity, numeric, positiveInfinity, indefinite }

    /// How many parts.
    public let value: Int64
    /// Parts in a second.
    public let timescale: Int32
    private let kind: Kind

    /// `value / timescale` seconds; invalid where `timescale` is not positive.
    public init(value: Int64, timescale: Int32) {
        self.init(value: value, timescale: timescale, kind: timescale > 0 ? .numeric : .invalid)
    }

    /// The nearest number of parts; invalid for a number that is none.
    public init(seconds: Double, preferredTimescale: Int32 = 1_000_000_000) {
        guard seconds.isFinite, preferredTimescale > 0,
            let value = Int64(exactly: (seconds * Double(preferredTimescale)).rounded())
        else {
            self = seconds == .infinity ? .positiveInfinity : .invalid
            return
        }
        self.init(value: value, timescale: preferredTimescale)
    }

    private init(value: Int64, timescale: Int32, kind: Kind) {
        self.value = value
        self.timescale = timescale
        self.kind = kind
    }

    public static let zero = MediaTime(value: 0, timescale: 1)
    public static let invalid = MediaTime(value: 0, timescale: 0, kind: .invalid)
    /// Of a duration that is not known, or has no end.
    public static let indefinite = MediaTime(value: 0, timescale: 0, kind: .indefinite)
    public static let positiveInfinity = MediaTime(value: 0, timescale: 0, kind: .positiveInfinity)

    public var isValid: Bool { kind != .invalid }
    public var isNumeric: Bool { kind == .numeric }
    public var isIndefinite: Bool { kind == .indefinite }

    /// Seconds; not a number for a time that is none.
    public var seconds: Double {
        switch kind {
        case .numeric: Double(value) / Double(timescale)
        case .positiveInfinity: .infinity
        case .negativeInfinity: -.infinity
        case .invalid, .indefinite: .nan
        }
    }

    package init(nanoseconds: Int64) { self.init(value: nanoseconds, timescale: 1_000_000_000) }

    /// Whole nanoseconds; nil for a time that is no number or too far away (292 years).
    package var nanoseconds: Int64? {
        guard isNumeric else { return nil }
        let product = value.multipliedFullWidth(by: 1_000_000_000)
        // Below 9e9 seconds the quotient fits, so that dividing cannot trap.
        guard abs(Double(value) / Double(timescale)) < 9e9 else { return nil }
        return Int64(timescale).dividingFullWidth(product).quotient
    }

    public static func < (a: MediaTime, b: MediaTime) -> Bool {
        guard a.isNumeric, b.isNumeric else { return a.kind.rawValue < b.kind.rawValue }
        let l = a.value.multipliedFullWidth(by: Int64(b.timescale)),
            r = b.value.multipliedFullWidth(by: Int64(a.timescale))
        return (l.high, l.low) < (r.high, r.low)
    }

    public static func == (a: MediaTime, b: MediaTime) -> Bool {
        a.kind == b.kind && (!a.isNumeric || (!(a < b) && !(b < a)))
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        guard isNumeric else { return }
        // Equal times have equal reduced fractions.
        var (a, b) = (value.magnitude, UInt64(timescale))
        while b != 0 { (a, b) = (b, a % b) }
        hasher.combine(value / Int64(max(a, 1)))
        hasher.combine(Int64(timescale) / Int64(max(a, 1)))
    }

    public var description: String {
        switch kind {
        case .numeric: "\(seconds) s"
        case .invalid: "invalid"
        case .indefinite: "indefinite"
        case .positiveInfinity: "+infinity"
        case .negativeInfinity: "-infinity"
        }
    }
}
