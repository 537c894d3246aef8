import Testing

@testable import SwiftPlay

@Suite struct MediaTimeDurationTests {
    @Test func durationConvertsToATimeInNanoseconds() {
        #expect(MediaTime(.milliseconds(1500)) == MediaTime(value: 3, timescale: 2))
        #expect(MediaTime(.seconds(-2)) == MediaTime(value: -2, timescale: 1))
        #expect(MediaTime(Duration(secondsComponent: 0, attosecondsComponent: 1_999_999_999)).value == 1)
    }

    @Test func durationBeyond292YearsConvertsToAnInvalidTime() {
        #expect(MediaTime(.seconds(Int64.max)) == .invalid)
        #expect(MediaTime(.seconds(9_223_372_036) + .nanoseconds(854_775_808)) == .invalid)
    }

    @Test func numericTimeConvertsToADuration() {
        #expect(Duration(MediaTime(value: 3, timescale: 2)) == .milliseconds(1500))
        #expect(Duration(MediaTime(value: -1, timescale: 4)) == .milliseconds(-250))
        let thirdOfASecond = Duration(MediaTime(value: 1, timescale: 3))
        #expect(thirdOfASecond?.components.attoseconds == 333_333_333_333_333_333)
    }

    @Test func nonNumericTimeConvertsToNoDuration() {
        for time in [MediaTime.invalid, .indefinite, .positiveInfinity, .negativeInfinity] {
            #expect(Duration(time) == nil)
        }
    }
}
