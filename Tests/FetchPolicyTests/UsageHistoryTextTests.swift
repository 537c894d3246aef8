import Testing

@testable import FetchPolicy

@Suite struct UsageHistoryTextTests {
    /// Returns the history of a program that was opened at these quarter hours on a number of days from a Monday on.
    private func history(days: Int, slots: [Int]) -> UsageHistory {
        var history = UsageHistory()
        for day in 0..<days {
            for slot in slots {
                let seconds = Int64(ScenarioMachine.firstDay + Int64(day)) * 86_400 + Int64(slot) * 900
                history.handleOpening(at: FetchTime(bootTime: .seconds(seconds), wallSeconds: seconds))
            }
        }
        return history
    }

    @Test func aNewProgramWasNeverOpened() { #expect(UsageHistory().text == "never opened") }

    @Test(arguments: [(1, "opened 1 time, at no regular time"), (2, "opened 2 times, at no regular time")])
    func fewOpeningsAreCounted(_ days: Int, _ text: String) { #expect(history(days: days, slots: [52]).text == text) }

    @Test func habitsAreListedWithTheirTimes() {
        #expect(
            history(days: 14, slots: [52, 76]).text.hasPrefix("weekdays about 13:00 and 19:00; weekends about 13:00"))
    }

    @Test func atMostSixTimesAreListed() {
        let text = history(days: 14, slots: stride(from: 0, to: 96, by: 10).map { $0 }).text
        for line in text.split(separator: ";") { #expect(line.split(separator: ":").count <= 7, "\(text)") }
    }
}
