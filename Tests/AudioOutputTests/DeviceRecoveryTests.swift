import Testing

@testable import AudioOutput

@Suite struct DeviceRecoveryTests {
    /// A second in nanoseconds.
    private static let second: Int64 = 1_000_000_000

    @Test func reopeningALostDeviceIsAttemptedTenTimesWithGrowingDelays() {
        var recovery = DeviceRecovery(lostAt: 0)
        var delays: [Int64] = [], now: Int64 = 0
        while let attemptTime = recovery.nextAttemptTime {
            delays.append((attemptTime - now) / 1_000_000)
            now = attemptTime
            recovery.beginAttempt()
            #expect(recovery.nextAttemptTime == nil && !recovery.isExhausted, "an attempt is due during another one")
            recovery.recordFailedAttempt(at: now)
        }
        #expect(delays == [50, 100, 200, 400, 800, 1000, 1000, 1000, 1000, 1000])
        #expect(recovery.isExhausted)
        recovery.restartIfExhausted(at: now)
        #expect(recovery.nextAttemptTime == now && !recovery.isExhausted)
        recovery.beginAttempt()
        recovery.recordFailedAttempt(at: now)
        #expect(recovery.nextAttemptTime == now + 100_000_000)
    }

    @Test func deviceThatFailsAgainSoonKeepsItsAttemptCount() {
        var recovery = DeviceRecovery(lostAt: 0)
        var now: Int64 = 0
        while let attemptTime = recovery.nextAttemptTime {
            now = attemptTime
            recovery.beginAttempt()
            recovery.recordReopening(at: now)
            #expect(recovery.nextAttemptTime == nil && !recovery.isExhausted)
            now += Self.second
            let wasStable = recovery.recordDeviceFailure(at: now)
            #expect(!wasStable)
        }
        #expect(recovery.attemptCount == DeviceRecovery.attemptLimit && recovery.isExhausted)
    }

    @Test func sixSecondsOfPlaybackResetTheAttemptCount() {
        var recovery = DeviceRecovery(lostAt: 0)
        for _ in 0..<3 {
            recovery.beginAttempt()
            recovery.recordFailedAttempt(at: 0)
        }
        recovery.beginAttempt()
        recovery.recordReopening(at: 0)
        let wasStable = recovery.recordDeviceFailure(at: 6 * Self.second)
        #expect(wasStable && recovery.attemptCount == 0)
        #expect(recovery.nextAttemptTime == 6 * Self.second + 50_000_000)
    }

    @Test func deviceWithAWrongClockIsReopenedOnlyTwice() {
        var recovery = DeviceRecovery(lostAt: 0, hasWrongClock: true)
        var attemptCount = 0
        while let attemptTime = recovery.nextAttemptTime {
            attemptCount += 1
            recovery.beginAttempt()
            recovery.recordReopening(at: attemptTime)
            _ = recovery.recordDeviceFailure(at: attemptTime + Self.second, hasWrongClock: true)
        }
        #expect(attemptCount == 2 && recovery.isExhausted)
    }
}
