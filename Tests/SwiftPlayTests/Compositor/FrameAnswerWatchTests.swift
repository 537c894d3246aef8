import Testing

@testable import SwiftPlay

@Suite struct FrameAnswerWatchTests {
    private let patience = FrameAnswerWatch().patience

    @Test func unansweredFrameIsAStallAfterThePatience() {
        var watch = FrameAnswerWatch()
        #expect(watch.check(at: 10 * patience) == nil, "nothing was sent")
        watch.sent(at: 0)
        watch.sent(at: patience - 1)
        #expect(watch.check(at: patience - 1) == nil && !watch.isStalled)
        #expect(watch.check(at: patience) == .stalled && watch.isStalled)
        #expect(watch.check(at: patience + 1) == nil, "the stall was reported twice")
    }

    @Test func answerEndsAStallAndRestartsThePatience() {
        var watch = FrameAnswerWatch()
        watch.sent(at: 0)
        watch.released()
        #expect(watch.check(at: patience) == nil)
        watch.sent(at: patience)
        #expect(watch.check(at: 2 * patience) == .stalled)
        watch.sent(at: 2 * patience)
        #expect(watch.check(at: 3 * patience) == nil && watch.isStalled)
        watch.released()
        #expect(watch.check(at: 3 * patience) == .answered && !watch.isStalled)
        #expect(watch.check(at: 9 * patience) == nil, "a pause without frames was reported as a stall")
    }

    @Test("in every order of six inputs, reports alternate and each stall has an unanswered frame of that age")
    func reportsAlternateInEveryOrderOfInputs() {
        for order in 0..<729 {
            var watch = FrameAnswerWatch(), digits = order, now: Int64 = 0, since: Int64?
            var reports: [FrameAnswerWatch.Change] = []
            for _ in 0..<6 {
                now += patience / 2
                switch digits % 3 {
                case 0:
                    watch.sent(at: now)
                    since = since ?? now
                case 1:
                    watch.released()
                    since = nil
                default: break
                }
                digits /= 3
                if let change = watch.check(at: now) { reports.append(change) }
                #expect(watch.isStalled == (since.map { now - $0 >= patience } ?? false))
            }
            for (index, report) in reports.enumerated() { #expect(report == (index % 2 == 0 ? .stalled : .answered)) }
        }
    }
}
