import Testing

@testable import SwiftPlay

@Suite struct AudioSessionPlanTests {
    /// All events that ``AudioSessionPlan`` handles; ``apply(to:_:)`` calls the method for an event.
    private enum Input: CaseIterable {
        case permission, audibilityChanged, rateSet, pauseSet, gesture, granted, refused, interrupted
        case interruptionEnded, interruptionEndedWithoutResume
        case lost, lostSilenced, reset, deviceAvailable, update, updateAtEnd, release

        func apply(to plan: inout AudioSessionPlan, _ situation: AudioSessionPlan.Situation) -> (
            actions: [AudioSessionPlan.Effect], permission: AudioSessionPlan.Permission?
        ) {
            switch self {
            case .permission:
                let (permission, actions) = plan.permission(situation)
                return (actions, permission)
            case .audibilityChanged: return (plan.audibilityChanged(situation), nil)
            case .rateSet: plan.rateSet(1)
            case .pauseSet: plan.rateSet(0)
            case .gesture: plan.recordUserGesture(now: situation.now)
            case .granted: return (plan.handle(.granted(audibleFrom: 3), situation), nil)
            case .refused: return (plan.handle(.refused(PlaybackError(.resources, "no")), situation), nil)
            case .interrupted: return (plan.handle(.interrupted, situation), nil)
            case .interruptionEnded: return (plan.handle(.interruptionEnded(shouldResume: true), situation), nil)
            case .interruptionEndedWithoutResume:
                return (plan.handle(.interruptionEnded(shouldResume: false), situation), nil)
            case .lost: return (plan.handle(.lost(isSilenced: false), situation), nil)
            case .lostSilenced: return (plan.handle(.lost(isSilenced: true), situation), nil)
            case .reset: return (plan.handle(.reset, situation), nil)
            case .deviceAvailable: return (plan.handle(.deviceAvailable, situation), nil)
            case .update:
                return (plan.update(plays: situation.isPlaying, hasEnded: false, now: situation.now).actions, nil)
            case .updateAtEnd: return (plan.update(plays: false, hasEnded: true, now: situation.now).actions, nil)
            case .release: return (plan.release(), nil)
            }
            return ([], nil)
        }
    }

    /// A state transition: an event, the situation of the player, and the effects of the event.
    private struct Transition {
        let before: AudioSessionPlan, input: Input, situation: AudioSessionPlan.Situation
        var after: AudioSessionPlan, actions: [AudioSessionPlan.Effect], permission: AudioSessionPlan.Permission?
    }

    /// All situations of the player, each at a host time before and after all deadlines.
    private static let situations: [AudioSessionPlan.Situation] = [Int64(10), 60_000_000_000].flatMap { now in
        [Float(0), 2].flatMap { rate in
            [false, true].flatMap { isPlaying in
                [false, true].map {
                    AudioSessionPlan.Situation(now: now, rate: rate, isPlaying: isPlaying, isAudible: $0)
                }
            }
        }
    }

    /// The transitions for every event in every reachable state and every situation.
    private static let steps: [Transition] = {
        var states = [AudioSessionPlan()], seen = Set(states), steps: [Transition] = [], next = 0
        while next < states.count {
            for input in Input.allCases {
                for situation in situations {
                    var after = states[next]
                    let (actions, permission) = input.apply(to: &after, situation)
                    steps.append(
                        Transition(
                            before: states[next], input: input, situation: situation, after: after, actions: actions,
                            permission: permission))
                    if seen.insert(after).inserted { states.append(after) }
                }
            }
            next += 1
        }
        return steps
    }()

    /// The cases of ``AudioSessionPlan/State``, without their associated values.
    private enum StateKind: Hashable, CaseIterable {
        case none, requested, active, interrupted, lost, compositorRestarted
    }

    private static func stateKind(_ plan: AudioSessionPlan) -> StateKind {
        switch plan.state {
        case .none: .none
        case .requested: .requested
        case .active: .active
        case .interrupted: .interrupted
        case .compositorLost: .lost
        case .compositorRestarted: .compositorRestarted
        }
    }

    @Test func inputsReachEveryState() {
        #expect(Set(Self.steps.map { Self.stateKind($0.after) }) == Set(StateKind.allCases))
    }

    @Test func onlyExpectedInputsChangeTheState() {
        for step in Self.steps where Self.stateKind(step.before) != Self.stateKind(step.after) {
            let allowed: Set<Input> =
                switch Self.stateKind(step.after) {
                case .none:
                    [
                        .refused, .interruptionEnded, .interruptionEndedWithoutResume, .lost, .lostSilenced,
                        .updateAtEnd, .release, .permission,
                    ]
                case .requested: [.permission, .audibilityChanged]
                case .active: [.granted, .permission]
                case .interrupted: [.interrupted]
                case .lost: [.lost, .lostSilenced]
                case .compositorRestarted: [.reset]
                }
            #expect(allowed.contains(step.input), "\(step)")
        }
    }

