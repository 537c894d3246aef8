import Testing
import TransferPolicy

@testable import BackgroundService

@Suite struct RelaunchPolicyStoredTests {
    /// Returns clocks that stand still, in nanoseconds.
    private func clock(now: Int64, wall: Int64) -> ServiceClock {
        var clock = ServiceClock(boot: "boot")
        clock.now = { now }
        clock.wall = { wall }
        return clock
    }

    private let second: Int64 = 1_000_000_000

    @Test func aDelayKeepsItsRestAfterAStartOfTheMachine() {
        var policy = RelaunchPolicy()
        policy.handleStart(now: .seconds(1000))
        let bytes = policy.stored(clock: clock(now: 1010 * second, wall: 5000 * second))
        var restored = RelaunchPolicy(
            stored: bytes, isForceQuit: false, clock: clock(now: 3 * second, wall: 5020 * second))
        #expect(restored.delay == .seconds(60))
        #expect(restored.holdTransfer(now: .seconds(3)) == .seconds(33))
    }

    @Test func aCalendarThatWasSetBackDoesNotLengthenTheDelay() {
        var policy = RelaunchPolicy()
        policy.handleStart(now: .seconds(1000))
        let bytes = policy.stored(clock: clock(now: 1000 * second, wall: 5000 * second))
        let restored = RelaunchPolicy(stored: bytes, isForceQuit: false, clock: clock(now: 0, wall: 0))
        #expect(restored.delayEnd == .seconds(60))
    }

    @Test func failedStartsAndForceQuitAreKept() {
        var policy = RelaunchPolicy()
        policy.handleFailedStart(now: .zero)
        let bytes = policy.stored(clock: clock(now: 0, wall: 0))
        let restored = RelaunchPolicy(stored: bytes, isForceQuit: true, clock: clock(now: 0, wall: 0))
        #expect(restored.failedStartCount == 1)
        #expect(restored.decision(now: .seconds(1_000_000)) == .waitForUser)
    }

    @Test(arguments: [[], [1, 2, 3]] as [[UInt8]]) func anythingElseIsANewPolicy(_ bytes: [UInt8]) {
        #expect(
            RelaunchPolicy(stored: bytes, isForceQuit: false, clock: clock(now: 0, wall: 0)) == RelaunchPolicy())
    }
}
