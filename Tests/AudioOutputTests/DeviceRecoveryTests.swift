import Testing

@testable import AudioOutput

@Suite struct DeviceRecoveryTests {
    private static let second: Int64 = 1_000_000_000

    @Test func triesTenTimesEverLaterAndThenWaitsForAReason() {
        var recovery = DeviceRecovery(lostAt: 0)
        var gaps: [Int64] = [], now: Int64 = 0
        while let next = recovery.next {
            gaps.append((next - now) / 1_000_000)
            now = next
            recovery.begin()
            #expect(recovery.next == nil && !recovery.isGivenUp, "one at a time")
            recovery.failed(at: now)
        }
        #expect(gaps == [50, 100, 200, 400, 800, 1000, 1000, 1000, 1000, 1000])
        #expect(recovery.isGivenUp)
        recovery.renew(at: now)
        #expect(recovery.next == now && !recovery.isGivenUp)
        recovery.begin()
        recovery.failed(at: now)
        #expect(recovery.next == now + 100_000_000)
    }

    @Test func aDeviceThatComesBackAndFailsAtOnceDoesNotBeginAnew() {
        var recovery = DeviceRecovery(lostAt: 0)
        var now: Int64 = 0
        while let next = recovery.next {
            now = next
            recovery.begin()
            recovery.succeeded(at: now)
            #expect(recovery.next == nil && !recovery.isGivenUp)
            now += Self.second
            let isNew = recovery.lost(at: now)
            #expect(!isNew)
        }
        #expect(recovery.tries == DeviceRecovery.limit && recovery.isGivenUp)
    }

    @Test func aDeviceThatWorkedForSomeTimeHasAllTriesAgain() {
        var recovery = DeviceRecovery(lostAt: 0)
        for _ in 0..<3 {
            recovery.begin()
            recovery.failed(at: 0)
        }
        recovery.begin()
        recovery.succeeded(at: 0)
        let isNew = recovery.lost(at: 6 * Self.second)
        #expect(isNew && recovery.tries == 0)
        #expect(recovery.next == 6 * Self.second + 50_000_000)
    }

    @Test func aWrongClockIsTriedTwice() {
        var recovery = DeviceRecovery(lostAt: 0, hasWrongClock: true)
        var count = 0
        while let next = recovery.next {
            count += 1
            recovery.begin()
            recovery.succeeded(at: next)
            _ = recovery.lost(at: next + Self.second, hasWrongClock: true)
        }
        #expect(count == 2 && recovery.isGivenUp)
    }
}
