import MediaPipeline
import SystemCalls
import Testing

@testable import SwiftPlay

@Suite struct SeekStateTests {
    /// All events that a `SeekState` value handles; ``transition(from:by:id:)`` calls the method for an event. The host
    /// time is always 1 s.
    private enum Event: CaseIterable {
        case seekWhileOpening, seekWhileAwaitingPicture, seekWhilePictureIsShown, seekForPreroll, seekAtHostTime
        case completeSeek, takeQueuedSeek, cancelSeeks, changeItem, changeItemWithStart
        case startPlaying, dropScheduledStart, cancelScheduledStart, cancelScheduledStartWhileOpening
        case preroll, takePreroll, stepForwards, stepBackwards, didStep, takePendingStepCount
    }

    /// The properties by which the test tells the states of a `SeekState` value apart.
    private struct StateKey: Hashable {
        var hasRunningSeek, hasQueuedSeek, hasDeadline, hasPreroll, hasScheduledStart: Bool
        var runningStart: ScheduledStart?
        var catchUpDeadline: Int64?
        var stepDirection: Int

        init(_ seekState: SeekState) {
            (hasRunningSeek, hasQueuedSeek) = (seekState.runningSeek != nil, seekState.queuedSeek != nil)
            (hasDeadline, hasPreroll) = (seekState.pictureDeadline != nil, seekState.preroll != nil)
            (hasScheduledStart, catchUpDeadline) = (
                seekState.scheduledPlayback != nil, seekState.scheduledPlayback?.catchUpDeadline
            )
            (runningStart, stepDirection) = (seekState.runningSeek?.start, seekState.pendingStepCount.signum())
        }
    }

    /// A state transition: an event, the states before and after it, and its effects.
    private struct Transition {
        let before: SeekState, event: Event
        var after: SeekState
        /// The seek that the event started; nil if it started none.
        var startedSeek: SeekCommand?
        var outcome: SeekState.Outcome?
        /// The requests that the event removed: the times of cancelled seeks, whether the preroll was cancelled, and
        /// the seek that was taken for execution.
        var cancelledSeekTimes: [Int64] = [], hasCancelledPreroll = false, takenSeek: SeekCommand?
    }

    private static let now: Int64 = 1_000_000_000
    /// The host time at which playback is scheduled to start, in nanoseconds.
    private static let scheduledHostTime: Int64 = 2_000_000_000

    /// Applies an event to a state, and returns the transition. A new seek has the time `id`, which identifies it.
    private static func transition(from before: SeekState, by event: Event, id: Int64) -> Transition {
        var step = Transition(before: before, event: event, after: before)
        var seek = SeekCommand(time: id)
        var cancelledRequests = SeekState.CancelledRequests()
        func begin(_ stage: SeekState.Stage, keepsPreroll: Bool = false) {
            let result = step.after.begin(seek, stage, now: now, keepsPreroll: keepsPreroll)
            (step.startedSeek, cancelledRequests, step.outcome) = (seek, result.cancelledRequests, result.outcome)
        }
        switch event {
        case .seekWhileOpening: begin(.opening)
        case .seekWhileAwaitingPicture: begin(.awaitingPicture)
        case .seekWhilePictureIsShown: begin(.shown)
        case .seekForPreroll: begin(.shown, keepsPreroll: true)
        case .seekAtHostTime:
            seek.start = ScheduledStart(rate: 1, hostTime: scheduledHostTime)
            begin(.awaitingPicture)
        case .completeSeek: step.takenSeek = step.after.takeRunningSeek()
        case .takeQueuedSeek: step.takenSeek = step.after.takeQueuedSeek()
        case .cancelSeeks: cancelledRequests = step.after.cancelSeeks()
        case .changeItem: cancelledRequests = step.after.changeItem(start: nil)
        case .changeItemWithStart: cancelledRequests = step.after.changeItem(start: 7)
        case .startPlaying: step.after.startPlaying(catchUpDeadline: now + 5)
        case .dropScheduledStart: step.after.clearScheduledPlayback()
        case .cancelScheduledStart: step.startedSeek = step.after.cancelScheduledPlayback(isOpening: false, now: now)
        case .cancelScheduledStartWhileOpening:
            step.startedSeek = step.after.cancelScheduledPlayback(isOpening: true, now: now)
        case .preroll:
            if before.preroll == nil { step.after.begin(PrerollCommand(rate: 1, completion: SeekCompletion { _ in })) }
        case .takePreroll: step.hasCancelledPreroll = step.after.takePreroll() != nil
        case .stepForwards: step.after.addSteps(1)
        case .stepBackwards: step.after.addSteps(-1)
        case .didStep: if before.pendingStepCount > 0 { step.after.didStepForward() }
        case .takePendingStepCount: _ = step.after.takePendingStepCount()
        }
        step.cancelledSeekTimes = cancelledRequests.seeks.map(\.time)
        if cancelledRequests.preroll != nil { step.hasCancelledPreroll = true }
        return step
    }

