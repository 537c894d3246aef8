import Testing

@testable import SwiftPlay

@Suite struct AudioProgressTests {
    private typealias AcceptedAudio = AudioProgress.AcceptedAudio

    /// The item's audio at normal speed.
    private static let audio = AcceptedAudio(number: 1, speed: 1)
    /// Audio that is not the item's: it has another number and another speed.
    private static let otherAudio = AcceptedAudio(number: 2, speed: 2)

    /// All events in the life cycle of an item's audio; ``apply(to:)`` calls the method for an event.
    private enum Input: CaseIterable {
        case restart, selectTrack, selectNone, wait, begin, beginOther, join, primed, primedOther, ended, endedOther,
            discardedAudioEnded
        case playAwaited, playKnown, pause, fail, noPosition, noPositionLate, position, positionLate,
            positionLateUnseekable

        func apply(to progress: inout AudioProgress) {
            switch self {
            case .restart: progress.restart()
            case .selectTrack: progress.select(hasTrack: true)
            case .selectNone: progress.select(hasTrack: false)
            case .wait: progress.wait(until: 100)
            case .begin: progress.begin(AudioProgressTests.audio)
            case .beginOther: progress.begin(AudioProgressTests.otherAudio)
            case .join: progress.join(AudioProgressTests.audio)
            case .primed: _ = progress.primed(1)
            case .primedOther: _ = progress.primed(2)
            case .ended: progress.ended(1)
            case .endedOther: progress.ended(2)
            case .discardedAudioEnded: progress.discardedAudioEnded()
            case .playAwaited: progress.play(awaitingPositionUntil: 200)
            case .playKnown: progress.play(awaitingPositionUntil: nil)
            case .pause: progress.pause()
            case .fail: progress.fail()
            case .noPosition: _ = progress.update(lag: nil, now: 199, canSeek: true)
            case .noPositionLate: _ = progress.update(lag: nil, now: 200, canSeek: true)
            case .position: _ = progress.update(lag: 0, now: 150, canSeek: true)
            case .positionLate: _ = progress.update(lag: PlaybackClock.jumpThreshold + 1, now: 150, canSeek: true)
            case .positionLateUnseekable:
                _ = progress.update(lag: PlaybackClock.jumpThreshold + 1, now: 150, canSeek: false)
            }
        }
    }

    /// A state transition: an event, and the states before and after it.
    private struct Transition { let before: AudioProgress, input: Input, after: AudioProgress }

    /// The transitions for every event in every reachable state.
    private static let steps: [Transition] = {
        let outputs: [AudioProgress.Output] = [.none, .unavailable, .device]
        var states = outputs.flatMap {
            [AudioProgress(hasTrack: true, output: $0), AudioProgress(hasTrack: false, output: $0)]
        }
        var seen = Set(states), steps: [Transition] = [], next = 0
        while next < states.count {
            for input in Input.allCases {
                var after = states[next]
                input.apply(to: &after)
                steps.append(Transition(before: states[next], input: input, after: after))
                if seen.insert(after).inserted { states.append(after) }
            }
            next += 1
        }
        return steps
    }()

