import Testing

@testable import Compositor

@Suite struct StopDetectorTests {
    private let patience = StopDetector.patience

    /// Looks at one program at several times.
    private func look(_ detector: inout StopDetector, _ looks: [(time: Int64, isStopped: Bool?)]) -> [[StopDetector
        .Action]]
    {
        looks.map { look in detector.look(look.isStopped.map { [1: $0] } ?? [:], now: look.time) }
    }

    @Test func stoppedProgramIsSuspendedAndResumedOnce() {
        var detector = StopDetector()
        let actions = look(&detector, [(0, true), (patience - 1, true), (patience, true), (patience + 1, true)])
        #expect(actions == [[], [], [.suspend(client: 1)], []] && detector.suspended == [1])
        let after = look(&detector, [(patience + 2, false), (patience + 3, false)])
        #expect(after == [[.resume(client: 1)], []] && detector == StopDetector())
    }

    @Test func shortStopHasNoEffect() {
        var detector = StopDetector()
        let actions = look(&detector, [(0, true), (patience - 1, false), (patience, true), (2 * patience - 1, true)])
        #expect(actions == [[], [], [], []])
    }

    @Test(
        "a program that was not observed for a while, since its session was inactive, is stopped anew: an old stop does not count"
    )
    func forgets() {
        var detector = StopDetector()
        let actions = look(
            &detector, [(0, true), (1, nil), (10 * patience, true), (11 * patience - 1, true), (11 * patience, true)])
        #expect(actions == [[], [], [], [], [.suspend(client: 1)]])
    }

    @Test("in every order of stops, checks and absences, suspend and resume alternate, starting with suspend")
    func alternates() {
        let states: [Bool?] = [true, false, nil]
        for code in 0..<Int(729) {
            var detector = StopDetector(), rest = code, isSuspended = false
            for step in 0..<6 as Range<Int64> {
                let state = states[rest % 3]
                rest /= 3
                // A suspended program is observed until it runs again, or has left.
                for action in detector.look(state.map { [1: $0] } ?? [:], now: step * patience) {
                    switch action {
                    case .suspend: #expect(!isSuspended)
                    case .resume: #expect(isSuspended)
                    }
                    isSuspended.toggle()
                }
                if state == nil { isSuspended = false }
                #expect(detector.suspended.isEmpty == !isSuspended)
            }
        }
    }
}