    /// The transitions for every event in every reachable state.
    private static let transitions: [Transition] = {
        var states = [SeekState()], knownStates: Set = [StateKey(SeekState())]
        var transitions: [Transition] = [], stateIndex = 0
        while stateIndex < states.count {
            for event in Event.allCases {
                let step = transition(from: states[stateIndex], by: event, id: Int64(transitions.count + 100))
                transitions.append(step)
                if knownStates.insert(StateKey(step.after)).inserted { states.append(step.after) }
            }
            stateIndex += 1
        }
        return transitions
    }()

    /// Returns the target times of the running seek and of the queued seek, if there are such seeks.
    private static func pendingSeekTimes(_ seekState: SeekState) -> [Int64] {
        [seekState.runningSeek, seekState.queuedSeek].compactMap { $0?.time }
    }

    @Test func everySeekStaysPendingOrIsRemovedExactlyOnce() {
        for step in Self.transitions {
            var expected = Self.pendingSeekTimes(step.before)
            if step.outcome != nil, let startedSeek = step.startedSeek { expected.append(startedSeek.time) }
            if step.event == .changeItemWithStart { expected.append(7) }
            var pendingOrRemovedTimes = step.cancelledSeekTimes + Self.pendingSeekTimes(step.after)
            if let takenSeek = step.takenSeek { pendingOrRemovedTimes.append(takenSeek.time) }
            #expect(pendingOrRemovedTimes.sorted() == expected.sorted(), "\(step.event): \(StateKey(step.before))")
        }
    }

    @Test func seeksCancelThePrerollUnlessTheyArePartOfIt() {
        for step in Self.transitions where step.before.preroll != nil {
            let cancellingEvents: Set<Event> = [
                .seekWhileOpening, .seekWhileAwaitingPicture, .seekWhilePictureIsShown, .seekAtHostTime, .takePreroll,
            ]
            #expect(step.hasCancelledPreroll == cancellingEvents.contains(step.event), "\(step.event)")
            #expect((step.after.preroll == nil) == step.hasCancelledPreroll, "\(step.event)")
        }
    }

