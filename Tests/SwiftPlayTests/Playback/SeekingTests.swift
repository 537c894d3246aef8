import MediaPipeline
import SystemCalls
import Testing

@testable import SwiftPlay

@Suite struct SeekingTests {
    /// All events that a `Seeking` value handles; ``step(_:_:id:)`` calls the method for an event. The host time is
    /// always 1 s.
    private enum Input: CaseIterable {
        case seekOpening, seekAwaiting, seekShown, seekForPreroll, seekAtHostTime
        case complete, takeQueued, cancelSeeks, changeItem, changeItemWithStart
        case startPlaying, dropScheduledStart, cancelScheduledStart, cancelScheduledStartOpening
        case preroll, takePreroll, stepForwards, stepBackwards, stepped, takeSteps
    }

    /// The properties by which the test tells the states of a `Seeking` value apart.
    private struct StateKey: Hashable {
        var running, queued, hasDeadline, hasPreroll, hasScheduledStart: Bool
        var runningStart: ScheduledStart?
        var catchUpDeadline: Int64?
        var steps: Int

        init(_ seeking: Seeking) {
            (running, queued) = (seeking.running != nil, seeking.queued != nil)
            (hasDeadline, hasPreroll) = (seeking.pictureDeadline != nil, seeking.preroll != nil)
            (hasScheduledStart, catchUpDeadline) = (
                seeking.scheduledPlayback != nil, seeking.scheduledPlayback?.catchUpDeadline
            )
            (runningStart, steps) = (seeking.running?.start, seeking.steps.signum())
        }
    }

    /// A state transition: an event, the states before and after it, and its effects.
    private struct Transition {
        let before: Seeking, input: Input
        var after: Seeking
        /// The seek that the event started; nil if it started none.
        var begun: SeekCommand?
        var outcome: Seeking.Outcome?
        /// The requests that the event removed: the times of cancelled seeks, whether the preroll was cancelled, and
        /// the seek that was taken for execution.
        var cancelled: [Int64] = [], hasCancelledPreroll = false, taken: SeekCommand?
    }

    private static let now: Int64 = 1_000_000_000
    /// The host time at which playback is scheduled to start, in nanoseconds.
    private static let scheduledHostTime: Int64 = 2_000_000_000

    /// Applies an event to a state, and returns the transition. A new seek has the time `id`, which identifies it.
    private static func step(_ before: Seeking, _ input: Input, id: Int64) -> Transition {
        var step = Transition(before: before, input: input, after: before)
        var seek = SeekCommand(time: id)
        var cancelled = Seeking.Cancelled()
        func begin(_ stage: Seeking.Stage, keepsPreroll: Bool = false) {
            let result = step.after.begin(seek, stage, now: now, keepsPreroll: keepsPreroll)
            (step.begun, cancelled, step.outcome) = (seek, result.cancelled, result.outcome)
        }
        switch input {
        case .seekOpening: begin(.opening)
        case .seekAwaiting: begin(.awaitingPicture)
        case .seekShown: begin(.shown)
        case .seekForPreroll: begin(.shown, keepsPreroll: true)
        case .seekAtHostTime:
            seek.start = ScheduledStart(rate: 1, host: scheduledHostTime)
            begin(.awaitingPicture)
        case .complete: step.taken = step.after.takeRunning()
        case .takeQueued: step.taken = step.after.takeQueued()
        case .cancelSeeks: cancelled = step.after.cancelSeeks()
        case .changeItem: cancelled = step.after.changeItem(start: nil)
        case .changeItemWithStart: cancelled = step.after.changeItem(start: 7)
        case .startPlaying: step.after.startPlaying(catchUpDeadline: now + 5)
        case .dropScheduledStart: step.after.clearScheduledPlayback()
        case .cancelScheduledStart: step.begun = step.after.cancelScheduledPlayback(isOpening: false, now: now)
        case .cancelScheduledStartOpening: step.begun = step.after.cancelScheduledPlayback(isOpening: true, now: now)
        case .preroll:
            if before.preroll == nil { step.after.begin(PrerollCommand(rate: 1, completion: SeekCompletion { _ in })) }
        case .takePreroll: step.hasCancelledPreroll = step.after.takePreroll() != nil
        case .stepForwards: step.after.step(1)
        case .stepBackwards: step.after.step(-1)
        case .stepped: if before.steps > 0 { step.after.stepped() }
        case .takeSteps: _ = step.after.takeSteps()
        }
        step.cancelled = cancelled.seeks.map(\.time)
        if cancelled.preroll != nil { step.hasCancelledPreroll = true }
        return step
    }

    /// The transitions for every event in every reachable state.
    private static let steps: [Transition] = {
        var states = [Seeking()], seen: Set = [StateKey(Seeking())], steps: [Transition] = [], next = 0
        while next < states.count {
            for input in Input.allCases {
                let step = step(states[next], input, id: Int64(steps.count + 100))
                steps.append(step)
                if seen.insert(StateKey(step.after)).inserted { states.append(step.after) }
            }
            next += 1
        }
        return steps
    }()

    /// Returns the target times of the running seek and of the queued seek, if there are such seeks.
    private static func pendingSeekTimes(_ seeking: Seeking) -> [Int64] {
        [seeking.running, seeking.queued].compactMap { $0?.time }
    }

    @Test func everySeekStaysPendingOrIsRemovedExactlyOnce() {
        for step in Self.steps {
            var expected = Self.pendingSeekTimes(step.before)
            if step.outcome != nil, let begun = step.begun { expected.append(begun.time) }
            if step.input == .changeItemWithStart { expected.append(7) }
            var left = step.cancelled + Self.pendingSeekTimes(step.after)
            if let taken = step.taken { left.append(taken.time) }
            #expect(left.sorted() == expected.sorted(), "\(step.input): \(StateKey(step.before))")
        }
    }

