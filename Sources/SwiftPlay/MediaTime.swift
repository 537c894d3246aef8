/// A time or a duration on an item's timeline: a fraction of whole numbers, in seconds (CMTime).
///
/// Arithmetic is exact as long as the common timescale of both operands fits in 31 bits. Besides numbers there are
/// ``positiveInfinity``, negative infinity, ``indefinite`` and ``invalid`` times, which propagate through arithmetic.
///
/// Times are compared by their number of seconds: `MediaTime(value: 1, timescale: 2)` equals `MediaTime(value: 2,
/// timescale: 4)`. An invalid time orders before all others, an indefinite time after all others.
public struct MediaTime: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The kind of a time. The raw values give the order in which times of different kinds are sorted.
    enum Kind: Int8, Sendable { case invalid, negativeInfinity, numeric, positiveInfinity, indefinite }

    /// The numerator of the time in seconds.
    public let value: Int64
    /// The denominator of the time in seconds; 0 if the time is not numeric.
    public let timescale: Int32
    /// Whether the time is a finite number of seconds, an infinity, indefinite or invalid.
    let kind: Kind

    /// Creates a time of `value / timescale` seconds; an invalid time if `timescale` is not positive.
    public init(value: Int64, timescale: Int32) {
        self.init(value: value, timescale: timescale, kind: timescale > 0 ? .numeric : .invalid)
    }

    /// Creates the time nearest to `seconds`.
    ///
    /// - Parameters:
    ///   - seconds: The time in seconds. Infinity becomes ``positiveInfinity`` or its negative. NaN and numbers that
    ///     are too large for `preferredTimescale` become ``invalid``.
    ///   - preferredTimescale: The number of units in a second. If it is not positive, a finite time becomes
    ///     ``invalid``.
    public init(seconds: Double, preferredTimescale: Int32 = 1_000_000_000) {
        guard seconds.isFinite, preferredTimescale > 0,
            let value = Int64(exactly: (seconds * Double(preferredTimescale)).rounded())
        else {
            self = seconds == .infinity ? .positiveInfinity : seconds == -.infinity ? .negativeInfinity : .invalid
            return
        }
        self.init(value: value, timescale: preferredTimescale)
    }

    /// Creates a time of any kind without checks. A time that is not numeric has the value and timescale 0.
    init(value: Int64, timescale: Int32, kind: Kind) {
        self.value = value
        self.timescale = timescale
        self.kind = kind
    }

    /// Zero seconds.
    public static let zero = MediaTime(value: 0, timescale: 1)
    /// The absence of a time.
    public static let invalid = MediaTime(value: 0, timescale: 0, kind: .invalid)
    /// An unknown duration, or one without an end.
    public static let indefinite = MediaTime(value: 0, timescale: 0, kind: .indefinite)
    /// A time after all numeric times.
    public static let positiveInfinity = MediaTime(value: 0, timescale: 0, kind: .positiveInfinity)
    /// A time before all numeric times.
    public static let negativeInfinity = MediaTime(value: 0, timescale: 0, kind: .negativeInfinity)

    /// Whether this is not ``invalid``. Infinite and indefinite times are valid.
    public var isValid: Bool { kind != .invalid }
    /// Whether this is a finite number of seconds.
    public var isNumeric: Bool { kind == .numeric }
    /// Whether this is ``indefinite``.
    public var isIndefinite: Bool { kind == .indefinite }

    /// The time in seconds; NaN if the time is invalid or indefinite.
    public var seconds: Double {
        switch kind {
        case .numeric: Double(value) / Double(timescale)
        case .positiveInfinity: .infinity
        case .negativeInfinity: -.infinity
        case .invalid, .indefinite: .nan
        }
    }

    /// Creates a time with a timescale of nanoseconds.
    package init(nanoseconds: Int64) { self.init(value: nanoseconds, timescale: 1_000_000_000) }

    /// The time in whole nanoseconds, rounded toward zero; nil if the time is not numeric or exceeds 9e9 s (285 years).
    package var nanoseconds: Int64? {
        guard isNumeric else { return nil }
        let product = value.multipliedFullWidth(by: 1_000_000_000)
        // Below 9e9 seconds the quotient fits in 64 bits, so that `dividingFullWidth` cannot trap.
        guard abs(Double(value) / Double(timescale)) < 9e9 else { return nil }
        return Int64(timescale).dividingFullWidth(product).quotient
    }

    /// Whether `a` is earlier than `b`, compared exactly across timescales.
    public static func < (a: MediaTime, b: MediaTime) -> Bool {
        guard a.isNumeric, b.isNumeric else { return a.kind.rawValue < b.kind.rawValue }
        let productA = a.value.multipliedFullWidth(by: Int64(b.timescale)),
            productB = b.value.multipliedFullWidth(by: Int64(a.timescale))
        return (productA.high, productA.low) < (productB.high, productB.low)
    }

    /// Whether `a` and `b` are the same time, compared exactly across timescales.
    public static func == (a: MediaTime, b: MediaTime) -> Bool {
        a.kind == b.kind && (!a.isNumeric || (!(a < b) && !(b < a)))
    }

    /// Hashes the reduced fraction, so that equal times have equal hashes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        guard isNumeric else { return }
        var (divisor, remainder) = (value.magnitude, UInt64(timescale))
        while remainder != 0 { (divisor, remainder) = (remainder, divisor % remainder) }
        hasher.combine(value / Int64(max(divisor, 1)))
        hasher.combine(Int64(timescale) / Int64(max(divisor, 1)))
    }

    /// The time in seconds with its unit, or the name of the special time.
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
