import Testing

@testable import SwiftPlay

@Suite struct FrameReleaseMonitorTests {
    /// The time after which an unreleased frame counts as a stall, in nanoseconds.
    private let timeout = FrameReleaseMonitor().timeout

    @Test func unreleasedFrameIsAStallAfterTheTimeout() {
        var monitor = FrameReleaseMonitor()
        #expect(monitor.check(at: 10 * timeout) == nil, "no frame was sent")
        monitor.recordSentFrame(at: 0)
        monitor.recordSentFrame(at: timeout - 1)
        #expect(monitor.check(at: timeout - 1) == nil && !monitor.isStalled)
        #expect(monitor.check(at: timeout) == .stalled && monitor.isStalled)
        #expect(monitor.check(at: timeout + 1) == nil, "the stall was reported twice")
    }

    @Test func releasedFrameEndsAStallAndRestartsTheTimeout() {
        var monitor = FrameReleaseMonitor()
        monitor.recordSentFrame(at: 0)
        monitor.recordReleasedFrame()
        #expect(monitor.check(at: timeout) == nil)
        monitor.recordSentFrame(at: timeout)
        #expect(monitor.check(at: 2 * timeout) == .stalled)
        monitor.recordSentFrame(at: 2 * timeout)
        #expect(monitor.check(at: 3 * timeout) == nil && monitor.isStalled)
        monitor.recordReleasedFrame()
        #expect(monitor.check(at: 3 * timeout) == .resumed && !monitor.isStalled)
        #expect(monitor.check(at: 9 * timeout) == nil, "a pause without frames was reported as a stall")
    }

    @Test("in every sequence of six inputs, stalls and recoveries alternate, and stalls are reported after the timeout")
    func reportedStallsAndRecoveriesAlternateInEverySequenceOfInputs() {
        // In base 3, each digit of the index is an input.
        for sequenceIndex in 0..<729 {
            var monitor = FrameReleaseMonitor(), remainingDigits = sequenceIndex
            var now: Int64 = 0, firstUnreleasedTime: Int64?
            var reports: [FrameReleaseMonitor.Change] = []
            for _ in 0..<6 {
                now += timeout / 2
                switch remainingDigits % 3 {
                case 0:
                    monitor.recordSentFrame(at: now)
                    firstUnreleasedTime = firstUnreleasedTime ?? now
                case 1:
                    monitor.recordReleasedFrame()
                    firstUnreleasedTime = nil
                default: break
                }
                remainingDigits /= 3
                if let change = monitor.check(at: now) { reports.append(change) }
                #expect(monitor.isStalled == (firstUnreleasedTime.map { now - $0 >= timeout } ?? false))
            }
            for (index, report) in reports.enumerated() { #expect(report == (index % 2 == 0 ? .stalled : .resumed)) }
        }
    }
}