    @Test func seekIsQueuedOnlyWhileAPictureIsAwaited() {
        for step in Self.transitions {
            guard let outcome = step.outcome, let startedSeek = step.startedSeek else { continue }
            let awaitsPicture = step.event == .seekWhileAwaitingPicture || step.event == .seekAtHostTime
            switch outcome {
            case .queued:
                #expect(
                    awaitsPicture && step.before.pictureDeadline != nil
                        && step.after.queuedSeek?.time == startedSeek.time
                        && step.after.runningSeek == nil)
                #expect(
                    step.after.pictureDeadline == step.before.pictureDeadline
                        && step.after.pendingStepCount == step.before.pendingStepCount)
            case .queuedUntilOpened:
                #expect(
                    step.event == .seekWhileOpening && step.after.runningSeek?.time == startedSeek.time
                        && step.after.queuedSeek == nil)
            case .running:
                #expect(step.after.runningSeek?.time == startedSeek.time && step.after.queuedSeek == nil)
                #expect(
                    step.after.pictureDeadline == Self.now + SeekState.pictureTimeout
                        && step.after.pendingStepCount == 0)
            }
            #expect(step.after.targetTime == startedSeek.time)
        }
    }

    @Test func seekStopsWaitingForThePictureAtItsDeadline() {
        var seekState = SeekState()
        _ = seekState.begin(SeekCommand(time: 1), .awaitingPicture, now: 0)
        #expect(
            seekState.begin(SeekCommand(time: 2), .awaitingPicture, now: SeekState.pictureTimeout - 1).outcome
                == .queued)
        #expect(seekState.pictureDeadline == SeekState.pictureTimeout, "newer seeks do not move the deadline")
        #expect(
            seekState.begin(SeekCommand(time: 3), .awaitingPicture, now: SeekState.pictureTimeout).outcome == .running)
    }

    @Test func negativeSeekTimesBecomeZero() {
        var seekState = SeekState()
        var seek = SeekCommand(time: -5)
        seek.start = ScheduledStart(rate: 1, hostTime: 9)
        _ = seekState.begin(seek, .shown, now: 0)
        let expected = SeekState.ScheduledPlayback(mediaTime: 0, hostTime: 9)
        #expect(seekState.runningSeek?.time == 0 && seekState.scheduledPlayback == expected)
    }

    // MARK: Scheduled starts of playback

    @Test func scheduledStartLastsUntilASeekOrAStepOrACancellation() {
        let endingEvents: Set<Event> = [
            .seekWhileOpening, .seekWhileAwaitingPicture, .seekWhilePictureIsShown, .seekForPreroll, .changeItem,
            .changeItemWithStart,
            .dropScheduledStart, .cancelScheduledStart,
            .cancelScheduledStartWhileOpening, .stepForwards, .stepBackwards,
        ]
        for step in Self.transitions where step.before.scheduledPlayback != nil {
            #expect((step.after.scheduledPlayback == nil) == endingEvents.contains(step.event), "\(step.event)")
            if step.event == .startPlaying { #expect(step.after.scheduledPlayback?.catchUpDeadline == Self.now + 5) }
        }
        for step in Self.transitions where step.before.scheduledPlayback == nil {
            #expect((step.after.scheduledPlayback != nil) == (step.event == .seekAtHostTime), "\(step.event)")
        }
    }

    @Test func cancellingAScheduledStartSeeksUnlessItHasPassedOrTheItemIsOpening() {
        for step in Self.transitions
        where step.event == .cancelScheduledStart || step.event == .cancelScheduledStartWhileOpening {
            #expect(step.after.runningSeek?.start == nil, "a running seek no longer has a scheduled start")
            let expected = step.event == .cancelScheduledStart ? step.before.scheduledPlayback?.mediaTime : nil
            #expect(step.startedSeek?.time == expected, "\(StateKey(step.before))")
        }
        var seekState = SeekState()
        var seek = SeekCommand(time: 5)
        seek.start = ScheduledStart(rate: 1, hostTime: 10)
        _ = seekState.begin(seek, .shown, now: 0)
        #expect(seekState.cancelScheduledPlayback(isOpening: false, now: 10) == nil)
    }

    // MARK: Frame steps

    @Test func frameStepsAddUpToALimit() {
        var seekState = SeekState()
        seekState.addSteps(3)
        seekState.addSteps(-1)
        #expect(seekState.pendingStepCount == 2)
        seekState.didStepForward()
        #expect(seekState.takePendingStepCount() == 1 && seekState.pendingStepCount == 0)
        seekState.addSteps(.max)
        #expect(seekState.pendingStepCount == SeekState.stepLimit)
        seekState.addSteps(.min)
        #expect(seekState.pendingStepCount == 0)
        seekState.addSteps(5)
        _ = seekState.changeItem(start: nil)
        #expect(seekState.pendingStepCount == 0, "a change of the item discards the steps")
    }

    @Test func completionHandlersOfCancelledRequestsReceiveFalse() {
        let results = Monitor<[Bool]>([])
        let recordResult: @Sendable (Bool) -> Void = { result in results.withLock { $0.append(result) } }
        var seekState = SeekState()
        seekState.begin(PrerollCommand(rate: 1, completion: SeekCompletion(recordResult)))
        let firstSeek = seekState.begin(SeekCommand(time: 1, completion: recordResult), .shown, now: 0)
        #expect(firstSeek.cancelledRequests.preroll != nil)
        firstSeek.cancelledRequests.complete()
        seekState.begin(SeekCommand(time: 2), .shown, now: 0).cancelledRequests.complete()
        #expect(results.withLock { $0 } == [false, false])
    }
}
