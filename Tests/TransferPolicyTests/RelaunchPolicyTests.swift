import Testing

@testable import TransferPolicy

@Suite struct RelaunchPolicyTests {
    @Test func aChainOfTransfersWaitsLongerEachTime() {
        var policy = RelaunchPolicy()
        var now = Duration.zero
        var delays: [Duration] = []
        for _ in 0..<3 {
            policy.handleStart(now: now)
            let end = policy.holdTransfer(now: now)
            delays.append((end ?? now) - now)
            now = end ?? now
        }
        #expect(delays == [.seconds(60), .seconds(120), .seconds(240)])
    }

    @Test func theDelayHasALimit() {
        var policy = RelaunchPolicy()
        for _ in 0..<100 {
            policy.handleStart(now: .zero)
            _ = policy.holdTransfer(now: .zero)
        }
        #expect(policy.delay == RelaunchPolicy.longestDelay)
    }

    @Test func openingTheProgramEndsTheDelay() {
        var policy = RelaunchPolicy()
        policy.handleStart(now: .zero)
        policy.handleStart(now: .zero)
        policy.handleOpening()
        #expect(policy.holdTransfer(now: .seconds(1)) == nil)
        policy.handleStart(now: .seconds(2))
        #expect(policy.holdTransfer(now: .seconds(2)) == .seconds(62))
    }

    @Test func aDelayThatPassesUnusedEndsTheSeries() {
        var policy = RelaunchPolicy()
        policy.handleStart(now: .zero)
        policy.handleStart(now: .seconds(1))
        #expect(policy.delay == .seconds(120))
        policy.handleStart(now: .seconds(121))
        #expect(policy.delay == .seconds(60))
    }

    @Test func aUsedDelayEndsTheSeriesOnlyAfterAnotherOfItsLength() {
        var policy = RelaunchPolicy()
        policy.handleStart(now: .zero)
        #expect(policy.holdTransfer(now: .seconds(10)) == .seconds(60))
        var laterPolicy = policy
        policy.handleStart(now: .seconds(119))
        #expect(policy.delay == .seconds(120))
        laterPolicy.handleStart(now: .seconds(120))
        #expect(laterPolicy.delay == .seconds(60))
    }

    @Test func transfersOfAProgramThatWasNeverStartedDoNotWait() {
        var policy = RelaunchPolicy()
        #expect(policy.holdTransfer(now: .seconds(5)) == nil)
    }

    @Test func failedStartsWaitAndEndAfterFive() {
        var policy = RelaunchPolicy()
        var now = Duration.zero
        var delays: [Duration] = []
        for _ in 0..<4 {
            #expect(policy.decision(now: now) == .start)
            policy.handleFailedStart(now: now)
            guard case .wait(let end) = policy.decision(now: now) else { break }
            delays.append(end - now)
            now = end
        }
        #expect(delays == [.seconds(60), .seconds(120), .seconds(240), .seconds(480)])
        policy.handleFailedStart(now: now)
        #expect(policy.decision(now: now + .seconds(1_000_000)) == .waitForUser)
        policy.handleOpening()
        #expect(policy.decision(now: now) == .start)
    }

    @Test func anAcknowledgedEventEndsTheSeriesOfFailedStarts() {
        var policy = RelaunchPolicy()
        policy.handleFailedStart(now: .zero)
        policy.handleProgress()
        #expect(policy.decision(now: .zero) == .start && policy.failedStartCount == 0)
    }

    @Test func aForceQuitProgramWaitsForTheUser() {
        var policy = RelaunchPolicy()
        policy.handleForceQuit()
        #expect(policy.decision(now: .seconds(1_000_000)) == .waitForUser)
        policy.handleProgress()
        #expect(policy.decision(now: .seconds(1_000_000)) == .waitForUser)
        policy.handleOpening()
        #expect(policy.decision(now: .zero) == .start)
    }

    @Test func aStoredPolicyHoldsTransfersBack() {
        var policy = RelaunchPolicy(
            delay: .seconds(120), delayEnd: .seconds(50), failedStartCount: -1, isForceQuit: false)
        #expect(policy.holdTransfer(now: .seconds(49)) == .seconds(50))
        #expect(policy.failedStartCount == 0)
        policy.handleStart(now: .seconds(60))
        #expect(policy.delay == .seconds(240))
    }
}
