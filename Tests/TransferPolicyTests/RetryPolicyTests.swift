import TestSupport
import Testing

@testable import TransferPolicy

@Suite struct RetryPolicyTests {
    private let now = Duration.seconds(1000)

    @Test(arguments: [(1, 1), (2, 2), (3, 4), (8, 128), (9, 256), (10, 300), (1000, 300)])
    func delaysDoubleFromOneSecondToFiveMinutes(_ failures: Int, _ seconds: Int) {
        #expect(RetryPolicy.delayLimit(failureCount: failures, isDiscretionary: false) == .seconds(seconds))
    }

    @Test(arguments: [(1, 30), (2, 60), (7, 1920), (8, 3600), (1000, 3600)])
    func discretionaryDelaysDoubleFromThirtySecondsToOneHour(_ failures: Int, _ seconds: Int) {
        #expect(RetryPolicy.delayLimit(failureCount: failures, isDiscretionary: true) == .seconds(seconds))
    }

    @Test func theDelayIsAShareOfTheLimit() {
        var policy = RetryPolicy()
        #expect(fail(&policy, .network, random: 0) == .retry(at: now))
        #expect(fail(&policy, .network, random: 0.5) == .retry(at: now + .seconds(1)))
        #expect(fail(&policy, .network, random: 0.25) == .retry(at: now + .seconds(1)))
    }

    @Test func progressEndsASeriesOfFailures() {
        var policy = RetryPolicy()
        for _ in 0..<6 { _ = fail(&policy, .network) }
        policy.handleProgress(bytes: 64 * 1024 - 1)
        #expect(policy.failureCount == 6)
        policy.handleProgress(bytes: 1)
        #expect(policy.failureCount == 0)
        #expect(fail(&policy, .network, random: 1) == .retry(at: now + .seconds(1)))
    }

    @Test func progressBeforeAFailureDoesNotCountAfterIt() {
        var policy = RetryPolicy()
        policy.handleProgress(bytes: 60 * 1024)
        _ = fail(&policy, .network)
        policy.handleProgress(bytes: 5 * 1024)
        #expect(policy.failureCount == 1)
    }

    @Test func bytesThatArriveAgainAreNoProgress() {
        var policy = RetryPolicy(failureCount: 3, garbageCount: 0)
        policy.handleProgress(from: 100_000, to: 150_000)
        #expect(policy.failureCount == 3)
        policy.handleProgress(from: 0, to: 150_000)
        #expect(policy.failureCount == 3 && policy.furthestLength == 150_000)
        policy.handleProgress(from: 150_000, to: 200_000)
        #expect(policy.failureCount == 0 && policy.furthestLength == 200_000)
    }

    @Test func theFifthInvalidReplyInARowFails() {
        var policy = RetryPolicy()
        for _ in 0..<4 { #expect(fail(&policy, .garbage) != .fail) }
        #expect(fail(&policy, .garbage) == .fail)
    }

    @Test func anotherFaultEndsARowOfInvalidReplies() {
        var policy = RetryPolicy()
        for _ in 0..<4 { _ = fail(&policy, .garbage) }
        _ = fail(&policy, .network)
        #expect(fail(&policy, .garbage) != .fail)
    }

    @Test func networkFaultsNeverFail() {
        var policy = RetryPolicy()
        for _ in 0..<100_000 { #expect(fail(&policy, .network) != .fail) }
    }

    @Test(arguments: [(0, 1), (-5, 1), (1, 1), (90, 90), (86_400, 86_400), (4_000_000, 86_400)])
    func retryAfterIsClamped(_ seconds: Int, _ delay: Int) {
        var policy = RetryPolicy()
        let decision = fail(&policy, .unavailable(retryAfter: .seconds(seconds)))
        #expect(decision == .retry(at: now + .seconds(delay)))
    }

    @Test func aFaultWithoutRetryAfterUsesTheOwnDelay() {
        var policy = RetryPolicy()
        #expect(fail(&policy, .unavailable(retryAfter: nil), random: 1) == .retry(at: now + .seconds(1)))
    }

    @Test func networkChangesCauseOneAttemptInTenSeconds() {
        var policy = RetryPolicy()
        let attempts = [0, 9, 10].map { policy.handleNetworkChange(now: now + .seconds($0)) }
        #expect(attempts == [true, false, true])
    }

    @Test func aStoredPolicyGoesOnWhereItWas() {
        var policy = RetryPolicy(failureCount: 3, garbageCount: 4)
        #expect(fail(&policy, .garbage) == .fail)
        #expect(RetryPolicy(failureCount: -1, garbageCount: -1) == RetryPolicy())
    }

    @Test func randomDelaysAreWithinTheLimit() {
        var generator = SeededGenerator.printingSeed()
        var policy = RetryPolicy()
        for _ in 0..<1000 {
            let random = Double.random(in: -1...2, using: &generator)
            guard case .retry(let time) = fail(&policy, .network, random: random) else { continue }
            let limit = RetryPolicy.delayLimit(failureCount: policy.failureCount, isDiscretionary: false)
            #expect(time >= now && time <= now + limit)
        }
    }

    private func fail(
        _ policy: inout RetryPolicy, _ fault: RetryPolicy.Fault, random: Double = 0.5
    ) -> RetryPolicy.Decision {
        policy.handle(fault, isDiscretionary: false, random: random, now: now)
    }
}
