import Testing

@testable import SwiftPlay

@Suite struct AudioHoldTests {
    private enum Input: CaseIterable {
        case permission, audibilityChanged, rateSet, pauseSet, gesture, granted, refused, interrupted, freed,
            freedForGood
        case lost, lostSilenced, reset, deviceCame, attend, attendOver, release

        func apply(to hold: inout AudioHold, _ situation: AudioHold.Situation) -> (
            actions: [AudioHold.Effect], permission: AudioHold.Permission?
        ) {
            switch self {
            case .permission:
                let (permission, actions) = hold.permission(situation)
                return (actions, permission)
            case .audibilityChanged: return (hold.audibilityChanged(situation), nil)
            case .rateSet: hold.rateSet(1)
            case .pauseSet: hold.rateSet(0)
            case .gesture: hold.gesture(now: situation.now)
            case .granted: return (hold.handle(.granted(quietAt: 3), situation), nil)
            case .refused: return (hold.handle(.refused(PlaybackError(.resources, "no")), situation), nil)
            case .interrupted: return (hold.handle(.interrupted, situation), nil)
            case .freed: return (hold.handle(.freed(shouldResume: true), situation), nil)
            case .freedForGood: return (hold.handle(.freed(shouldResume: false), situation), nil)
            case .lost: return (hold.handle(.lost(isSilenced: false), situation), nil)
            case .lostSilenced: return (hold.handle(.lost(isSilenced: true), situation), nil)
            case .reset: return (hold.handle(.reset, situation), nil)
            case .deviceCame: return (hold.handle(.deviceCame, situation), nil)
            case .attend:
                return (hold.attend(plays: situation.isPlaying, isOver: false, now: situation.now).actions, nil)
            case .attendOver: return (hold.attend(plays: false, isOver: true, now: situation.now).actions, nil)
            case .release: return (hold.release(), nil)
            }
            return ([], nil)
        }
    }

    private struct Step {
        let before: AudioHold, input: Input, situation: AudioHold.Situation
        var after: AudioHold, actions: [AudioHold.Effect], permission: AudioHold.Permission?
    }

    /// Times before and after all deadlines, in all situations.
    private static let situations: [AudioHold.Situation] = [Int64(10), 60_000_000_000].flatMap { now in
        [Float(0), 2].flatMap { rate in
            [false, true].flatMap { isPlaying in
                [false, true].map { AudioHold.Situation(now: now, rate: rate, isPlaying: isPlaying, isAudible: $0) }
            }
        }
    }

    private static let steps: [Step] = {
        var states = [AudioHold()], seen = Set(states), steps: [Step] = [], next = 0
        while next < states.count {
            for input in Input.allCases {
                for situation in situations {
                    var after = states[next]
                    let (actions, permission) = input.apply(to: &after, situation)
                    steps.append(
                        Step(
                            before: states[next], input: input, situation: situation, after: after, actions: actions,
                            permission: permission))
                    if seen.insert(after).inserted { states.append(after) }
                }
            }
            next += 1
        }
        return steps
    }()

    private enum Form: Hashable, CaseIterable { case none, requested, held, interrupted, lost, back }

    private static func form(_ hold: AudioHold) -> Form {
        switch hold.state {
        case .none: .none
        case .requested: .requested
        case .held: .held
        case .interrupted: .interrupted
        case .lost: .lost
        case .back: .back
        }
    }

    @Test func everyStateIsReached() {
        #expect(Set(Self.steps.map { Self.form($0.after) }) == Set(Form.allCases))
    }

    @Test func onlyExpectedInputsChangeTheState() {
        for step in Self.steps where Self.form(step.before) != Self.form(step.after) {
            let allowed: Set<Input> =
                switch Self.form(step.after) {
                case .none: [.refused, .freed, .freedForGood, .lost, .lostSilenced, .attendOver, .release, .permission]
                case .requested: [.permission, .audibilityChanged]
                case .held: [.granted, .permission]
                case .interrupted: [.interrupted]
                case .lost: [.lost, .lostSilenced]
                case .back: [.reset]
                }
            #expect(allowed.contains(step.input), "\(step)")
        }
    }

