/// Arithmetic with the rules of CMTimeAdd, CMTimeSubtract, CMTimeMultiply and CMTimeConvertScale.
extension MediaTime: AdditiveArithmetic {
    /// Returns the sum, with the least common multiple of both timescales.
    ///
    /// If that multiple exceeds 31 bits, the sum is rounded to the largest timescale. If the value does not fit in 64
    /// bits, the timescale is halved until it fits; a sum that is too large for whole seconds is infinite. The sum of
    /// opposite infinities is ``invalid``. A sum with an invalid time is invalid, and otherwise a sum with an
    /// indefinite time is indefinite.
    public static func + (a: MediaTime, b: MediaTime) -> MediaTime {
        guard a.isNumeric, b.isNumeric else { return sumWithNonNumericTime(a, b) }
        let (timescaleA, timescaleB) = (Int128(a.timescale), Int128(b.timescale))
        let commonTimescale = timescaleA / greatestCommonDivisor(timescaleA, timescaleB) * timescaleB
        let sum = Int128(a.value) * (commonTimescale / timescaleA) + Int128(b.value) * (commonTimescale / timescaleB)
        return MediaTime(fitting: sum, over: commonTimescale, timescale: Int32(clamping: commonTimescale))
    }

    /// Returns the difference. Its timescale, its rounding and special times follow the rules of the sum `a + -b`.
    public static func - (a: MediaTime, b: MediaTime) -> MediaTime { a + -b }

    /// Returns the time with the opposite sign. Invalid and indefinite times stay as they are.
    public static prefix func - (time: MediaTime) -> MediaTime {
        switch time.kind {
        case .numeric: MediaTime(fitting: -Int128(time.value), over: Int128(time.timescale), timescale: time.timescale)
        case .positiveInfinity: .negativeInfinity
        case .negativeInfinity: .positiveInfinity
        case .invalid, .indefinite: time
        }
    }

    /// Returns the product in the timescale of `time`. If the value does not fit in 64 bits, the timescale is halved
    /// until it fits, as in an addition.
    ///
    /// An infinite time keeps its infinity, with the sign of the product; an infinite time multiplied by 0 is
    /// ``invalid``.
    public static func * (time: MediaTime, multiplier: Int) -> MediaTime {
        guard time.isNumeric else { return time.multiplied(bySign: multiplier.signum()) }
        let product = Int128(time.value) * Int128(multiplier)
        return MediaTime(fitting: product, over: Int128(time.timescale), timescale: time.timescale)
    }

    /// Returns the product, rounded to nanoseconds, or to the timescale of `time` if that is finer.
    ///
    /// The product with a multiplier that is not finite is ``invalid``.
    public static func * (time: MediaTime, multiplier: Double) -> MediaTime {
        guard multiplier.isFinite else { return .invalid }
        guard time.isNumeric else {
            return time.multiplied(bySign: multiplier == 0 ? 0 : multiplier < 0 ? -1 : 1)
        }
        return MediaTime(seconds: time.seconds * multiplier, preferredTimescale: max(time.timescale, 1_000_000_000))
    }

    /// The absolute value of the time.
    public var magnitude: MediaTime { self < .zero && isNumeric || self == .negativeInfinity ? -self : self }

    /// Returns the time in units of `1 / timescale` seconds (CMTimeConvertScale).
    ///
    /// - Parameters:
    ///   - timescale: The number of units in a second. The result is ``invalid`` if it is not positive.
    ///   - rule: The rounding of a time between two units.
    /// - Returns: The rounded time; an infinite time if its value does not fit in 64 bits. A time that is not numeric
    ///   is returned unchanged.
    public func converted(
        toTimescale timescale: Int32, rounding rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero
    ) -> MediaTime {
        guard isNumeric else { return self }
        guard timescale > 0 else { return .invalid }
        return MediaTime(rounding: Int128(value), over: Int128(self.timescale), timescale: timescale, rule)
    }

    /// Creates the time of `numerator / denominator` seconds, rounded to the given timescale; infinite if its value
    /// does not fit in 64 bits.
    private init(
        rounding numerator: Int128, over denominator: Int128, timescale: Int32, _ rule: FloatingPointRoundingRule
    ) {
        let scaledNumerator = numerator.multipliedReportingOverflow(by: Int128(timescale))
        let (quotient, remainder) = scaledNumerator.partialValue.quotientAndRemainder(dividingBy: denominator)
        let rounded =
            quotient
            + Self.roundingCorrection(
                quotient: quotient, remainder: remainder, denominator: denominator, rule)
        guard !scaledNumerator.overflow, let value = Int64(exactly: rounded) else {
            self = numerator < 0 ? .negativeInfinity : .positiveInfinity
            return
        }
        self.init(value: value, timescale: timescale)
    }

    /// Creates the time of `numerator / denominator` seconds in the given timescale. If the value does not fit in 64
    /// bits there, the timescale is halved until the value fits.
    private init(fitting numerator: Int128, over denominator: Int128, timescale: Int32) {
        var timescale = timescale
        repeat {
            self.init(rounding: numerator, over: denominator, timescale: timescale, .toNearestOrAwayFromZero)
            timescale /= 2
        } while !isNumeric && timescale > 0
    }

    /// Returns the correction that a rounding rule adds to a quotient that was rounded toward zero: -1, 0 or 1.
    private static func roundingCorrection(
        quotient: Int128, remainder: Int128, denominator: Int128, _ rule: FloatingPointRoundingRule
    ) -> Int128 {
        let awayFromZero = remainder.signum()
        let doubledRemainder = remainder.magnitude * 2, divisor = denominator.magnitude
        switch rule {
        case .towardZero: return 0
        case .awayFromZero: return awayFromZero
        case .up: return max(awayFromZero, 0)
        case .down: return min(awayFromZero, 0)
        case .toNearestOrEven:
            let roundsAway = doubledRemainder > divisor || (doubledRemainder == divisor && quotient % 2 != 0)
            return roundsAway ? awayFromZero : 0
        case .toNearestOrAwayFromZero: return doubledRemainder >= divisor ? awayFromZero : 0
        @unknown default: return doubledRemainder >= divisor ? awayFromZero : 0
        }
    }

    /// Returns the greatest common divisor of two timescales, to find their least common multiple.
    private static func greatestCommonDivisor(_ a: Int128, _ b: Int128) -> Int128 {
        var (a, b) = (a, b)
        while b != 0 { (a, b) = (b, a % b) }
        return a
    }

    /// Returns the sum of two times of which at least one is infinite, indefinite or invalid.
    private static func sumWithNonNumericTime(_ a: MediaTime, _ b: MediaTime) -> MediaTime {
        if !a.isValid || !b.isValid { return .invalid }
        if a.isIndefinite || b.isIndefinite { return .indefinite }
        if a.isNumeric { return b }
        return b.isNumeric || a == b ? a : .invalid
    }

    /// Returns this infinite, indefinite or invalid time multiplied by a number with the sign `sign` (-1, 0 or 1).
    private func multiplied(bySign sign: Int) -> MediaTime {
        if !isValid || isIndefinite { return self }
        return sign == 0 ? .invalid : sign < 0 ? -self : self
    }
}
