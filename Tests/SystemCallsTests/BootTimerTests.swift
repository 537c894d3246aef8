import Testing

@testable import SystemCalls

@Suite struct BootTimerTests {
    private let timer: BootTimer

    init() throws { timer = try BootTimer() }

    /// Returns whether the timer expires within a time in nanoseconds.
    private func expires(within time: Int64) throws -> Bool {
        try Poll.waitReadable(timer.raw, until: MonotonicTime.now + time)
    }

    @Test func aPassedTimeExpiresAtOnce() throws {
        timer.set(BootTime.now - 5)
        #expect(try expires(within: 5_000_000_000))
    }

    @Test func aStoppedTimerDoesNotExpire() throws {
        timer.set(1)
        timer.set(nil)
        #expect(try !expires(within: 0))
    }

    @Test func anExpirationIsReportedOnce() throws {
        timer.set(1)
        #expect(try expires(within: 5_000_000_000))
        timer.drain()
        #expect(try !expires(within: 0))
    }

    @Test func anExpiredTimerCanBeSetToTheSameTimeAgain() throws {
        for _ in 0..<2 {
            timer.set(1)
            #expect(try expires(within: 5_000_000_000))
            timer.drain()
        }
    }

    @Test func theTimerExpiresAtItsTime() throws {
        let time = BootTime.now + 2_000_000
        timer.set(time)
        #expect(try expires(within: 5_000_000_000))
        #expect(BootTime.now >= time)
    }
}
