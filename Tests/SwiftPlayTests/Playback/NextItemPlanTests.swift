import MediaPipeline
import Testing

@testable import SwiftPlay

@Suite struct NextItemPlanTests {
    /// The host time of the decisions, in nanoseconds.
    private static let now: Int64 = 100_000_000_000
    /// How long before the end of the current item the next item is opened, in nanoseconds.
    private static let openingLead = NextItemPlan.openingLead
    /// Audio at normal speed that the audio pipeline has accepted.
    private static let audio = AudioProgress.AcceptedAudio(number: 1, speed: 1)
    private static let phases: [PlaybackPhase?] = [nil, .opening, .priming, .ready, .playing, .failed]
    private static let audioStates: [AudioProgress] = [
        .disconnected, .discarded(hasEnded: false), .discarded(hasEnded: true), .expected(deadline: 1),
        .buffering(audio, deadline: 1), .ready(audio), .playing(audio, .known), .playing(audio, .overdue),
        .ended(audio),
    ]
    /// The test values for the host time at which the current item ends, in nanoseconds; nil: it is unknown.
    private static let endTimes: [Int64?] = [nil, now - 1, now, now + openingLead, now + openingLead + 1]

    /// All states of a next item that is opened in advance; nil: no next item is opened.
    private static let openedItemStates: [NextItemPlan.Opened?] = {
        var all: [NextItemPlan.Opened?] = [nil]
        for bits in 0..<16 {
            for audio in [
                AudioProgress.disconnected, .discarded(hasEnded: false), .expected(deadline: .max), .ready(audio),
            ] {
                all.append(
                    NextItemPlan.Opened(
                        isWanted: bits & 1 != 0, isJoined: bits & 2 != 0, audioMatchesDeviceFormat: bits & 4 != 0,
                        audio: audio,
                        hasPicture: bits & 8 != 0))
            }
        }
        return all
    }()

    /// One plan for every combination of the inputs of ``NextItemPlan``, each with a next item.
    private static let plans: [NextItemPlan] = {
        var all: [NextItemPlan] = []
        for opened in openedItemStates {
            for phase in phases {
                for audio in audioStates {
                    for bits in 0..<8 {
                        for end in endTimes {
                            all.append(
                                NextItemPlan(
                                    hasSuccessor: true, opened: opened, phase: phase, audio: audio,
                                    rate: bits & 1 != 0 ? 1 : 2, hasReadAll: bits & 2 != 0, hasChosenEnd: bits & 4 != 0,
                                    end: end))
                        }
                    }
                }
            }
        }
        return all
    }()

    /// Calls `body` for every plan, with and without a next item.
    private static func visitAllPlans(_ body: (NextItemPlan, NextItemPlan.Action) -> Void) {
        for plan in plans {
            for hasSuccessor in [true, false] {
                var plan = plan
                plan.hasSuccessor = hasSuccessor
                body(plan, plan.action(now: now))
            }
        }
    }

    @Test func onlyAnUnwantedOpenedItemIsDropped() {
        var failures: [NextItemPlan] = []
        Self.visitAllPlans { plan, action in
            if (action == .drop) != (plan.opened?.isWanted == false) { failures.append(plan) }
        }
        #expect(failures.isEmpty, "\(failures.prefix(3))")
    }

    @Test func nextItemIsOpenedNearTheEndOfTheCurrentItem() {
        var failures: [NextItemPlan] = [], seen: Set<NextItemPlan.Action> = []
        Self.visitAllPlans { plan, action in
            let mayOpen =
                plan.opened == nil && plan.hasSuccessor
                && (plan.phase == .playing || plan.phase == .ready)
            let isNear = plan.hasReadAll || plan.end.map { $0 <= Self.now + Self.openingLead } ?? false
            if (action == .open) != (mayOpen && isNear) { failures.append(plan) }
            let isLater = mayOpen && !isNear && plan.end != nil
            if (action == .wait(until: (plan.end ?? 0) - Self.openingLead)) != isLater { failures.append(plan) }
            seen.insert(action)
        }
        #expect(failures.isEmpty, "\(failures.prefix(3))")
        #expect(seen == [.none, .drop, .open, .join, .wait(until: Self.now + 1)], "every action, and one wait time")
    }

