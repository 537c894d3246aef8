import MediaPipeline
import Testing

@testable import SwiftPlay

@Suite struct NextItemPlanTests {
    /// The host time of the decisions, in nanoseconds.
    private static let now: Int64 = 100_000_000_000
    /// The time before the end of the current item at which the next item is opened, in nanoseconds.
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
    private static let openedItemStates: [NextItemPlan.OpenedItem?] = {
        var states: [NextItemPlan.OpenedItem?] = [nil]
        for bits in 0..<16 {
            for audio in [
                AudioProgress.disconnected, .discarded(hasEnded: false), .expected(deadline: .max), .ready(audio),
            ] {
                states.append(
                    NextItemPlan.OpenedItem(
                        isStillNext: bits & 1 != 0, isAudioAppended: bits & 2 != 0,
                        audioMatchesDeviceFormat: bits & 4 != 0, audio: audio, isVideoReady: bits & 8 != 0))
            }
        }
        return states
    }()

    /// One plan for every combination of the inputs of ``NextItemPlan``, each with a next item.
    private static let plans: [NextItemPlan] = {
        var newPlans: [NextItemPlan] = []
        for openedItem in openedItemStates {
            for phase in phases {
                for audio in audioStates {
                    for bits in 0..<8 {
                        for end in endTimes {
                            newPlans.append(
                                NextItemPlan(
                                    hasSuccessor: true, openedItem: openedItem, phase: phase, audio: audio,
                                    rate: bits & 1 != 0 ? 1 : 2, hasReadAll: bits & 2 != 0,
                                    hasForwardPlaybackEndTime: bits & 4 != 0, endHostTime: end))
                        }
                    }
                }
            }
        }
        return newPlans
    }()

    /// Calls `body` for every plan, with and without a next item.
    private static func forEachPlan(_ body: (NextItemPlan, NextItemPlan.Action) -> Void) {
        for plan in plans {
            for hasSuccessor in [true, false] {
                var plan = plan
                plan.hasSuccessor = hasSuccessor
                body(plan, plan.action(now: now))
            }
        }
    }

    @Test func openedItemIsClosedOnlyIfItIsNoLongerTheNextItem() {
        var failures: [NextItemPlan] = []
        Self.forEachPlan { plan, action in
            if (action == .closeOpenedItem) != (plan.openedItem?.isStillNext == false) { failures.append(plan) }
        }
        #expect(failures.isEmpty, "\(failures.prefix(3))")
    }

