import Glibc
import Testing

@testable import BackgroundService

@Suite struct RestartPolicyTests {
    private let soon: Int64 = 1_000_000_000

    @Test(arguments: [0, 1, RestartPolicy.diskFullStatus], [true, false])
    func aServiceThatHasExitedIsStartedAgainOnlyForSpace(_ status: Int32, _ isFirstStart: Bool) {
        let action = RestartPolicy().action(afterExitWith: status, isFirstStart: isFirstStart)
        let isExpected = status == RestartPolicy.diskFullStatus && !isFirstStart
        #expect(action == (isExpected ? .restart(delay: RestartPolicy.diskFullDelay) : .leave))
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP, SIGQUIT])
    func aServiceThatWasEndedOnPurposeIsNotStartedAgain(by signal: Int32) {
        var policy = RestartPolicy()
        #expect(policy.action(afterEndBy: signal, ranFor: soon) == .leave)
    }

    @Test(arguments: [SIGKILL, SIGSEGV, SIGILL, SIGABRT, SIGBUS])
    func aKilledServiceIsStartedAgainAtOnce(by signal: Int32) {
        var policy = RestartPolicy()
        #expect(policy.action(afterEndBy: signal, ranFor: soon) == .restart(delay: 0))
    }

    @Test func aServiceThatKeepsEndingIsStartedLessOftenAndThenNoMore() {
        var policy = RestartPolicy(), delays: [Int64] = []
        while case .restart(let delay) = policy.action(afterEndBy: SIGSEGV, ranFor: soon) { delays.append(delay) }
        #expect(delays == [0, 1, 2, 4, 8, 16, 32, 64].map { $0 * 500_000_000 })
        #expect(policy.action(afterEndBy: SIGSEGV, ranFor: soon) == .leave)
    }

    @Test func aServiceThatCannotBeStartedIsTriedAgainLessOftenAndThenNoMore() {
        var policy = RestartPolicy(), delays: [Int64] = []
        while case .restart(let delay) = policy.actionAfterFailedStart(isFirstStart: false) { delays.append(delay) }
        #expect(delays == [1, 1, 2, 4, 8, 16, 32, 64].map { $0 * 500_000_000 })
    }

    @Test func aKilledServiceThatCannotBeStartedIsTriedAgainLater() {
        var policy = RestartPolicy()
        #expect(policy.action(afterEndBy: SIGKILL, ranFor: RestartPolicy.stableTime) == .restart(delay: 0))
        #expect(policy.actionAfterFailedStart(isFirstStart: false) == .restart(delay: 500_000_000))
        #expect(policy.action(afterEndBy: SIGKILL, ranFor: RestartPolicy.stableTime) == .restart(delay: 0))
    }

    @Test func aServiceThatCannotBeStartedForAProgramIsNotTriedAgain() {
        var policy = RestartPolicy()
        #expect(policy.actionAfterFailedStart(isFirstStart: true) == .leave)
    }

    @Test func aServiceThatHasRunWellIsStartedAtOnceAgain() {
        var policy = RestartPolicy()
        for _ in 0..<5 { _ = policy.action(afterEndBy: SIGKILL, ranFor: soon) }
        #expect(policy.action(afterEndBy: SIGKILL, ranFor: RestartPolicy.stableTime) == .restart(delay: 0))
    }
}
