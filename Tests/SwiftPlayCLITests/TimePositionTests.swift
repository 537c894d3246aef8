import Testing

@testable import SwiftPlayCLI

@Suite struct TimePositionTests {
    @Test(arguments: [
        ("90", TimePosition.seconds(90)), ("0", .seconds(0)), ("1:30", .seconds(90)), ("01:02:03.5", .seconds(3723.5)),
        (".5", .seconds(0.5)),
        ("+10", .seconds(10)), ("90:00", .seconds(5400)), ("-10", .fromEnd(10)), ("-1:00", .fromEnd(60)),
        ("50%", .percent(50)),
        ("0%", .percent(0)), ("100%", .percent(100)), ("12.5%", .percent(12.5)),
    ])
    func aTimeIsParsed(_ text: String, _ expected: TimePosition) {
        #expect(TimePosition(parsing: text) == expected)
    }

    @Test(arguments: [
        "", "-", "+", ":", "1:", ":30", "1:2:3:4", "1::2", "abc", "10s", "--10", "+-10", "1:-30", "101%", "-1%", "%",
        "nan", "inf", "nan%", "1e300", " 10",
    ])
    func invalidTextIsRefused(_ text: String) { #expect(TimePosition(parsing: text) == nil) }

    @Test func positionsAreResolvedAgainstTheDuration() {
        #expect(TimePosition.seconds(30).seconds(duration: nil) == 30)
        #expect(TimePosition.fromEnd(10).seconds(duration: 100) == 90)
        #expect(TimePosition.fromEnd(200).seconds(duration: 100) == 0)
        #expect(TimePosition.percent(25).seconds(duration: 200) == 50)
        #expect(
            TimePosition.fromEnd(10).seconds(duration: nil) == nil
                && TimePosition.percent(10).seconds(duration: nil) == nil)
    }

    @Test(
        "the text of a position as an option's value is parsed as the same position",
        arguments: [
            TimePosition.seconds(0), .seconds(90.25), .seconds(1e-7), .seconds(999_999_999), .fromEnd(0),
            .fromEnd(12.5),
            .percent(0), .percent(33.3), .percent(100),
        ])
    func optionTextRoundTrips(_ position: TimePosition) {
        #expect(TimePosition(parsing: position.optionText) == position)
    }
}
