import Testing

@testable import SwiftPlayCLI

@Suite struct ClockTextTests {
    @Test(arguments: [
        (0.0, "00:00:00"), (59.999, "00:00:59"), (60, "00:01:00"), (3599, "00:59:59"), (3600, "01:00:00"),
        (3723.5, "01:02:03"), (359_999, "99:59:59"), (360_000, "100:00:00"), (-5, "-00:00:05"), (.nan, ""),
        (.infinity, ""), (-.infinity, ""), (1e9, ""),
    ])
    func aTimeIsWrittenInHoursMinutesAndSeconds(_ seconds: Double, _ text: String) {
        #expect(ClockText.text(seconds) == text)
    }
}
