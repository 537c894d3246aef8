import CompositorProtocol
import Testing

@testable import Compositor

@Suite struct TerminationPolicyTests {
    private static let second: Int64 = 1_000_000_000

    /// Returns the actions of a `TerminationPolicy` that is updated every 250 ms, with their times in seconds. Chosen
    /// programs have the numbers 1, 2 and so on.
    private func actions(
        until end: Double, level: (Double) -> MemoryPressureLevel = { _ in .critical },
        available: (Double) -> Double = { _ in 0.04 }, event: (Double, inout TerminationPolicy) -> Void = { _, _ in }
    ) -> [String] {
        var policy = TerminationPolicy(), actions: [String] = [], nextProgram: UInt64 = 1
        for step in 0...Int(end * 4) {
            let time = Double(step) / 4, now = Int64(time * 1e9)
            event(time, &policy)
            switch policy.update(level(time), available: available(time), now: now) {
            case nil: continue
            case .chooseProgram:
                actions.append("\(time) ask")
                policy.recordExitRequest(to: nextProgram, now: now)
                nextProgram += 1
            case .terminate(let id): actions.append("\(time) terminate \(id)")
            case .kill(let id): actions.append("\(time) kill \(id)")
            }
        }
        return actions
    }

    @Test("after 10 s a program is asked, after 2 s terminated and after 2 s killed; the next one follows 15 s later")
    func programIsEndedInSteps() {
        #expect(
            actions(until: 30) == [
                "10.0 ask", "12.0 terminate 1", "14.0 kill 1", "25.0 ask", "27.0 terminate 2", "29.0 kill 2",
            ])
    }

    @Test func exitedProgramReceivesNoSignal() {
        let observedActions = actions(
            until: 24, event: { time, policy in if time == 11 { policy.recordDisconnection(of: 1) } })
        #expect(observedActions == ["10.0 ask"])
    }

    @Test func exitOfAnotherProgramHasNoEffect() {
        let observedActions = actions(
            until: 13, event: { time, policy in if time == 11 { policy.recordDisconnection(of: 2) } })
        #expect(observedActions == ["10.0 ask", "12.0 terminate 1"])
    }

    @Test func shortCriticalTimesEndNoProgram() {
        #expect(
            actions(until: 60, level: { $0.truncatingRemainder(dividingBy: 10) < 9.5 ? .critical : .warning }) == [])
        #expect(actions(until: 60, level: { _ in .warning }) == [])
    }

    @Test func programIsNotForcedToExitAfterTheShortage() {
        #expect(actions(until: 20, level: { $0 < 11 ? .critical : .warning }) == ["10.0 ask"])
    }

    @Test("while warnings make a tenth more memory available, no program is asked")
    func successfulWarningsDelayTheExitRequest() {
        #expect(actions(until: 18, available: { $0 < 8 ? 0.03 : 0.04 }) == ["18.0 ask"])
        #expect(
            actions(until: 18, available: { $0 < 8 ? 0.0395 : 0.04 }) == [
                "10.0 ask", "12.0 terminate 1", "14.0 kill 1",
            ])
    }

    @Test func withoutACandidateTheNextAttemptFollowsLater() {
        var policy = TerminationPolicy(), attempts: [Int64] = []
        for step in 0...200 as ClosedRange<Int64> {
            let now = step * Self.second / 4
            guard policy.update(.critical, available: 0.01, now: now) == .chooseProgram else { continue }
            attempts.append(now / Self.second)
            policy.postpone(now: now)
        }
        #expect(attempts == [10, 25, 40])
    }
}
