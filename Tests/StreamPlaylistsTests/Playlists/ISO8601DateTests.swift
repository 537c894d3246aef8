import Testing

@testable import StreamPlaylists

@Suite struct ISO8601DateTests {
    @Test(
        "Dates with each form of time zone are parsed",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2010-02-19T14:54:23.031+08:00", 1_266_562_463_031),
            ("2019-06-07T12:54:23.000-0400", 1_559_926_463_000), ("2019-06-07T12:54:23-04", 1_559_926_463_000),
            ("2020-02-29t23:59:59,5z", 1_583_020_799_500), ("2000-01-01 00:00", 946_684_800_000),
            ("1969-12-31T23:59:59.999Z", -1), ("2016-12-31T23:59:60Z", 1_483_228_800_000),
            ("1900-03-01T00:00:00Z", -2_203_891_200_000),
        ])
    func datesWithEachFormOfTimeZoneAreParsed(_ text: String, _ milliseconds: Int64) {
        #expect(ISO8601Date.nanoseconds(text.utf8) == milliseconds * 1_000_000)
    }

    @Test(
        "Malformed and unrepresentable dates are rejected",
        arguments: [
            "", "2020", "2020-01-01", "2020-13-01T00:00:00Z", "2021-02-29T00:00:00Z", "2020-01-00T00:00:00Z",
            "2020-01-01T24:00:00Z", "2020-01-01T00:60:00Z", "2020-01-01T00:00:61Z", "2020-01-01T00:00:00.Z",
            "2020-01-01T00:00:00+1", "2020-01-01T00:00:00+01:", "2020-01-01T00:00:00+0160", "2020-01-01T00:00:00ZZ",
            "2020-01-01T00:00:00Z ", "20200101T000000Z", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z",
            "-2020-01-01T00:00:00Z", "2020-01-01T0a:00:00Z",
        ])
    func malformedDatesAreRejected(_ text: String) { #expect(ISO8601Date.nanoseconds(text.utf8) == nil) }

    @Test("Digits after the ninth decimal place of a second are ignored")
    func digitsBeyondNanosecondsAreIgnored() {
        #expect(ISO8601Date.nanoseconds("1970-01-01T00:00:00.1234567899999999999999Z".utf8) == 123_456_789)
    }

    @Test("Each day follows the day before it, in a century with a leap year at its start and in one without")
    func eachDayFollowsTheDayBeforeIt() throws {
        for years in [1895..<1905, 1995..<2005] {
            var expected = try #require(ISO8601Date.nanoseconds("\(years.lowerBound)-01-01T00:00Z".utf8))
            for (year, month, day) in dates(in: years) {
                guard let date = ISO8601Date.nanoseconds("\(year)-\(month)-\(day)T00:00Z".utf8) else { continue }
                #expect(date == expected, "\(year)-\(month)-\(day)")
                expected += 86_400_000_000_000
            }
            #expect(ISO8601Date.nanoseconds("\(years.upperBound)-01-01T00:00Z".utf8) == expected)
        }
    }

    /// Returns 31 dates for each month, as year, month and day. Some of the dates do not exist, such as 31 April.
    private func dates(in years: Range<Int>) -> [(Int, String, String)] {
        func twoDigits(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
        return years.flatMap { year in
            (1...12).flatMap { month in (1...31).map { (year, twoDigits(month), twoDigits($0)) } }
        }
    }
}
