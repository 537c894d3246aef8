import Testing

@testable import SwiftPlay

@Suite struct AudioProgressTests {
    private typealias AcceptedAudio = AudioProgress.AcceptedAudio

    /// The item's audio at normal speed.
    private static let audio = AcceptedAudio(number: 1, speed: 1)
    /// Audio that is not the item's: it has another number and another speed.
    private static let otherAudio = AcceptedAudio(number: 2, speed: 2)

    /// All events in the life cycle of an item's audio; ``apply(to:)`` calls the method for an event.
    private enum Event: CaseIterable {
        case restart, selectTrack, selectNoTrack, wait, accept, acceptOther, append, primed, primedOther
        case ended, endedOther, discardedAudioEnded
        case playAwaitingPosition, playWithKnownPosition, pause, fail
        case updateWithoutPosition, updateAfterPositionDeadline, updateWithPosition
        case updateWithLateAudio, updateWithLateUnseekableAudio

        func apply(to progress: inout AudioProgress) {
            switch self {
            case .restart: progress.restart()
            case .selectTrack: progress.select(hasTrack: true)
            case .selectNoTrack: progress.select(hasTrack: false)
            case .wait: progress.wait(until: 100)
            case .accept: progress.didAccept(AudioProgressTests.audio)
            case .acceptOther: progress.didAccept(AudioProgressTests.otherAudio)
            case .append: progress.didAppend(AudioProgressTests.audio)
            case .primed: _ = progress.didPrime(1)
            case .primedOther: _ = progress.didPrime(2)
            case .ended: progress.didPlayToEnd(1)
            case .endedOther: progress.didPlayToEnd(2)
            case .discardedAudioEnded: progress.didReachEndOfDiscardedAudio()
            case .playAwaitingPosition: progress.play(awaitingPositionUntil: 200)
            case .playWithKnownPosition: progress.play(awaitingPositionUntil: nil)
            case .pause: progress.pause()
            case .fail: progress.fail()
            case .updateWithoutPosition: _ = progress.update(lag: nil, now: 199, canSeek: true)
            case .updateAfterPositionDeadline: _ = progress.update(lag: nil, now: 200, canSeek: true)
            case .updateWithPosition: _ = progress.update(lag: 0, now: 150, canSeek: true)
            case .updateWithLateAudio:
                _ = progress.update(lag: PlaybackClock.jumpThreshold + 1, now: 150, canSeek: true)
            case .updateWithLateUnseekableAudio:
                _ = progress.update(lag: PlaybackClock.jumpThreshold + 1, now: 150, canSeek: false)
            }
        }
    }

    /// A state transition: an event, and the states before and after it.
    private struct Transition { let before: AudioProgress, event: Event, after: AudioProgress }

    /// The transitions for every event in every reachable state.
    private static let transitions: [Transition] = {
        let outputs: [AudioProgress.Output] = [.none, .unavailable, .device]
        var states = outputs.flatMap {
            [AudioProgress(hasTrack: true, output: $0), AudioProgress(hasTrack: false, output: $0)]
        }
        var knownStates = Set(states), transitions: [Transition] = [], stateIndex = 0
        while stateIndex < states.count {
            for event in Event.allCases {
                var after = states[stateIndex]
                event.apply(to: &after)
                transitions.append(Transition(before: states[stateIndex], event: event, after: after))
                if knownStates.insert(after).inserted { states.append(after) }
            }
            stateIndex += 1
        }
        return transitions
    }()

