import Testing

@testable import AudioOutput

@Suite struct DeviceRecoveryTests {
    /// A second in nanoseconds.
    private static let second: Int64 = 1_000_000_000

    @Test func lostDeviceIsTriedTenTimesWithGrowingDelays() {
        var recovery = DeviceRecovery(lostAt: 0)
        var gaps: [Int64] = [], now: Int64 = 0
        while let next = recovery.nextAttempt {
            gaps.append((next - now) / 1_000_000)
            now = next
            recovery.beginAttempt()
            #expect(recovery.nextAttempt == nil && !recovery.isExhausted, "an attempt is due during another one")
            recovery.failed(at: now)
        }
        #expect(gaps == [50, 100, 200, 400, 800, 1000, 1000, 1000, 1000, 1000])
        #expect(recovery.isExhausted)
        recovery.restartIfExhausted(at: now)
        #expect(recovery.nextAttempt == now && !recovery.isExhausted)
        recovery.beginAttempt()
        recovery.failed(at: now)
        #expect(recovery.nextAttempt == now + 100_000_000)
    }

    @Test func deviceThatFailsSoonAgainKeepsItsAttemptCount() {
        var recovery = DeviceRecovery(lostAt: 0)
        var now: Int64 = 0
        while let next = recovery.nextAttempt {
            now = next
            recovery.beginAttempt()
            recovery.succeeded(at: now)
            #expect(recovery.nextAttempt == nil && !recovery.isExhausted)
            now += Self.second
            let isNew = recovery.deviceFailed(at: now)
            #expect(!isNew)
        }
        #expect(recovery.attempts == DeviceRecovery.attemptLimit && recovery.isExhausted)
    }

    @Test func deviceThatWorkedForSixSecondsHasAllAttemptsAgain() {
        var recovery = DeviceRecovery(lostAt: 0)
        for _ in 0..<3 {
            recovery.beginAttempt()
            recovery.failed(at: 0)
        }
        recovery.beginAttempt()
        recovery.succeeded(at: 0)
        let isNew = recovery.deviceFailed(at: 6 * Self.second)
        #expect(isNew && recovery.attempts == 0)
        #expect(recovery.nextAttempt == 6 * Self.second + 50_000_000)
    }

    @Test func deviceWithAWrongClockIsTriedTwice() {
        var recovery = DeviceRecovery(lostAt: 0, hasWrongClock: true)
        var count = 0
        while let next = recovery.nextAttempt {
            count += 1
            recovery.beginAttempt()
            recovery.succeeded(at: next)
            _ = recovery.deviceFailed(at: next + Self.second, hasWrongClock: true)
        }
        #expect(count == 2 && recovery.isExhausted)
    }
}
