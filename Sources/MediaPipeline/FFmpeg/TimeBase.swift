import CFFmpeg

/// Converts between a stream's time base and nanoseconds, without floating point and without overflow traps.
struct TimeBase: Sendable, Equatable {
    /// The numerator of the time base: timestamps count in units of ``numerator`` / ``denominator`` seconds.
    let numerator: Int32
    /// The denominator of the time base; see ``numerator``.
    let denominator: Int32

    /// Uses a time base of 1/90000 s if `rational` is invalid.
    init(_ rational: AVRational) {
        let isValid = rational.num > 0 && rational.den > 0
        numerator = isValid ? rational.num : 1
        denominator = isValid ? rational.den : 90_000
    }

    /// The time base of a nanosecond clock.
    static let nanoseconds = AVRational(num: 1, den: 1_000_000_000)
    private var rational: AVRational { AVRational(num: numerator, den: denominator) }

    /// Converts a timestamp to nanoseconds; nil if there is no timestamp or if it is out of range.
    func nanoseconds(_ timestamp: Int64) -> Int64? {
        wideNanoseconds(timestamp).flatMap { $0.magnitude > 1 << 60 ? nil : $0 }
    }

    /// Converts a timestamp to nanoseconds; nil if there is no timestamp. Accepts times of up to about 146 years, more
    /// than ``nanoseconds(_:)``, because the clocks of live streams may count from 1970.
    func wideNanoseconds(_ timestamp: Int64) -> Int64? {
        guard timestamp != cffmpeg_no_pts else { return nil }
        let value = av_rescale_q(timestamp, rational, Self.nanoseconds)
        return value.magnitude > 1 << 62 ? nil : value
    }

    /// Returns the timestamp at or before a time in nanoseconds.
    func timestamp(nanoseconds: Int64) -> Int64 {
        av_rescale_q_rnd(nanoseconds, Self.nanoseconds, rational, AVRounding(AV_ROUND_DOWN.rawValue))
    }
}