    @Test func eventsReachEveryState() {
        let reachedStates = Set(Self.transitions.map(\.after))
        for audio in [Self.audio, Self.otherAudio] {
            for deadline in [Int64.max, 100] { #expect(reachedStates.contains(.buffering(audio, deadline: deadline))) }
            #expect(reachedStates.contains(.ready(audio)) && reachedStates.contains(.ended(audio)))
            for position in [AudioProgress.Position.awaited(until: 200), .known, .overdue] {
                #expect(reachedStates.contains(.playing(audio, position)))
            }
        }
        for deadline in [Int64.max, 100] { #expect(reachedStates.contains(.expected(deadline: deadline))) }
        for hasEnded in [false, true] { #expect(reachedStates.contains(.discarded(hasEnded: hasEnded))) }
        #expect(reachedStates.contains(.disconnected))
        #expect(reachedStates.count == 19)
    }

    @Test func propertiesAreConsistentInEveryState() {
        for state in Set(Self.transitions.map(\.after)) {
            #expect(!state.isUnfinished || state.usesDevice && !state.hasEnded, "\(state)")
            #expect(!state.isPrimed || state.acceptedAudio != nil, "\(state)")
            #expect(state.bufferingDeadline == nil || state.isUnfinished && !state.isPrimed, "\(state)")
            #expect(state.firstPositionDeadline == nil || state.isPrimed && state.isUnfinished, "\(state)")
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
    @Test func onlyExpectedEventsChangeTheState() {
        for step in Self.transitions where step.before != step.after {
            let allowedEvents: Set<Event> =
                switch step.after {
                case .disconnected: [.fail, .selectNoTrack]
                case .discarded(hasEnded: false): [.restart]
                case .discarded(hasEnded: true): [.discardedAudioEnded, .fail]
                case .expected: [.restart, .selectTrack, .wait]
                case .buffering: [.accept, .acceptOther, .wait]
                case .ready: [.primed, .primedOther, .pause, .append]
                case .playing(_, .awaited): [.playAwaitingPosition]
                case .playing(_, .known):
                    [.playWithKnownPosition, .updateWithPosition, .updateWithLateAudio, .updateWithLateUnseekableAudio]
                case .playing(_, .overdue): [.updateAfterPositionDeadline]
                case .ended: [.ended, .endedOther]
                }
            #expect(allowedEvents.contains(step.event), "\(step)")
        }
    }

    @Test func restartDiscardsBufferedAudio() {
        for step in Self.transitions where step.event == .restart {
            #expect(step.after.acceptedAudio == nil && step.after.usesDevice == step.before.usesDevice, "\(step)")
            #expect(step.after.isDiscarded == step.before.isDiscarded, "\(step)")
            #expect(step.after.hasEnded == (step.before == .disconnected), "\(step)")
        }
    }

    @Test func failureEndsTheAudioPermanently() {
        for step in Self.transitions where step.event == .fail {
            #expect(step.after.hasEnded && !step.after.usesDevice && step.after.acceptedAudio == nil, "\(step)")
        }
    }

    @Test func discardedAudioIsNeverPlayed() {
        for step in Self.transitions where step.before.isDiscarded { #expect(step.after.isDiscarded, "\(step)") }
    }

    @Test func reportsAboutOtherAudioHaveNoEffect() {
        for step in Self.transitions
        where step.before.acceptedAudio != Self.otherAudio && [.primedOther, .endedOther].contains(step.event) {
            #expect(step.after == step.before, "\(step)")
        }
        for step in Self.transitions
        where step.before.acceptedAudio != Self.audio && [.primed, .ended].contains(step.event) {
            #expect(step.after == step.before, "\(step)")
        }
    }

    @Test func onlyReadyAudioStartsPlaying() {
        for step in Self.transitions where [.playAwaitingPosition, .playWithKnownPosition].contains(step.event) {
            if case .ready(let audio) = step.before {
                #expect(
                    step.after.acceptedAudio == audio
                        && (step.after.firstPositionDeadline == 200) == (step.event == .playAwaitingPosition),
                    "\(step)")
            } else {
                #expect(step.after == step.before, "\(step)")
            }
        }
    }

    @Test func acceptedAudioKeepsItsFirstSpeed() {
        var progress = AudioProgress.expected(deadline: 10)
        progress.didAccept(AcceptedAudio(number: 1, speed: 2))
        progress.didAccept(AcceptedAudio(number: 1, speed: 1))
        #expect(progress == .buffering(AcceptedAudio(number: 1, speed: 2), deadline: 10))
    }

    // MARK: Audio clock

    @Test func firstAudioPositionStartsTheClock() {
        var progress = AudioProgress.playing(Self.audio, .awaited(until: 200))
        #expect(progress.update(lag: nil, now: 199, canSeek: true) == .none && progress.firstPositionDeadline == 200)
        #expect(progress.update(lag: 0, now: 199, canSeek: true) == .start && progress.firstPositionDeadline == nil)
        #expect(progress.update(lag: 1_000_000_000, now: 199, canSeek: true) == .follow)
    }

    @Test func audioThatStartsLateCausesASeek() {
        let lateProgress = AudioProgress.playing(Self.audio, .overdue)
        for (lag, canSeek, correction) in [
            (PlaybackClock.jumpThreshold + 1, true, AudioProgress.Correction.seekToClock),
            (PlaybackClock.jumpThreshold + 1, false, .follow),
            (PlaybackClock.jumpThreshold, true, .follow), (-PlaybackClock.jumpThreshold * 2, true, .follow),
        ] {
            var progress = lateProgress
            #expect(progress.update(lag: lag, now: 0, canSeek: canSeek) == correction)
            #expect(progress == .playing(Self.audio, .known))
        }
    }

    @Test func audioPositionsAreUsedOnlyDuringPlayback() {
        for state in Set(Self.transitions.map(\.after)) {
            if case .playing = state { continue }
            for lag in [nil, 0, PlaybackClock.jumpThreshold * 2] as [Int64?] {
                var after = state
                #expect(after.update(lag: lag, now: .max, canSeek: true) == .none && after == state)
            }
        }
    }
}
