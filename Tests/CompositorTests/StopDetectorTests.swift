import Testing

@testable import Compositor

@Suite struct StopDetectorTests {
    private let timeout = StopDetector.timeout

    /// Passes the states of program 1 to the detector at several times, and returns the actions after each check.
    private func check(_ detector: inout StopDetector, _ checks: [(time: Int64, isStopped: Bool?)]) -> [[StopDetector
        .Action]]
    {
        checks.map { check in detector.check(check.isStopped.map { [1: $0] } ?? [:], now: check.time) }
    }

    @Test func stoppedProgramIsSuspendedAndResumedOnce() {
        var detector = StopDetector()
        let actions = check(&detector, [(0, true), (timeout - 1, true), (timeout, true), (timeout + 1, true)])
        #expect(actions == [[], [], [.suspend(client: 1)], []] && detector.suspendedPrograms == [1])
        let laterActions = check(&detector, [(timeout + 2, false), (timeout + 3, false)])
        #expect(laterActions == [[.resume(client: 1)], []] && detector == StopDetector())
    }

    @Test func shortStopHasNoEffect() {
        var detector = StopDetector()
        let actions = check(&detector, [(0, true), (timeout - 1, false), (timeout, true), (2 * timeout - 1, true)])
        #expect(actions == [[], [], [], []])
    }

    @Test(
        "a program that was not observed for a while starts a new stop; the time of the earlier stop does not count"
    )
    func unobservedProgramStartsANewStop() {
        var detector = StopDetector()
        let actions = check(
            &detector, [(0, true), (1, nil), (10 * timeout, true), (11 * timeout - 1, true), (11 * timeout, true)])
        #expect(actions == [[], [], [], [], [.suspend(client: 1)]])
    }

    @Test("in every order of stops, checks and absences, suspend and resume alternate, starting with suspend")
    func suspendAndResumeAlternateInEveryOrderOfEvents() {
        let states: [Bool?] = [true, false, nil]
        for sequenceNumber in 0..<Int(729) {
            var detector = StopDetector(), remainingDigits = sequenceNumber, isSuspended = false
            for step in 0..<6 as Range<Int64> {
                let state = states[remainingDigits % 3]
                remainingDigits /= 3
                // A program whose sessions are suspended is observed until it runs again or disconnects.
                for action in detector.check(state.map { [1: $0] } ?? [:], now: step * timeout) {
                    switch action {
                    case .suspend: #expect(!isSuspended)
                    case .resume: #expect(isSuspended)
                    }
                    isSuspended.toggle()
                }
                if state == nil { isSuspended = false }
                #expect(detector.suspendedPrograms.isEmpty == !isSuspended)
            }
        }
    }
}
