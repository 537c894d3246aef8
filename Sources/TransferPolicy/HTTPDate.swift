/// Dates of HTTP (RFC 9110, section 5.6.7).
package enum HTTPDate {
    /// The English names of the months, which HTTP uses in every locale.
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    /// The largest number of seconds since 1970 that ``text(secondsSince1970:)`` writes: the end of the year 9999.
    private static let lastSecond: Int64 = 253_402_300_799

    /// Returns the seconds since 1970 of a date in any of the three formats that a recipient must accept; nil if the
    /// text is not a valid date.
    package static func secondsSince1970(_ text: String) -> Int64? {
        let words = text.split(whereSeparator: { $0 == " " || $0 == "," || $0 == "-" }).map(String.init)
        // Sun, 06 Nov 1994 08:49:37 GMT
        // Sunday, 06-Nov-94 08:49:37 GMT
        if words.count == 6, words[5] == "GMT" {
            return seconds(year: words[3], month: words[2], day: words[1], time: words[4])
        }
        // Sun Nov  6 08:49:37 1994
        if words.count == 5 { return seconds(year: words[4], month: words[1], day: words[2], time: words[3]) }
        return nil
    }

    /// Returns the date in the preferred format, such as `Sun, 06 Nov 1994 08:49:37 GMT`; nil before the year 1970 and
    /// after the year 9999.
    package static func text(secondsSince1970 seconds: Int64) -> String? {
        guard (0...lastSecond).contains(seconds) else { return nil }
        let (days, second) = (seconds / 86_400, seconds % 86_400)
        let (year, month, day) = date(daysSince1970: days)
        let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][Int(days % 7)]
        let time = [second / 3600, second / 60 % 60, second % 60].map { padded($0, 2) }.joined(separator: ":")
        return "\(weekday), \(padded(day, 2)) \(months[Int(month) - 1]) \(padded(year, 4)) \(time) GMT"
    }

    /// Returns the seconds since 1970 of the parts of a date; nil if a part is out of range.
    private static func seconds(year: String, month: String, day: String, time: String) -> Int64? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { digits(String($0), 2...2) }
        guard let monthIndex = months.firstIndex(of: month), let day = digits(day, 1...2),
            var year = digits(year, 2...4), clock.count == 3,
            let hour = clock[0], let minute = clock[1], let second = clock[2],
            (0..<24).contains(hour), (0..<60).contains(minute), (0...60).contains(second)
        else { return nil }
        // Two digits stand for the years 1970 to 2069.
        if year < 100 { year += year < 70 ? 2000 : 1900 }
        let days = daysSince1970(year: year, month: Int64(monthIndex + 1), day: day)
        // A day that the month does not have, such as 31 November, becomes another date.
        guard date(daysSince1970: days) == (year, Int64(monthIndex + 1), day) else { return nil }
        return days * 86_400 + hour * 3600 + minute * 60 + second
    }

    /// Returns the number that a text of decimal digits states; nil for other text.
    private static func digits(_ text: String, _ count: ClosedRange<Int>) -> Int64? {
        guard count.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text)
    }

    /// Returns a number with leading zeros.
    private static func padded(_ number: Int64, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }

    /// Returns the number of days from 1 January 1970 to a date of the Gregorian calendar.
    ///
    /// The years of this calculation begin in March, so that the leap day is the last day of a year. 400 years have
    /// 146,097 days.
    private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let marchYear = month <= 2 ? year - 1 : year
        let century = marchYear / 400
        let yearOfCentury = marchYear - century * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return century * 146_097 + yearOfCentury * 365 + yearOfCentury / 4 - yearOfCentury / 100 + dayOfYear - 719_468
    }

    /// Returns the date of a number of days since 1 January 1970, the reverse of ``daysSince1970(year:month:day:)``.
    private static func date(daysSince1970: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let days = daysSince1970 + 719_468
        let century = days / 146_097
        let dayOfCentury = days - century * 146_097
        let yearOfCentury =
            (dayOfCentury - dayOfCentury / 1460 + dayOfCentury / 36_524 - dayOfCentury / 146_096) / 365
        let dayOfYear = dayOfCentury - (365 * yearOfCentury + yearOfCentury / 4 - yearOfCentury / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfCentury + century * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }
}