    @Test func inaudiblePlayerNeitherRequestsTheSessionNorStops() {
        for step in Self.steps where !step.situation.isAudible {
            #expect(step.input != .permission || step.permission == .now && step.after == step.before, "\(step)")
            #expect(!step.after.mutes(step.situation), "\(step)")
            #expect(
                step.input == .interruptionEnded
                    || !step.actions.contains { if case .setRate = $0 { true } else { false } },
                "\(step)")
            let requests = step.actions.contains { if case .request = $0 { true } else { false } }
            #expect(!requests || step.input == .reset && step.before.isActive, "\(step)")
        }
    }

    @Test func audiblePlayerStartsWithTheSessionOrAfterATimeout() {
        for step in Self.steps where step.input == .permission && step.situation.isAudible {
            switch step.permission {
            case .now: #expect(step.after.isActive, "\(step)")
            case .never:
                #expect(
                    Self.stateKind(step.before) == .lost && step.after.state == .none
                        && step.actions.contains(.setRate(0)),
                    "\(step)")
            case .wait(let until): #expect(until > step.situation.now, "\(step)")
            case nil: Issue.record("\(step)")
            }
        }
    }

    @Test func enteringTheRequestedStateSendsASessionRequest() {
        for step in Self.steps
        where Self.stateKind(step.after) == .requested && Self.stateKind(step.before) != .requested {
            #expect(
                step.actions.count == 1
                    && step.after.state == .requested(until: step.situation.now + AudioSessionPlan.answerTimeLimit),
                "\(step)")
            let isRequest = if case .request? = step.actions.first { true } else { false }
            #expect(isRequest, "\(step)")
        }
    }

    @Test func playerIsMutedUntilItHoldsTheAudioSession() {
        for step in Self.steps where step.situation.isAudible && step.situation.isPlaying {
            #expect(step.after.mutes(step.situation) == !step.after.isActive, "\(step)")
        }
    }

    @Test func interruptionPausesAndResumesAtTheSameRate() {
        for step in Self.steps where step.input == .interrupted {
            let stops = step.situation.rate != 0 && step.situation.isAudible
            #expect(step.actions == (stops ? [.setRate(0), .returnToLastPlayed] : []), "\(step)")
            var freed = step.after
            #expect(
                freed.handle(.interruptionEnded(shouldResume: true), step.situation) == (stops ? [.setRate(2)] : [])
                    && freed.state == .none, "\(step)")
            var paused = step.after
            paused.rateSet(0)
            let actions = paused.handle(.interruptionEnded(shouldResume: true), step.situation)
            #expect(actions.isEmpty, "the user paused: \(step)")
            var granted = step.after
            #expect(
                granted.handle(.granted(audibleFrom: 0), step.situation).isEmpty && granted == step.after,
                "a late answer has no effect: \(step)")
        }
    }

    @Test func compositorLossStopsPlayersThatAwaitTheSessionOrAreSilenced() {
        for step in Self.steps where step.input == .lost || step.input == .lostSilenced {
            switch Self.stateKind(step.before) {
            case .none, .interrupted: #expect(step.after.state == .none && step.actions.isEmpty, "\(step)")
            case .active where step.input == .lost:
                #expect(step.after == step.before && step.actions.isEmpty, "\(step)")
            case .active, .requested, .lost, .compositorRestarted:
                let now = step.situation.now
                let restartDeadline = now + AudioSessionPlan.compositorRestartTimeout
                #expect(
                    step.after.state == .compositorLost(until: restartDeadline) && step.actions == [.holdPosition],
                    "\(step)")
                var restarted = step.after
                #expect(restarted.handle(.reset, step.situation).isEmpty, "\(step)")
                let requestTime = now + AudioSessionPlan.fadeOutDuration
                #expect(restarted.state == .compositorRestarted(requestFrom: requestTime), "\(step)")
            }
        }
    }

    @Test func audioSessionIsReleasedOnceAndMarkedAsNotRunning() {
        for step in Self.steps {
            if step.actions.contains(.release) {
                #expect(step.before.state != .none && step.after.state == .none && !step.after.isRunning, "\(step)")
                #expect([.release, .updateAtEnd].contains(step.input), "\(step)")
            }
            let reported = step.actions.compactMap {
                if case .setRunning(let isRunning) = $0 { isRunning } else { nil }
            }
            #expect(reported.count <= 1 && (reported.first ?? step.before.isRunning) == step.after.isRunning, "\(step)")
            #expect(reported.first != step.before.isRunning, "\(step)")
        }
    }

    @Test func audioSessionIsKeptForAMomentAfterTheEndOfTheQueue() {
        var plan = AudioSessionPlan()
        let situation = AudioSessionPlan.Situation(now: 0, rate: 1, isPlaying: true, isAudible: true)
        _ = plan.handle(.granted(audibleFrom: 0), situation)
        #expect(plan.update(plays: true, hasEnded: false, now: 0).actions == [.setRunning(true)])
        let first = plan.update(plays: false, hasEnded: true, now: 5)
        #expect(first.actions == [.setRunning(false)] && first.deadline == 5 + AudioSessionPlan.endDelay)
        #expect(
            plan.update(plays: false, hasEnded: true, now: 4 + AudioSessionPlan.endDelay).deadline == 5
                + AudioSessionPlan.endDelay)
        // Another item starts. At its end, the delay before the release of the audio session starts again.
        #expect(plan.update(plays: false, hasEnded: false, now: 5 + AudioSessionPlan.endDelay).deadline == nil)
        #expect(
            plan.update(plays: false, hasEnded: true, now: 10 + AudioSessionPlan.endDelay).deadline == 10 + 2
                * AudioSessionPlan.endDelay)
        #expect(
            plan.update(plays: false, hasEnded: true, now: 10 + 2 * AudioSessionPlan.endDelay).actions == [.release])
    }

    @Test func userGestureIsValidOnceAndForFiveSeconds() {
        for (age, counts) in [(AudioSessionPlan.gestureLifetime - 1, true), (AudioSessionPlan.gestureLifetime, false)] {
            var plan = AudioSessionPlan()
            plan.recordUserGesture(now: 7)
            let situation = AudioSessionPlan.Situation(now: 7 + age, rate: 1, isPlaying: false, isAudible: true)
            #expect(plan.permission(situation).actions == [.request(hasGesture: counts)])
            _ = plan.release()
            #expect(plan.permission(situation).actions == [.request(hasGesture: false)])
        }
    }
}
