import Testing

@testable import Compositor

@Suite("Detection of the machine's sleep")
struct SleepDetectorTests {
    /// An input of the sleep detector: a message of logind, or a check of the clocks.
    private enum Input {
        /// The signal `PrepareForSleep`: true before the sleep, false after it.
        case prepare(Bool)
        /// A comparison of the two clocks.
        case check
    }

    /// Returns, for each input with the machine's total sleep time in seconds, whether the detector reports a wake-up.
    private func wakeUpReports(after start: Int64 = 0, _ inputs: (Input, Double)...) -> [Bool] {
        var detector = SleepDetector(totalSleepTime: start * 1_000_000_000)
        return inputs.map { input, seconds in
            let totalSleepTime = Int64(seconds * 1e9)
            return switch input {
            case .prepare(let begins): detector.prepareForSleep(begins, totalSleepTime: totalSleepTime)
            case .check: detector.detectWakeUp(totalSleepTime: totalSleepTime)
            }
        }
    }

    @Test("a sleep that logind announces is reported once, whether the clocks are checked before or after its end")
    func announcedSleepIsReportedOnce() {
        #expect(
            wakeUpReports(after: 5, (.prepare(true), 5), (.check, 5), (.check, 65), (.prepare(false), 65), (.check, 65))
                == [
                    false, false, true, false, false,
                ])
        #expect(
            wakeUpReports(after: 5, (.prepare(true), 5), (.check, 5), (.prepare(false), 65), (.check, 65)) == [
                false, false, true, false,
            ])
    }

    @Test("without logind the clocks reveal each sleep once; a small difference does not count")
    func clocksRevealSleepWithoutLogind() {
        #expect(wakeUpReports((.check, 0.9), (.check, 2), (.check, 2), (.check, 4)) == [false, true, false, true])
    }

    @Test("an announced sleep ends with logind's signal; an end without a sleep does not count")
    func sleepEndWithoutAnnouncementIsIgnored() {
        #expect(
            wakeUpReports((.prepare(false), 0), (.prepare(true), 0), (.prepare(false), 0), (.prepare(false), 0)) == [
                false, false, true, false,
            ])
    }
}
