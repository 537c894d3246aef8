import Testing

@testable import Compositor

@Suite struct StallDetectorTests {
    private static let step = StallDetector.interval

    /// Looks once in each interval from `start` on.
    ///
    /// - Returns: the answers.
    private func look(_ detector: inout StallDetector, _ progress: [UInt64?], from start: Int64) -> [Bool] {
        progress.enumerated().map { detector.look($1, now: start + Int64($0) * Self.step) }
    }

    private let patience = [Bool](repeating: false, count: StallDetector.limit)
    private let work = [UInt64?](repeating: 7, count: StallDetector.limit + 1)

    @Test func threadWithoutProgressStallsAfterSixIntervals() {
        var detector = StallDetector()
        let answers = look(&detector, work, from: 0)
        #expect(answers == patience + [true])
    }

    @Test func earlyChecksDoNotCount() {
        var detector = StallDetector()
        let answers = (0..<100).map { detector.look(7, now: $0) }
        #expect(!answers.contains(true) && detector.deadline == Self.step)
    }

    @Test("progress or a time without work restarts the count", arguments: [nil, 8] as [UInt64?])
    func progress(_ other: UInt64?) {
        var detector = StallDetector()
        let first = look(&detector, Array(work.dropLast()) + [other], from: 0)
        #expect(first == patience + [false] && (detector.deadline == nil) == (other == nil))
        let second = look(&detector, work, from: 1000 * Self.step)
        #expect(second == patience + [true])
    }

    @Test("a process that was stopped for an hour reports no stalled thread")
    func aStoppedProcess() {
        var detector = StallDetector()
        let answers = [0, 3_600_000_000_000].map { detector.look(7, now: $0) }
        #expect(answers == [false, false] && detector.deadline == 3_600_000_000_000 + Self.step)
    }
}