    @Test func nextItemsAudioIsAppendedToTheCurrentAudioOnlyIfAllConditionsHold() {
        let base = NextItemPlan(
            hasSuccessor: true,
            opened: .init(
                isWanted: true, isJoined: false, audioMatchesDeviceFormat: true, audio: .expected(deadline: .max),
                hasPicture: true),
            phase: .playing, audio: .playing(Self.audio, .known), rate: 1, hasReadAll: true, hasChosenEnd: false,
            end: nil)
        #expect(base.action(now: 0) == .join)
        let obstacles: [(String, (inout NextItemPlan) -> Void)] = [
            ("the player is paused", { $0.phase = .ready }), ("the speed differs", { $0.rate = 2 }),
            ("the audio has ended", { $0.audio = .ended(Self.audio) }),
            ("there is too little audio", { $0.audio = .buffering(Self.audio, deadline: 1) }),
            ("the end is not near", { $0.hasReadAll = false }), ("it is joined", { $0.opened?.isJoined = true }),
            ("the format differs", { $0.opened?.audioMatchesDeviceFormat = false }),
            ("it has no audio", { $0.opened?.audio = .disconnected }),
            ("its start is unknown", { $0.opened?.hasPicture = false }),
            ("it has failed", { $0.hasSuccessor = false }),
        ]
        for (reason, change) in obstacles {
            var plan = base
            change(&plan)
            #expect(plan.action(now: 0) == .none, "joined although \(reason)")
        }
        var chosen = base
        (chosen.hasReadAll, chosen.hasChosenEnd) = (false, true)
        #expect(chosen.action(now: 0) == .join, "an end that the program has set is near enough")
    }

    @Test func nextItemsAudioIsAppendedAtMostOnceAndOnlyIfItExists() {
        var failures: [NextItemPlan] = [], joins = 0
        Self.visitAllPlans { plan, action in
            guard action == .join else { return }
            joins += 1
            guard let opened = plan.opened, opened.isWanted, !opened.isJoined, opened.audioMatchesDeviceFormat,
                opened.hasPicture,
                opened.audio.usesDevice, plan.phase == .playing, plan.audio.isPrimed, plan.audio.isUnfinished,
                plan.rate == 1, plan.hasSuccessor, plan.hasReadAll || plan.hasChosenEnd
            else { return failures.append(plan) }
        }
        #expect(failures.isEmpty && joins > 0, "\(failures.prefix(3))")
    }

    @Test func openedItemBecomesCurrentUnlessItsAudioIsAlreadyQueuedForTheDevice() {
        for bits in 0..<16 {
            let (isNewest, isOpened) = (bits & 1 != 0, bits & 2 != 0)
            let (isJoined, hasCurrent) = (bits & 4 != 0, bits & 8 != 0)
            let itemTransition = NextItemPlan.itemTransition(
                isNewest: isNewest, isOpened: isOpened, isJoined: isJoined, hasCurrent: hasCurrent)
            let expected: NextItemPlan.ItemTransition =
                !isNewest ? .ignore : isOpened && !isJoined && hasCurrent ? .promote : .replace
            #expect(itemTransition == expected, "\(bits)")
        }
    }

    @Test func discardingTheNextItemsAudioSeeksOnlyDuringPlayback() {
        for phase in Self.phases {
            for bits in 0..<4 {
                let (isUnderway, isSeekable) = (bits & 1 != 0, bits & 2 != 0)
                let seeks = NextItemPlan.mustSeek(isNextAudioUnderway: isUnderway, phase: phase, isSeekable: isSeekable)
                #expect(seeks == (phase == .playing && isUnderway && isSeekable))
            }
        }
    }

    @Test func gaplessAudioSettingDecidesWhetherAudioContinuesWithoutAGap() {
        let audio = { (rate: Int, channels: Int) -> MediaInfo.Audio in
            var track = MediaTrack(id: 0, kind: .audio, codec: "aac")
            (track.sampleRate, track.channels) = (rate, channels)
            return MediaInfo.Audio(track)
        }
        typealias Rule = PlayerConfiguration.GaplessAudio
        for rule in [Rule.always, .whereFormatsMatch, .never] {
            #expect(!rule.joins(nil, to: audio(1, 1)) && !rule.joins(audio(1, 1), to: nil))
            #expect(rule.joins(audio(1, 1), to: audio(1, 1)) == (rule != .never))
            for other in [audio(2, 1), audio(1, 2)] { #expect(rule.joins(other, to: audio(1, 1)) == (rule == .always)) }
        }
    }
}