    @Test func nextItemIsOpenedNearTheEndOfTheCurrentItem() {
        var failures: [NextItemPlan] = [], observedActions: Set<NextItemPlan.Action> = []
        Self.forEachPlan { plan, action in
            let mayOpen =
                plan.openedItem == nil && plan.hasSuccessor
                && (plan.phase == .playing || plan.phase == .ready)
            let isNear = plan.hasReadAll || plan.endHostTime.map { $0 <= Self.now + Self.openingLead } ?? false
            if (action == .openNextItem) != (mayOpen && isNear) { failures.append(plan) }
            let mustWait = mayOpen && !isNear && plan.endHostTime != nil
            if (action == .wait(until: (plan.endHostTime ?? 0) - Self.openingLead)) != mustWait {
                failures.append(plan)
            }
            observedActions.insert(action)
        }
        #expect(failures.isEmpty, "\(failures.prefix(3))")
        #expect(
            observedActions == [.none, .closeOpenedItem, .openNextItem, .appendAudio, .wait(until: Self.now + 1)],
            "every action, and one wait time")
    }

    @Test func nextItemsAudioIsAppendedToTheCurrentAudioOnlyIfAllConditionsHold() {
        let appendingPlan = NextItemPlan(
            hasSuccessor: true,
            openedItem: .init(
                isStillNext: true, isAudioAppended: false, audioMatchesDeviceFormat: true,
                audio: .expected(deadline: .max), isVideoReady: true),
            phase: .playing, audio: .playing(Self.audio, .known), rate: 1, hasReadAll: true,
            hasForwardPlaybackEndTime: false, endHostTime: nil)
        #expect(appendingPlan.action(now: 0) == .appendAudio)
        let obstacles: [(String, (inout NextItemPlan) -> Void)] = [
            ("the player is paused", { $0.phase = .ready }), ("the speed differs", { $0.rate = 2 }),
            ("the audio has ended", { $0.audio = .ended(Self.audio) }),
            ("there is too little audio", { $0.audio = .buffering(Self.audio, deadline: 1) }),
            ("the end is not near", { $0.hasReadAll = false }),
            ("it is already appended", { $0.openedItem?.isAudioAppended = true }),
            ("the format differs", { $0.openedItem?.audioMatchesDeviceFormat = false }),
            ("it has no audio", { $0.openedItem?.audio = .disconnected }),
            ("its start is unknown", { $0.openedItem?.isVideoReady = false }),
            ("it has failed", { $0.hasSuccessor = false }),
        ]
        for (reason, change) in obstacles {
            var plan = appendingPlan
            change(&plan)
            #expect(plan.action(now: 0) == .none, "appended although \(reason)")
        }
        var planWithEndTime = appendingPlan
        (planWithEndTime.hasReadAll, planWithEndTime.hasForwardPlaybackEndTime) = (false, true)
        #expect(planWithEndTime.action(now: 0) == .appendAudio, "an end that the program has set is near enough")
    }

    @Test func nextItemsAudioIsAppendedAtMostOnceAndOnlyIfItExists() {
        var failures: [NextItemPlan] = [], appendCount = 0
        Self.forEachPlan { plan, action in
            guard action == .appendAudio else { return }
            appendCount += 1
            guard let openedItem = plan.openedItem, openedItem.isStillNext, !openedItem.isAudioAppended,
                openedItem.audioMatchesDeviceFormat, openedItem.isVideoReady, openedItem.audio.usesDevice,
                plan.phase == .playing, plan.audio.isPrimed, plan.audio.isUnfinished, plan.rate == 1,
                plan.hasSuccessor, plan.hasReadAll || plan.hasForwardPlaybackEndTime
            else { return failures.append(plan) }
        }
        #expect(failures.isEmpty && appendCount > 0, "\(failures.prefix(3))")
    }

    @Test func openedItemBecomesCurrentUnlessItsAudioIsAlreadyQueuedForTheDevice() {
        for bits in 0..<16 {
            let (isStillCurrent, isOpened) = (bits & 1 != 0, bits & 2 != 0)
            let (isAudioAppended, hasCurrentItem) = (bits & 4 != 0, bits & 8 != 0)
            let itemTransition = NextItemPlan.itemTransition(
                isStillCurrent: isStillCurrent, isOpened: isOpened, isAudioAppended: isAudioAppended,
                hasCurrentItem: hasCurrentItem)
            let expected: NextItemPlan.ItemTransition =
                !isStillCurrent
                ? .ignore : isOpened && !isAudioAppended && hasCurrentItem ? .makeOpenedItemCurrent : .replace
            #expect(itemTransition == expected, "\(bits)")
        }
    }

    @Test func discardingTheNextItemsAudioSeeksOnlyDuringPlayback() {
        for phase in Self.phases {
            for bits in 0..<4 {
                let (isNextAudioWritten, isSeekable) = (bits & 1 != 0, bits & 2 != 0)
                let mustSeek = NextItemPlan.mustSeekAfterClosingNextItem(
                    isNextAudioWritten: isNextAudioWritten, phase: phase, isSeekable: isSeekable)
                #expect(mustSeek == (phase == .playing && isNextAudioWritten && isSeekable))
            }
        }
    }

    @Test func gaplessAudioSettingDecidesWhetherAudioContinuesWithoutAGap() {
        let makeAudio = { (rate: Int, channels: Int) -> MediaInfo.Audio in
            var track = MediaTrack(id: 0, kind: .audio, codec: "aac")
            (track.sampleRate, track.channels) = (rate, channels)
            return MediaInfo.Audio(track)
        }
        typealias Rule = PlayerConfiguration.GaplessAudio
        for rule in [Rule.always, .whereFormatsMatch, .never] {
            #expect(!rule.allowsAppending(nil, to: makeAudio(1, 1)) && !rule.allowsAppending(makeAudio(1, 1), to: nil))
            #expect(rule.allowsAppending(makeAudio(1, 1), to: makeAudio(1, 1)) == (rule != .never))
            for otherAudio in [makeAudio(2, 1), makeAudio(1, 2)] {
                #expect(rule.allowsAppending(otherAudio, to: makeAudio(1, 1)) == (rule == .always))
            }
        }
    }
}
