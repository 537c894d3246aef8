import Testing

@testable import FetchPolicy

@Suite struct UsageHistoryTests {
    /// Monday, 1 January 2024.
    private let firstDay: Int64 = 19_723

    @Test func aDailyOpeningMakesAPeakAtItsTime() {
        let history = history(days: 0..<10, hours: [13])
        let peaks = history.peaks(on: day(10))
        #expect(peaks.count == 1 && peaks.first?.targetSlot == 52)
        #expect(peaks.first?.slots.contains(52) == true && (peaks.first?.chance ?? 0) > 0.8)
    }

    @Test func twoOpeningsMakeNoPeak() {
        #expect(history(days: 0..<2, hours: [13]).peaks(on: day(2)).isEmpty)
        #expect(!history(days: 0..<3, hours: [13]).peaks(on: day(3)).isEmpty)
    }

    @Test func openingsAtAllHoursMakeNoPeak() {
        let history = history(days: 0..<14, hours: Array(0..<24))
        #expect(history.peaks(on: day(14)).isEmpty)
        #expect(history.hourChance(on: day(14), slot: 40) > 0.8)
    }

    @Test func aPeakMayPassMidnight() {
        var history = UsageHistory()
        for number in 0..<14 {
            history.handleOpening(at: time(day: number, seconds: number % 2 == 0 ? 85_800 : 300))
        }
        let peaks = history.peaks(on: day(14))
        #expect(peaks.count == 1 && peaks.first?.slots.contains(95) == true && peaks.first?.slots.contains(0) == true)
        #expect(peaks.first?.targetSlot == 95)
    }

    @Test func theTargetIsTheTimeBeforeWhichATenthOfTheOpeningsFall() {
        var history = UsageHistory()
        for number in 0..<20 {
            history.handleOpening(at: time(day: number, seconds: 13 * 3600 + (number == 4 ? -900 : 900)))
        }
        #expect(history.peaks(on: day(21)).first?.targetSlot == 53)
    }

    @Test func weekendsHaveTheirOwnHabits() {
        var history = UsageHistory()
        for number in 0..<28 {
            let isWeekend = day(number).isWeekend
            history.handleOpening(at: time(day: number, seconds: (isWeekend ? 10 : 7) * 3600))
        }
        #expect(history.peaks(on: day(28)).map(\.targetSlot) == [28])
        #expect(history.peaks(on: day(33)).map(\.targetSlot) == [40])
    }

    @Test func theFirstWeekendUsesTheHabitsOfWeekdays() {
        let history = history(days: 0..<5, hours: [13])
        #expect(history.peaks(on: day(5)).map(\.targetSlot) == [52])
    }

    @Test func daysWithoutUseOfTheMachineSayNothing() {
        var history = history(days: 0..<10, hours: [13])
        let before = history.peaks(on: day(10))
        #expect(!before.isEmpty)
        history.handleUse(at: time(day: 30, seconds: 0))
        #expect(history.recentDays.map(\.day) == [day(30)])
    }

    @Test func missedDaysMakeAPeakDormantAndAnOpeningWakesIt() {
        var history = history(days: 0..<21, hours: [13])
        for number in 21..<25 { history.handleUse(at: time(day: number, seconds: 23 * 3600)) }
        #expect(history.peaks(on: day(25)).isEmpty)
        history.handleOpening(at: time(day: 25, seconds: 13 * 3600))
        #expect(!history.peaks(on: day(28)).isEmpty)
    }

    @Test func todayIsNotMissedBeforeItIsOver() {
        var history = history(days: 0..<21, hours: [13])
        history.handleUse(at: time(day: 21, seconds: 0))
        #expect(!history.peaks(on: day(21)).isEmpty)
    }

    @Test func oldOpeningsLoseHalfTheirWeightInTwoWeeks() {
        var histogram = UsageHistogram()
        histogram.addOpening(slot: 3)
        histogram.addDay()
        histogram.decay(days: 14)
        #expect(abs(histogram.weights[3] - 0.5) < 0.001 && abs(histogram.dayWeight - 0.5) < 0.001)
    }

    @Test func onlyTwentyOneDaysAreKeptOneByOne() {
        let history = history(days: 0..<100, hours: [8, 13])
        #expect(history.recentDays.count == 21 && history.recentOpeningCount == 42)
    }

    @Test func anOpeningOfTheSameQuarterHourCountsOnce() {
        var history = UsageHistory()
        for second in 0..<5 { history.handleOpening(at: time(day: 0, seconds: 13 * 3600 + second)) }
        #expect(history.recentOpeningCount == 1 && history.isTooShort)
    }

    @Test func aClockThatFallsBackForgetsTheDaysAfterIt() {
        var history = history(days: 0..<10, hours: [13])
        history.handleOpening(at: time(day: 4, seconds: 9 * 3600))
        #expect(history.recentDays.map(\.day) == (0...4).map { day($0) })
    }

    @Test func aStoredHistoryHasTheSamePeaks() {
        let original = history(days: 0..<20, hours: [8, 13])
        let restored = UsageHistory(
            weekdays: original.weekdays, weekends: original.weekends, recentDays: original.recentDays.reversed())
        #expect(restored == original)
    }

    @Test(arguments: [-1.0, .nan, .infinity, 1001])
    func damagedWeightsAreRefused(_ weight: Double) {
        let good = [Double](repeating: 1, count: 96)
        #expect(UsageHistogram(weights: good, dayWeight: 2) != nil)
        #expect(UsageHistogram(weights: good, dayWeight: weight) == nil)
        #expect(UsageHistogram(weights: [weight] + good.dropFirst(), dayWeight: 2) == nil)
        #expect(UsageHistogram(weights: good + [1], dayWeight: 2) == nil)
    }

    private func day(_ number: Int) -> LocalDay { LocalDay(number: Int(firstDay) + number) }

    private func time(day: Int, seconds: Int) -> FetchTime {
        let wallSeconds = (firstDay + Int64(day)) * 86_400 + Int64(seconds)
        return FetchTime(bootTime: .seconds(Int64(day) * 86_400 + Int64(seconds)), wallSeconds: wallSeconds)
    }

    private func history(days: Range<Int>, hours: [Int]) -> UsageHistory {
        var history = UsageHistory()
        for day in days {
            for hour in hours { history.handleOpening(at: time(day: day, seconds: hour * 3600)) }
        }
        return history
    }
}
