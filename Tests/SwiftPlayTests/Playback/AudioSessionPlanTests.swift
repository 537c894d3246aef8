import Testing

@testable import SwiftPlay

@Suite struct AudioSessionPlanTests {
    /// All events that ``AudioSessionPlan`` handles; ``apply(to:_:)`` calls the method for an event.
    private enum Event: CaseIterable {
        case permission, audibilityDidChange, requestedRateDidChange, requestedRateDidBecomeZero, userGesture, granted,
            refused, interrupted
        case interruptionEnded, interruptionEndedWithoutResume
        case lost, lostSilenced, reset, deviceAvailable, update, updateAtEnd, release

        func apply(to plan: inout AudioSessionPlan, _ situation: AudioSessionPlan.Situation) -> (
            effects: [AudioSessionPlan.Effect], permission: AudioSessionPlan.Permission?
        ) {
            switch self {
            case .permission:
                let (permission, effects) = plan.permission(situation)
                return (effects, permission)
            case .audibilityDidChange: return (plan.audibilityDidChange(situation), nil)
            case .requestedRateDidChange: plan.requestedRateDidChange(1)
            case .requestedRateDidBecomeZero: plan.requestedRateDidChange(0)
            case .userGesture: plan.recordUserGesture(now: situation.now)
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
                return (plan.update(playsAudio: situation.isPlaying, hasEnded: false, now: situation.now).effects, nil)
            case .updateAtEnd: return (plan.update(playsAudio: false, hasEnded: true, now: situation.now).effects, nil)
            case .release: return (plan.release(), nil)
            }
            return ([], nil)
        }
    }

    /// A state transition: an event, the situation of the player, and the effects of the event.
    private struct Transition {
        let before: AudioSessionPlan, event: Event, situation: AudioSessionPlan.Situation
        var after: AudioSessionPlan, effects: [AudioSessionPlan.Effect], permission: AudioSessionPlan.Permission?
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
    private static let transitions: [Transition] = {
        var states = [AudioSessionPlan()], knownStates = Set(states), transitions: [Transition] = [], stateIndex = 0
        while stateIndex < states.count {
            for event in Event.allCases {
                for situation in situations {
                    var after = states[stateIndex]
                    let (effects, permission) = event.apply(to: &after, situation)
                    transitions.append(
                        Transition(
                            before: states[stateIndex], event: event, situation: situation, after: after,
                            effects: effects, permission: permission))
                    if knownStates.insert(after).inserted { states.append(after) }
                }
            }
            stateIndex += 1
        }
        return transitions
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

    @Test func eventsReachEveryState() {
        #expect(Set(Self.transitions.map { Self.stateKind($0.after) }) == Set(StateKind.allCases))
    }

    @Test func onlyExpectedEventsChangeTheState() {
        for step in Self.transitions where Self.stateKind(step.before) != Self.stateKind(step.after) {
            let allowedEvents: Set<Event> =
                switch Self.stateKind(step.after) {
                case .none:
                    [
                        .refused, .interruptionEnded, .interruptionEndedWithoutResume, .lost, .lostSilenced,
                        .updateAtEnd, .release, .permission,
                    ]
                case .requested: [.permission, .audibilityDidChange]
                case .active: [.granted, .permission]
                case .interrupted: [.interrupted]
                case .lost: [.lost, .lostSilenced]
                case .compositorRestarted: [.reset]
                }
            #expect(allowedEvents.contains(step.event), "\(step)")
        }
    }

    @Test func inaudiblePlayerNeitherRequestsTheSessionNorStops() {
        for step in Self.transitions where !step.situation.isAudible {
            #expect(step.event != .permission || step.permission == .now && step.after == step.before, "\(step)")
            #expect(!step.after.mustMute(in: step.situation), "\(step)")
            #expect(
                step.event == .interruptionEnded
                    || !step.effects.contains { if case .setRate = $0 { true } else { false } },
                "\(step)")
            let containsRequest = step.effects.contains { if case .request = $0 { true } else { false } }
            #expect(!containsRequest || step.event == .reset && step.before.isActive, "\(step)")
        }
    }

    @Test func audiblePlayerStartsWithTheSessionOrAfterATimeout() {
        for step in Self.transitions where step.event == .permission && step.situation.isAudible {
            switch step.permission {
            case .now: #expect(step.after.isActive, "\(step)")
            case .never:
                #expect(
                    Self.stateKind(step.before) == .lost && step.after.state == .none
                        && step.effects.contains(.setRate(0)),
                    "\(step)")
            case .wait(let until): #expect(until > step.situation.now, "\(step)")
            case nil: Issue.record("\(step)")
            }
        }
    }

