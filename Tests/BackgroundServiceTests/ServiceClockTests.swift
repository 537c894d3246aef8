import LedgerStore
import Testing

@testable import BackgroundService

@Suite struct ServiceClockTests {
    private var clock: ServiceClock {
        var clock = ServiceClock(boot: "b")
        clock.now = { 1000 }
        clock.wall = { 50_000 }
        return clock
    }

    @Test func withinABootTheUptimeCounts() {
        #expect(clock.passed(since: ClockMark(boot: "b", wall: 0, uptime: 400)) == 600)
    }

    @Test func afterABootTheCalendarCounts() {
        #expect(clock.passed(since: ClockMark(boot: "a", wall: 49_000, uptime: 999_999)) == 1000)
    }

    @Test(arguments: [ClockMark(boot: "b", wall: 0, uptime: 2000), ClockMark(boot: "a", wall: 60_000, uptime: 0)])
    func aClockThatWentBackCountsAsNoTime(_ mark: ClockMark) { #expect(clock.passed(since: mark) == 0) }
}
