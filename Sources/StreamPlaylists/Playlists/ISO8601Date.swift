/// Reads dates in the form of ISO 8601, as `EXT-X-PROGRAM-DATE-TIME` has them (RFC 8216, section 4.3.2.6).
package enum ISO8601Date {
    /// Reads `YYYY-MM-DDThh:mm:ss.sssZ`. The time zone may also be `±hh`, `±hhmm` or `±hh:mm`; without a zone the date
    /// is in UTC. Seconds and their fraction may be missing.
    ///
    /// - Returns: Nanoseconds since 1970-01-01 00:00 UTC; nil if the text is malformed or outside 1678…2261.
    package static func nanoseconds(_ text: some Sequence<UInt8>) -> Int64? {
        var scanner = Scanner(remainingText: Array(text)[...])
        guard let year = scanner.digits(4), scanner.skip("-"), let month = scanner.digits(2), scanner.skip("-"),
            let day = scanner.digits(2), (1...12).contains(month), day >= 1, day <= days(in: month, year),
            scanner.skip("T") || scanner.skip("t") || scanner.skip(" "),
            let hour = scanner.digits(2), scanner.skip(":"), let minute = scanner.digits(2), hour < 24, minute < 60
        else { return nil }
        var second = 0, fraction = 0
        if scanner.skip(":") {
            // Accept 60, the number of a leap second.
            guard let value = scanner.digits(2), value <= 60 else { return nil }
            second = value
            if scanner.skip(".") || scanner.skip(",") {
                guard let value = scanner.fraction() else { return nil }
                fraction = value
            }
        }
        guard let utcOffset = scanner.utcOffset(), scanner.remainingText.isEmpty else { return nil }
        let seconds = daysSince1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - utcOffset
        let (product, productOverflows) = Int64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, sumOverflows) = product.addingReportingOverflow(Int64(fraction))
        return productOverflows || sumOverflows ? nil : sum
    }

    /// Returns the number of days in a month.
    private static func days(in month: Int, _ year: Int) -> Int {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the number of days from 1970-01-01 to a date of the proleptic Gregorian calendar. Counts in years that
    /// start in March, so that a leap day is the last day of its year.
    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let marchYear = month > 2 ? year : year - 1
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Reads the parts of a date from the start of a text.
    private struct Scanner {
        /// The text that has not been read yet.
        var remainingText: ArraySlice<UInt8>

        private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

        /// Skips a character; returns false if the text does not start with it.
        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard remainingText.first == UInt8(ascii: character) else { return false }
            remainingText = remainingText.dropFirst()
            return true
        }

        /// Reads a number of exactly `count` digits; nil if there are fewer.
        mutating func digits(_ count: Int) -> Int? {
            let digits = remainingText.prefix(count)
            guard digits.count == count, digits.allSatisfy(Self.isDigit) else { return nil }
            remainingText = remainingText.dropFirst(count)
            return digits.reduce(0) { $0 * 10 + Int($1) - 0x30 }
        }

        /// Reads the digits of a fraction of a second, as nanoseconds.
        mutating func fraction() -> Int? {
            let digits = remainingText.prefix(while: Self.isDigit)
            guard !digits.isEmpty else { return nil }
            remainingText = remainingText.dropFirst(digits.count)
            var value = 0
            for digit in digits.prefix(9) { value = value * 10 + Int(digit) - 0x30 }
            for _ in digits.prefix(9).count..<9 { value *= 10 }
            return value
        }

        /// Reads the time zone, as seconds east of UTC; 0 at the end of the text.
        mutating func utcOffset() -> Int? {
            if remainingText.isEmpty || skip("Z") || skip("z") { return 0 }
            let isEast = skip("+")
            guard isEast || skip("-"), let hours = digits(2), hours < 24 else { return nil }
            let hasMinutes = skip(":") || !remainingText.isEmpty
            guard let minutes = hasMinutes ? digits(2) : 0, minutes < 60 else { return nil }
            return (hours * 60 + minutes) * (isEast ? 60 : -60)
        }
    }
}