    @Test func seeksCancelThePrerollUnlessTheyArePartOfIt() {
        for step in Self.steps where step.before.preroll != nil {
            let isSeek: Set<Input> = [.seekOpening, .seekAwaiting, .seekShown, .seekAtHostTime, .takePreroll]
            #expect(step.hasCancelledPreroll == isSeek.contains(step.input), "\(step.input)")
            #expect((step.after.preroll == nil) == step.hasCancelledPreroll, "\(step.input)")
        }
    }

    @Test func seekIsQueuedOnlyWhileAPictureIsAwaited() {
        for step in Self.steps {
            guard let outcome = step.outcome, let begun = step.begun else { continue }
            let awaits = step.input == .seekAwaiting || step.input == .seekAtHostTime
            switch outcome {
            case .queued:
                #expect(
                    awaits && step.before.pictureDeadline != nil && step.after.queued?.time == begun.time
                        && step.after.running == nil)
                #expect(
                    step.after.pictureDeadline == step.before.pictureDeadline && step.after.steps == step.before.steps)
            case .queuedUntilOpened:
                #expect(
                    step.input == .seekOpening && step.after.running?.time == begun.time && step.after.queued == nil)
            case .running:
                #expect(step.after.running?.time == begun.time && step.after.queued == nil)
                #expect(step.after.pictureDeadline == Self.now + Seeking.pictureTimeout && step.after.steps == 0)
            }
            #expect(step.after.target == begun.time)
        }
    }

    @Test func seekStopsWaitingForThePictureAtItsDeadline() {
        var seeking = Seeking()
        _ = seeking.begin(SeekCommand(time: 1), .awaitingPicture, now: 0)
        #expect(
            seeking.begin(SeekCommand(time: 2), .awaitingPicture, now: Seeking.pictureTimeout - 1).outcome == .queued)
        #expect(seeking.pictureDeadline == Seeking.pictureTimeout, "newer seeks do not move the deadline")
        #expect(seeking.begin(SeekCommand(time: 3), .awaitingPicture, now: Seeking.pictureTimeout).outcome == .running)
    }

    @Test func negativeSeekTimesBecomeZero() {
        var seeking = Seeking()
        var seek = SeekCommand(time: -5)
        seek.start = ScheduledStart(rate: 1, host: 9)
        _ = seeking.begin(seek, .shown, now: 0)
        #expect(seeking.running?.time == 0 && seeking.scheduledPlayback == Seeking.ScheduledPlayback(media: 0, host: 9))
    }

    // MARK: Scheduled starts of playback

    @Test func scheduledStartLastsUntilASeekOrAStepOrACancellation() {
        let ending: Set<Input> = [
            .seekOpening, .seekAwaiting, .seekShown, .seekForPreroll, .changeItem, .changeItemWithStart,
            .dropScheduledStart, .cancelScheduledStart,
            .cancelScheduledStartOpening, .stepForwards, .stepBackwards,
        ]
        for step in Self.steps where step.before.scheduledPlayback != nil {
            #expect((step.after.scheduledPlayback == nil) == ending.contains(step.input), "\(step.input)")
            if step.input == .startPlaying { #expect(step.after.scheduledPlayback?.catchUpDeadline == Self.now + 5) }
        }
        for step in Self.steps where step.before.scheduledPlayback == nil {
            #expect((step.after.scheduledPlayback != nil) == (step.input == .seekAtHostTime), "\(step.input)")
        }
    }

    @Test func cancellingAScheduledStartSeeksUnlessItHasPassedOrTheItemIsOpening() {
        for step in Self.steps where step.input == .cancelScheduledStart || step.input == .cancelScheduledStartOpening {
            #expect(step.after.running?.start == nil, "a running seek no longer has a scheduled start")
            let expected = step.input == .cancelScheduledStart ? step.before.scheduledPlayback?.media : nil
            #expect(step.begun?.time == expected, "\(StateKey(step.before))")
        }
        var seeking = Seeking()
        var seek = SeekCommand(time: 5)
        seek.start = ScheduledStart(rate: 1, host: 10)
        _ = seeking.begin(seek, .shown, now: 0)
        #expect(seeking.cancelScheduledPlayback(isOpening: false, now: 10) == nil)
    }

    // MARK: Frame steps

    @Test func frameStepsAddUpToALimit() {
        var seeking = Seeking()
        seeking.step(3)
        seeking.step(-1)
        #expect(seeking.steps == 2)
        seeking.stepped()
        #expect(seeking.takeSteps() == 1 && seeking.steps == 0)
        seeking.step(.max)
        #expect(seeking.steps == Seeking.stepLimit)
        seeking.step(.min)
        #expect(seeking.steps == 0)
        seeking.step(5)
        _ = seeking.changeItem(start: nil)
        #expect(seeking.steps == 0, "a change of the item discards the steps")
    }

    @Test func completionHandlersOfCancelledRequestsReceiveFalse() {
        let answers = Monitor<[Bool]>([])
        let note: @Sendable (Bool) -> Void = { answer in answers.withLock { $0.append(answer) } }
        var seeking = Seeking()
        seeking.begin(PrerollCommand(rate: 1, completion: SeekCompletion(note)))
        let first = seeking.begin(SeekCommand(time: 1, completion: note), .shown, now: 0)
        #expect(first.cancelled.preroll != nil)
        first.cancelled.complete()
        seeking.begin(SeekCommand(time: 2), .shown, now: 0).cancelled.complete()
        #expect(answers.withLock { $0 } == [false, false])
    }
}
