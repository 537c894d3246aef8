import Testing

@testable import FetchPolicy

@Suite struct FetchPlanTests {
    /// Monday, 1 January 2024, 12:00.
    private let time = FetchTime(bootTime: .seconds(1000), wallSeconds: 19_723 * 86_400 + 12 * 3600)

    @Test func aPeakIsExplainedByItsTime() {
        let plan = FetchPlan(
            window: window(1800, 3300), reason: .peak(target: 19_723 * 86_400 + 13 * 3600))
        let text = FetchForecast.planned(plan).text(at: time)
        #expect(text == "between 12:30 and 12:55, because the program is usually opened at about 13:00")
    }

    @Test func aDelayIsExplainedByItsRule() {
        let plan = FetchPlan(window: window(600, 600), reason: .interval(.seconds(1800)), constraint: .minimumInterval)
        let text = FetchForecast.planned(plan).text(at: time)
        #expect(text.hasPrefix("at 12:10, because") && text.contains("about every 30 min"))
        #expect(text.hasSuffix("; its minimum interval does not permit an earlier fetch"))
    }

    @Test func laterDaysAreNamed() {
        let tomorrow = FetchPlan(window: window(86_400, 86_400), reason: .coldStart(interval: .seconds(14_400)))
        #expect(FetchForecast.planned(tomorrow).text(at: time).hasPrefix("at 12:00 tomorrow, because"))
        let later = FetchPlan(window: window(3 * 86_400, 3 * 86_400), reason: .retry(failureCount: 2))
        let text = FetchForecast.planned(later).text(at: time)
        #expect(text == "at 12:00 in 3 days, because the last 2 fetches failed")
    }

    @Test func aWindowThatHasBegunStartsNow() {
        let plan = FetchPlan(window: window(-600, 600), reason: .retry(failureCount: 1), constraint: .budget)
        let text = FetchForecast.planned(plan).text(at: time)
        #expect(text.hasPrefix("between 12:00 and 12:10, because the last fetch failed; its budget"))
    }

    @Test func obstaclesHaveDifferentTexts() {
        let texts = FetchObstacle.allCases.map { FetchForecast.none($0).text(at: time) }
        #expect(Set(texts).count == FetchObstacle.allCases.count && texts.allSatisfy { !$0.isEmpty })
    }

    private func window(_ start: Int64, _ end: Int64) -> FetchWindow {
        FetchWindow(earliest: time.bootTime + .seconds(start), latest: time.bootTime + .seconds(end))
    }
}