    @Test func inputsReachEveryState() {
        let reached = Set(Self.steps.map(\.after))
        for audio in [Self.audio, Self.otherAudio] {
            for deadline in [Int64.max, 100] { #expect(reached.contains(.buffering(audio, deadline: deadline))) }
            #expect(reached.contains(.ready(audio)) && reached.contains(.ended(audio)))
            for position in [AudioProgress.Position.awaited(until: 200), .known, .overdue] {
                #expect(reached.contains(.playing(audio, position)))
            }
        }
        for deadline in [Int64.max, 100] { #expect(reached.contains(.expected(deadline: deadline))) }
        for hasEnded in [false, true] { #expect(reached.contains(.discarded(hasEnded: hasEnded))) }
        #expect(reached.contains(.disconnected))
        #expect(reached.count == 19)
    }

    @Test func propertiesAreConsistentInEveryState() {
        for state in Set(Self.steps.map(\.after)) {
            #expect(!state.isUnfinished || state.usesDevice && !state.hasEnded, "\(state)")
            #expect(!state.isPrimed || state.acceptedAudio != nil, "\(state)")
            #expect(state.deadline == nil || state.isUnfinished && !state.isPrimed, "\(state)")
            #expect(state.positionDeadline == nil || state.isPrimed && state.isUnfinished, "\(state)")
            #expect(state.usesDevice || state.acceptedAudio == nil && !state.isPrimed, "\(state)")
            #expect(state.hasEnded != (state.isUnfinished || state == .discarded(hasEnded: false)), "\(state)")
            #expect(
                !state.isBuffered(forOtherThan: 1) || state.acceptedAudio == Self.otherAudio && state.isUnfinished,
                "\(state)")
            #expect(
                !state.isBuffered(forOtherThan: 2) || state.acceptedAudio == Self.audio && state.isUnfinished,
                "\(state)")
        }
    }

    /// The test lists, for each state, all events that may lead to this state.
    @Test func onlyExpectedInputsChangeTheState() {
        for step in Self.steps where step.before != step.after {
            let allowed: Set<Input> =
                switch step.after {
                case .disconnected: [.fail, .selectNone]
                case .discarded(hasEnded: false): [.restart]
                case .discarded(hasEnded: true): [.discardedAudioEnded, .fail]
                case .expected: [.restart, .selectTrack, .wait]
                case .buffering: [.begin, .beginOther, .wait]
                case .ready: [.primed, .primedOther, .pause, .join]
                case .playing(_, .awaited): [.playAwaited]
                case .playing(_, .known): [.playKnown, .position, .positionLate, .positionLateUnseekable]
                case .playing(_, .overdue): [.noPositionLate]
                case .ended: [.ended, .endedOther]
                }
            #expect(allowed.contains(step.input), "\(step)")
        }
    }

    @Test func restartDiscardsBufferedAudio() {
        for step in Self.steps where step.input == .restart {
            #expect(step.after.acceptedAudio == nil && step.after.usesDevice == step.before.usesDevice, "\(step)")
            #expect(step.after.isDiscarded == step.before.isDiscarded, "\(step)")
            #expect(step.after.hasEnded == (step.before == .disconnected), "\(step)")
        }
    }

    @Test func failureEndsTheAudioPermanently() {
        for step in Self.steps where step.input == .fail {
            #expect(step.after.hasEnded && !step.after.usesDevice && step.after.acceptedAudio == nil, "\(step)")
        }
    }

    @Test func discardedAudioIsNeverPlayed() {
        for step in Self.steps where step.before.isDiscarded { #expect(step.after.isDiscarded, "\(step)") }
    }

    @Test func reportsAboutOtherAudioHaveNoEffect() {
        for step in Self.steps
        where step.before.acceptedAudio != Self.otherAudio && [.primedOther, .endedOther].contains(step.input) {
            #expect(step.after == step.before, "\(step)")
        }
        for step in Self.steps where step.before.acceptedAudio != Self.audio && [.primed, .ended].contains(step.input) {
            #expect(step.after == step.before, "\(step)")
        }
    }

    @Test func onlyReadyAudioPlays() {
        for step in Self.steps where [.playAwaited, .playKnown].contains(step.input) {
            if case .ready(let audio) = step.before {
                #expect(
                    step.after.acceptedAudio == audio
                        && (step.after.positionDeadline == 200) == (step.input == .playAwaited),
                    "\(step)")
            } else {
                #expect(step.after == step.before, "\(step)")
            }
        }
    }

    @Test func bufferedAudioKeepsItsSpeed() {
        var progress = AudioProgress.expected(deadline: 10)
        progress.begin(AcceptedAudio(number: 1, speed: 2))
        progress.begin(AcceptedAudio(number: 1, speed: 1))
        #expect(progress == .buffering(AcceptedAudio(number: 1, speed: 2), deadline: 10))
    }

    // MARK: Audio clock

    @Test func firstAudioPositionStartsTheClock() {
        var progress = AudioProgress.playing(Self.audio, .awaited(until: 200))
        #expect(progress.update(lag: nil, now: 199, canSeek: true) == .none && progress.positionDeadline == 200)
        #expect(progress.update(lag: 0, now: 199, canSeek: true) == .start && progress.positionDeadline == nil)
        #expect(progress.update(lag: 1_000_000_000, now: 199, canSeek: true) == .follow)
    }

    @Test func lateAudioCatchesUpWithThePictureBySeeking() {
        let late = AudioProgress.playing(Self.audio, .overdue)
        for (lag, canSeek, correction) in [
            (PlaybackClock.jumpThreshold + 1, true, AudioProgress.Correction.seekToClock),
            (PlaybackClock.jumpThreshold + 1, false, .follow),
            (PlaybackClock.jumpThreshold, true, .follow), (-PlaybackClock.jumpThreshold * 2, true, .follow),
        ] {
            var progress = late
            #expect(progress.update(lag: lag, now: 0, canSeek: canSeek) == correction)
            #expect(progress == .playing(Self.audio, .known))
        }
    }

    @Test func audioPositionsAreUsedOnlyDuringPlayback() {
        for state in Set(Self.steps.map(\.after)) {
            if case .playing = state { continue }
            for lag in [nil, 0, PlaybackClock.jumpThreshold * 2] as [Int64?] {
                var after = state
                #expect(after.update(lag: lag, now: .max, canSeek: true) == .none && after == state)
            }
        }
    }
}
