import Testing

@testable import Compositor

@Suite struct StallDetectorTests {
    private static let checkInterval = StallDetector.checkInterval

    /// Checks a thread once per check interval, starting at the time `start`, with the given progress counters. Returns
    /// whether each check reports a stall.
    private func check(_ detector: inout StallDetector, _ progress: [UInt64?], from start: Int64) -> [Bool] {
        progress.enumerated().map { detector.check($1, now: start + Int64($0) * Self.checkInterval) }
    }

    /// The results of the checks before the detector reports a stall: all false.
    private let resultsBeforeStall = [Bool](repeating: false, count: StallDetector.checkLimit)
    /// The progress counters of a thread that has work and does not advance, long enough for a stall.
    private let unchangedProgress = [UInt64?](repeating: 7, count: StallDetector.checkLimit + 1)

    @Test func threadWithoutProgressStallsAfterSixIntervals() {
        var detector = StallDetector()
        let results = check(&detector, unchangedProgress, from: 0)
        #expect(results == resultsBeforeStall + [true])
    }

    @Test func earlyChecksDoNotCount() {
        var detector = StallDetector()
        let results = (0..<100).map { detector.check(7, now: $0) }
        #expect(!results.contains(true) && detector.deadline == Self.checkInterval)
    }

    @Test("progress or a time without work restarts the count", arguments: [nil, 8] as [UInt64?])
    func progressOrATimeWithoutWorkRestartsTheCount(_ progressOrNoWork: UInt64?) {
        var detector = StallDetector()
        let firstResults = check(&detector, Array(unchangedProgress.dropLast()) + [progressOrNoWork], from: 0)
        #expect(firstResults == resultsBeforeStall + [false] && (detector.deadline == nil) == (progressOrNoWork == nil))
        let secondResults = check(&detector, unchangedProgress, from: 1000 * Self.checkInterval)
        #expect(secondResults == resultsBeforeStall + [true])
    }

    @Test("a process that was stopped for an hour reports no stalled thread")
    func stoppedProcessReportsNoStalledThread() {
        var detector = StallDetector()
        let results = [0, 3_600_000_000_000].map { detector.check(7, now: $0) }
        #expect(results == [false, false] && detector.deadline == 3_600_000_000_000 + Self.checkInterval)
    }
}
