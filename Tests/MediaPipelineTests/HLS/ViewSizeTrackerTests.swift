import Testing

@testable import MediaPipeline

@Suite struct ViewSizeTrackerTests {
    /// Converts a host time from seconds to nanoseconds.
    private func hostTime(_ seconds: Double) -> Int64 { Int64(nanosecondsOf: seconds) }
    /// Returns a video destination that is a view of the given size in pixels.
    private func view(_ width: Int, _ height: Int) -> VideoDestination { .view(ChooserFixtures.view(width, height)) }

    /// Returns a tracker whose effective view size has been 1280×720 since 0 s.
    private func tracker() -> ViewSizeTracker {
        var tracker = ViewSizeTracker()
        _ = tracker.update(view(1280, 720), at: 0)
        return tracker
    }

    @Test("Without a view, the size is unknown; the size of the first view takes effect immediately")
    func firstViewSizeTakesEffectImmediately() {
        var tracker = ViewSizeTracker()
        #expect(tracker.effectiveDestination == .unknown && tracker.nextDecisionTime == nil)
        let hasChanged = tracker.update(view(400, 225), at: hostTime(5))
        #expect(hasChanged && tracker.effectiveDestination == view(400, 225))
    }

    @Test("A view that grows takes effect immediately") func growingViewTakesEffectImmediately() {
        var tracker = tracker()
        let hasChanged = tracker.update(view(1920, 1080), at: hostTime(10))
        #expect(hasChanged && tracker.effectiveDestination == view(1920, 1080) && tracker.nextDecisionTime == nil)
    }

    @Test("A view that shrinks takes effect after one second without a change")
    func shrinkingViewTakesEffectAfterOneSecond() {
        var tracker = tracker()
        let hasChangedAtOnce = tracker.update(view(800, 450), at: hostTime(10))
        let hasChangedOnUpdate = tracker.update(view(400, 225), at: hostTime(10.5))
        #expect(!hasChangedAtOnce && !hasChangedOnUpdate && tracker.nextDecisionTime == hostTime(11.5))
        let hasChangedTooEarly = tracker.advance(to: hostTime(11.49))
        #expect(!hasChangedTooEarly && tracker.effectiveDestination == view(1280, 720))
        let hasChanged = tracker.advance(to: hostTime(11.5))
        #expect(hasChanged && tracker.effectiveDestination == view(400, 225))
    }

    @Test("A view that shrinks and grows back within a second changes nothing")
    func viewThatShrinksBrieflyChangesNothing() {
        var tracker = tracker()
        _ = tracker.update(view(400, 225), at: hostTime(10))
        _ = tracker.update(view(1280, 720), at: hostTime(10.6))
        #expect(tracker.nextDecisionTime == nil && tracker.effectiveDestination == view(1280, 720))
    }

    @Test("While a window is being dragged there is at most one decision a second")
    func draggedWindowCausesOneDecisionASecond() {
        var tracker = tracker()
        var decisionTimes: [Int64] = []
        for step in 0..<30 {
            let time = hostTime(10 + Double(step) / 6)
            if tracker.update(view(1300 + step * 20, 740 + step * 10), at: time) { decisionTimes.append(time) }
        }
        #expect(decisionTimes.count == 5)
        #expect(zip(decisionTimes, decisionTimes.dropFirst()).allSatisfy { $1 - $0 >= hostTime(1) })
        let nextDecision = tracker.nextDecisionTime
        #expect(nextDecision == decisionTimes.last.map { $0 + hostTime(1) })
    }

    @Test("A window dragged between small and large sizes causes few decisions")
    func windowDraggedBackAndForthCausesFewDecisions() {
        var tracker = ViewSizeTracker()
        _ = tracker.update(view(1100, 619), at: 0)
        var decisionCount = 0
        for step in 0..<30 {
            let width = step.isMultiple(of: 2) ? 300 : 1900
            if tracker.update(view(width, width * 9 / 16), at: hostTime(10 + Double(step) / 6)) { decisionCount += 1 }
        }
        #expect(decisionCount == 1)
    }

    @Test("A view that disappears takes effect after one second, so that a view that moves keeps its limit")
    func disappearedViewTakesEffectAfterOneSecond() {
        var tracker = tracker()
        let hasChangedAtOnce = tracker.update(.unknown, at: hostTime(10))
        #expect(!hasChangedAtOnce && tracker.nextDecisionTime == hostTime(11))
        let hasChangedAfterASecond = tracker.advance(to: hostTime(11))
        #expect(hasChangedAfterASecond && tracker.effectiveDestination == .unknown)
    }

    @Test("Audio-only playback takes effect after one second, and the return of the video takes effect immediately")
    func audioOnlyTakesEffectAfterOneSecond() {
        var tracker = tracker()
        let hasChangedAtOnce = tracker.update(.audioOnly, at: hostTime(10))
        let hasChangedAfterASecond = tracker.advance(to: hostTime(11))
        #expect(!hasChangedAtOnce && hasChangedAfterASecond && tracker.effectiveDestination == .audioOnly)
        let hasChangedBack = tracker.update(view(1280, 720), at: hostTime(20))
        #expect(hasChangedBack && tracker.effectiveDestination == view(1280, 720))
    }
}
