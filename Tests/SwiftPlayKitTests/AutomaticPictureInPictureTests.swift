import Testing

@testable import SwiftPlayKit

@Suite struct AutomaticPictureInPictureTests {
    private typealias Conditions = AutomaticPictureInPicture.Conditions
    /// The host time, in nanoseconds, at which Picture-in-Picture starts for a player that was hidden at the host time
    /// 0.
    private static let delayEnd = AutomaticPictureInPicture.startDelay
    /// The conditions for a visible player that plays.
    private static let playingConditions = Conditions(
        isLayerVisible: true, isPlaying: true, isStartPossible: true, isStartAllowed: true,
        isPictureInPictureActive: false)

    /// Returns a copy of `conditions` that `change` has modified.
    private func modified(_ conditions: Conditions = playingConditions, _ change: (inout Conditions) -> Void)
        -> Conditions
    {
        var conditions = conditions
        change(&conditions)
        return conditions
    }

    /// Returns the rules after they have received `conditions`, first with a visible and then with a hidden layer.
    private func rulesForHiddenPlayer(_ conditions: Conditions = playingConditions) -> AutomaticPictureInPicture {
        var rules = AutomaticPictureInPicture()
        #expect(rules.update(conditions, now: 0) == nil)
        #expect(rules.update(modified(conditions) { $0.isLayerVisible = false }, now: 0) == nil)
        return rules
    }

    @Test func pictureInPictureStartsAfterTheDelayAndStopsWhenVisibleAgain() {
        var rules = rulesForHiddenPlayer()
        let earlyAction = rules.tick(now: Self.delayEnd - 1), dueAction = rules.tick(now: Self.delayEnd),
            laterAction = rules.tick(now: .max)
        #expect(earlyAction == nil && dueAction == .start && laterAction == nil)
        let hiddenActiveConditions = modified { ($0.isLayerVisible, $0.isPictureInPictureActive) = (false, true) }
        let activeAction = rules.update(hiddenActiveConditions, now: Self.delayEnd)
        let visibleAction = rules.update(modified { $0.isPictureInPictureActive = true }, now: Self.delayEnd),
            stillVisibleAction = rules.update(Self.playingConditions, now: Self.delayEnd)
        #expect(activeAction == nil && visibleAction == .stop && stillVisibleAction == nil)
    }

    @Test func aBrieflyHiddenPlayerDoesNotStart() {
        var rules = rulesForHiddenPlayer()
        let visibleAction = rules.update(Self.playingConditions, now: 5), laterAction = rules.tick(now: .max)
        #expect(visibleAction == nil && laterAction == nil)
    }

    @Test func pictureInPictureStartsOnlyIfPlayingAllowedAndInactive() {
        for change in [{ $0.isPlaying = false }, { $0.isStartAllowed = false }, { $0.isPictureInPictureActive = true }]
            as [(inout Conditions) -> Void]
        {
            var rules = rulesForHiddenPlayer(modified(Self.playingConditions, change))
            #expect(rules.tick(now: .max) == nil && rules.deadline == nil)
        }
    }

    @Test func aPauseOrAProhibitionDuringTheDelayCancelsTheStart() {
        for change in [{ $0.isPlaying = false }, { $0.isStartAllowed = false }] as [(inout Conditions) -> Void] {
            var rules = rulesForHiddenPlayer()
            _ = rules.update(modified(modified { $0.isLayerVisible = false }, change), now: 1)
            _ = rules.update(modified { $0.isLayerVisible = false }, now: 2)
            #expect(rules.tick(now: .max) == nil, "playback that begins while hidden must not start Picture-in-Picture")
        }
    }

    @Test func aDelayedStartHappensAsSoonAsItBecomesPossible() {
        var rules = rulesForHiddenPlayer(modified { $0.isStartPossible = false })
        let earlyAction = rules.tick(now: Self.delayEnd),
            possibleAction = rules.update(modified { $0.isLayerVisible = false }, now: Self.delayEnd + 1)
        #expect(earlyAction == nil && possibleAction == .start)
    }

    @Test func pictureInPictureThatTheUserStartedIsNotStopped() {
        var rules = AutomaticPictureInPicture()
        let activeConditions = modified { $0.isPictureInPictureActive = true }
        #expect(rules.update(activeConditions, now: 0) == nil)
        #expect(rules.update(modified(activeConditions) { $0.isLayerVisible = false }, now: 1) == nil)
        #expect(rules.tick(now: .max) == nil)
        #expect(rules.update(activeConditions, now: 2) == nil)
    }

    @Test func anAutomaticPictureInPictureThatWasClosedIsNotStopped() {
        var rules = rulesForHiddenPlayer()
        _ = rules.tick(now: Self.delayEnd)
        let hiddenActiveConditions = modified { ($0.isLayerVisible, $0.isPictureInPictureActive) = (false, true) }
        _ = rules.update(hiddenActiveConditions, now: Self.delayEnd)
        let hiddenPausedConditions = modified { ($0.isLayerVisible, $0.isPlaying) = (false, false) }
        let closedAction = rules.update(hiddenPausedConditions, now: Self.delayEnd)
        #expect(closedAction == nil && !rules.startedAutomatically)
        #expect(rules.update(modified { $0.isPictureInPictureActive = true }, now: Self.delayEnd) == nil)
    }
}