    @Test func enteringTheRequestedStateSendsASessionRequest() {
        for step in Self.transitions
        where Self.stateKind(step.after) == .requested && Self.stateKind(step.before) != .requested {
            #expect(
                step.effects.count == 1
                    && step.after.state
                        == .requested(until: step.situation.now + AudioSessionPlan.defaultRequestTimeout),
                "\(step)")
            let isRequest = if case .request? = step.effects.first { true } else { false }
            #expect(isRequest, "\(step)")
        }
    }

    @Test func playerIsMutedUntilItHoldsTheAudioSession() {
        for step in Self.transitions where step.situation.isAudible && step.situation.isPlaying {
            #expect(step.after.mustMute(in: step.situation) == !step.after.isActive, "\(step)")
        }
    }

    @Test func interruptionPausesAndResumesAtTheSameRate() {
        for step in Self.transitions where step.event == .interrupted {
            let mustStop = step.situation.rate != 0 && step.situation.isAudible
            #expect(step.effects == (mustStop ? [.setRate(0), .seekToLastAudibleTime] : []), "\(step)")
            var planAfterInterruption = step.after
            #expect(
                planAfterInterruption.handle(.interruptionEnded(shouldResume: true), step.situation)
                    == (mustStop ? [.setRate(2)] : [])
                    && planAfterInterruption.state == .none, "\(step)")
            var pausedPlan = step.after
            pausedPlan.requestedRateDidChange(0)
            let effects = pausedPlan.handle(.interruptionEnded(shouldResume: true), step.situation)
            #expect(effects.isEmpty, "the user paused: \(step)")
            var grantedPlan = step.after
            #expect(
                grantedPlan.handle(.granted(audibleFrom: 0), step.situation).isEmpty && grantedPlan == step.after,
                "a late answer has no effect: \(step)")
        }
    }

    @Test func compositorLossStopsPlayersThatAwaitTheSessionOrAreSilenced() {
        for step in Self.transitions where step.event == .lost || step.event == .lostSilenced {
            switch Self.stateKind(step.before) {
            case .none, .interrupted: #expect(step.after.state == .none && step.effects.isEmpty, "\(step)")
            case .active where step.event == .lost:
                #expect(step.after == step.before && step.effects.isEmpty, "\(step)")
            case .active, .requested, .lost, .compositorRestarted:
                let now = step.situation.now
                let restartDeadline = now + AudioSessionPlan.compositorRestartTimeout
                #expect(
                    step.after.state == .compositorLost(until: restartDeadline) && step.effects == [.holdPosition],
                    "\(step)")
                var restartedPlan = step.after
                #expect(restartedPlan.handle(.reset, step.situation).isEmpty, "\(step)")
                let requestTime = now + AudioSessionPlan.fadeOutDuration
                #expect(restartedPlan.state == .compositorRestarted(requestFrom: requestTime), "\(step)")
            }
        }
    }

    @Test func audioSessionIsReleasedOnceAndMarkedAsNotRunning() {
        for step in Self.transitions {
            if step.effects.contains(.release) {
                #expect(step.before.state != .none && step.after.state == .none && !step.after.isRunning, "\(step)")
                #expect([.release, .updateAtEnd].contains(step.event), "\(step)")
            }
            let reportedRunningStates = step.effects.compactMap {
                if case .setRunning(let isRunning) = $0 { isRunning } else { nil }
            }
            #expect(
                reportedRunningStates.count <= 1
                    && (reportedRunningStates.first ?? step.before.isRunning) == step.after.isRunning, "\(step)")
            #expect(reportedRunningStates.first != step.before.isRunning, "\(step)")
        }
    }

    @Test func audioSessionIsKeptForAMomentAfterTheEndOfTheQueue() {
        var plan = AudioSessionPlan()
        let situation = AudioSessionPlan.Situation(now: 0, rate: 1, isPlaying: true, isAudible: true)
        _ = plan.handle(.granted(audibleFrom: 0), situation)
        #expect(plan.update(playsAudio: true, hasEnded: false, now: 0).effects == [.setRunning(true)])
        let firstUpdate = plan.update(playsAudio: false, hasEnded: true, now: 5)
        #expect(firstUpdate.effects == [.setRunning(false)] && firstUpdate.deadline == 5 + AudioSessionPlan.endDelay)
        #expect(
            plan.update(playsAudio: false, hasEnded: true, now: 4 + AudioSessionPlan.endDelay).deadline == 5
                + AudioSessionPlan.endDelay)
        // Another item starts. At its end, the delay before the release of the audio session starts again.
        #expect(plan.update(playsAudio: false, hasEnded: false, now: 5 + AudioSessionPlan.endDelay).deadline == nil)
        #expect(
            plan.update(playsAudio: false, hasEnded: true, now: 10 + AudioSessionPlan.endDelay).deadline == 10 + 2
                * AudioSessionPlan.endDelay)
        #expect(
            plan.update(playsAudio: false, hasEnded: true, now: 10 + 2 * AudioSessionPlan.endDelay).effects
                == [.release])
    }

    @Test func userGestureIsValidOnceAndForFiveSeconds() {
        for (age, isValid) in [(AudioSessionPlan.gestureLifetime - 1, true), (AudioSessionPlan.gestureLifetime, false)]
        {
            var plan = AudioSessionPlan()
            plan.recordUserGesture(now: 7)
            let situation = AudioSessionPlan.Situation(now: 7 + age, rate: 1, isPlaying: false, isAudible: true)
            #expect(plan.permission(situation).effects == [.request(hasGesture: isValid)])
            _ = plan.release()
            #expect(plan.permission(situation).effects == [.request(hasGesture: false)])
        }
    }
}