    @Test func inaudiblePlayerNeitherRequestsTheSessionNorStops() {
        for step in Self.steps where !step.situation.isAudible {
            #expect(step.input != .permission || step.permission == .now && step.after == step.before, "\(step)")
            #expect(!step.after.mutes(step.situation), "\(step)")
            #expect(
                step.input == .freed || !step.actions.contains { if case .setRate = $0 { true } else { false } },
                "\(step)")
            let requests = step.actions.contains { if case .request = $0 { true } else { false } }
            #expect(!requests || step.input == .reset && step.before.isHeld, "\(step)")
        }
    }

    @Test func audiblePlayerStartsWithTheSessionOrAfterATimeout() {
        for step in Self.steps where step.input == .permission && step.situation.isAudible {
            switch step.permission {
            case .now: #expect(step.after.isHeld, "\(step)")
            case .never:
                #expect(
                    Self.form(step.before) == .lost && step.after.state == .none && step.actions.contains(.setRate(0)),
                    "\(step)")
            case .wait(let until): #expect(until > step.situation.now, "\(step)")
            case nil: Issue.record("\(step)")
            }
        }
    }

    @Test func enteringTheRequestedStateSendsARequest() {
        for step in Self.steps where Self.form(step.after) == .requested && Self.form(step.before) != .requested {
            #expect(
                step.actions.count == 1
                    && step.after.state == .requested(until: step.situation.now + AudioHold.patience), "\(step)")
            let isRequest = if case .request? = step.actions.first { true } else { false }
            #expect(isRequest, "\(step)")
        }
    }

    @Test func playerIsMutedUntilItHoldsTheSession() {
        for step in Self.steps where step.situation.isAudible && step.situation.isPlaying {
            #expect(step.after.mutes(step.situation) == !step.after.isHeld, "\(step)")
        }
    }

    @Test func interruptionPausesAndResumesAtTheSameRate() {
        for step in Self.steps where step.input == .interrupted {
            let stops = step.situation.rate != 0 && step.situation.isAudible
            #expect(step.actions == (stops ? [.setRate(0), .returnToLastHeard] : []), "\(step)")
            var freed = step.after
            #expect(
                freed.handle(.freed(shouldResume: true), step.situation) == (stops ? [.setRate(2)] : [])
                    && freed.state == .none, "\(step)")
            var paused = step.after
            paused.rateSet(0)
            #expect(paused.handle(.freed(shouldResume: true), step.situation).isEmpty, "the user paused: \(step)")
            var granted = step.after
            #expect(
                granted.handle(.granted(quietAt: 0), step.situation).isEmpty && granted == step.after,
                "a late answer has no effect: \(step)")
        }
    }

    @Test func compositorLossStopsPlayersUnlessTheyHoldTheSessionUnsilenced() {
        for step in Self.steps where step.input == .lost || step.input == .lostSilenced {
            switch Self.form(step.before) {
            case .none, .interrupted: #expect(step.after.state == .none && step.actions.isEmpty, "\(step)")
            case .held where step.input == .lost: #expect(step.after == step.before && step.actions.isEmpty, "\(step)")
            case .held, .requested, .lost, .back:
                #expect(
                    step.after.state == .lost(until: step.situation.now + AudioHold.recovery)
                        && step.actions == [.standStill], "\(step)")
                var back = step.after
                #expect(back.handle(.reset, step.situation).isEmpty, "\(step)")
                #expect(back.state == .back(from: step.situation.now + AudioHold.silence), "\(step)")
            }
        }
    }

    @Test func sessionIsReleasedOnceAndMarkedAsNotRunning() {
        for step in Self.steps {
            if step.actions.contains(.release) {
                #expect(step.before.state != .none && step.after.state == .none && !step.after.isRunning, "\(step)")
                #expect([.release, .attendOver].contains(step.input), "\(step)")
            }
            let told = step.actions.compactMap { if case .setRunning(let isRunning) = $0 { isRunning } else { nil } }
            #expect(told.count <= 1 && (told.first ?? step.before.isRunning) == step.after.isRunning, "\(step)")
            #expect(told.first != step.before.isRunning, "\(step)")
        }
    }

    @Test func sessionIsKeptForAMomentAfterTheEnd() {
        var hold = AudioHold()
        let situation = AudioHold.Situation(now: 0, rate: 1, isPlaying: true, isAudible: true)
        _ = hold.handle(.granted(quietAt: 0), situation)
        #expect(hold.attend(plays: true, isOver: false, now: 0).actions == [.setRunning(true)])
        let first = hold.attend(plays: false, isOver: true, now: 5)
        #expect(first.actions == [.setRunning(false)] && first.deadline == 5 + AudioHold.endGrace)
        #expect(hold.attend(plays: false, isOver: true, now: 4 + AudioHold.endGrace).deadline == 5 + AudioHold.endGrace)
        // Another item starts: the delay starts again at its end.
        #expect(hold.attend(plays: false, isOver: false, now: 5 + AudioHold.endGrace).deadline == nil)
        #expect(
            hold.attend(plays: false, isOver: true, now: 10 + AudioHold.endGrace).deadline == 10 + 2
                * AudioHold.endGrace)
        #expect(hold.attend(plays: false, isOver: true, now: 10 + 2 * AudioHold.endGrace).actions == [.release])
    }

    @Test func userGestureIsValidOnceAndForFiveSeconds() {
        for (age, counts) in [(AudioHold.gesturePatience - 1, true), (AudioHold.gesturePatience, false)] {
            var hold = AudioHold()
            hold.gesture(now: 7)
            let situation = AudioHold.Situation(now: 7 + age, rate: 1, isPlaying: false, isAudible: true)
            #expect(hold.permission(situation).actions == [.request(hasGesture: counts)])
            _ = hold.release()
            #expect(hold.permission(situation).actions == [.request(hasGesture: false)])
        }
    }
}
