import Testing

@testable import SwiftPlayKit

@Suite struct AutomaticPictureInPictureTests {
    private typealias Conditions = AutomaticPictureInPicture.Conditions
    /// The host time, in nanoseconds, at which Picture-in-Picture starts for a player that was hidden at the host time
    /// 0.
    private static let delayEnd = AutomaticPictureInPicture.delay
    /// The conditions for a visible player that plays.
    private static let playing = Conditions(
        isVisible: true, isPlaying: true, isPossible: true, isAllowed: true, isActive: false)

    /// Returns a copy of `conditions` that `change` has modified.
    private func modified(_ conditions: Conditions = playing, _ change: (inout Conditions) -> Void) -> Conditions {
        var conditions = conditions
        change(&conditions)
        return conditions
    }

    /// Returns the rules after they have received `conditions`, first with a visible and then with a hidden player.
    private func rulesForHiddenPlayer(_ conditions: Conditions = playing) -> AutomaticPictureInPicture {
        var value = AutomaticPictureInPicture()
        #expect(value.update(conditions, now: 0) == nil)
        #expect(value.update(modified(conditions) { $0.isVisible = false }, now: 0) == nil)
        return value
    }

    @Test func pictureInPictureStartsAfterTheDelayAndStopsWhenVisibleAgain() {
        var value = rulesForHiddenPlayer()
        let early = value.tick(now: Self.delayEnd - 1), due = value.tick(now: Self.delayEnd),
            again = value.tick(now: .max)
        #expect(early == nil && due == .start && again == nil)
        let started = value.update(modified { ($0.isVisible, $0.isActive) = (false, true) }, now: Self.delayEnd)
        let back = value.update(modified { $0.isActive = true }, now: Self.delayEnd),
            seen = value.update(Self.playing, now: Self.delayEnd)
        #expect(started == nil && back == .stop && seen == nil)
    }

    @Test func aBrieflyHiddenPlayerDoesNotStart() {
        var value = rulesForHiddenPlayer()
        let back = value.update(Self.playing, now: 5), later = value.tick(now: .max)
        #expect(back == nil && later == nil)
    }

    @Test func pictureInPictureStartsOnlyIfPlayingAllowedAndInactive() {
        for change in [{ $0.isPlaying = false }, { $0.isAllowed = false }, { $0.isActive = true }]
            as [(inout Conditions) -> Void]
        {
            var value = rulesForHiddenPlayer(modified(Self.playing, change))
            #expect(value.tick(now: .max) == nil && value.deadline == nil)
        }
    }

    @Test func aPauseOrADenialDuringTheDelayCancelsTheStart() {
        for change in [{ $0.isPlaying = false }, { $0.isAllowed = false }] as [(inout Conditions) -> Void] {
            var value = rulesForHiddenPlayer()
            _ = value.update(modified(modified { $0.isVisible = false }, change), now: 1)
            _ = value.update(modified { $0.isVisible = false }, now: 2)
            #expect(value.tick(now: .max) == nil, "playback that begins while hidden must not start Picture-in-Picture")
        }
    }

    @Test func aDelayedStartHappensAsSoonAsItBecomesPossible() {
        var value = rulesForHiddenPlayer(modified { $0.isPossible = false })
        let early = value.tick(now: Self.delayEnd),
            possible = value.update(modified { $0.isVisible = false }, now: Self.delayEnd + 1)
        #expect(early == nil && possible == .start)
    }

    @Test func doesNotStopPictureInPictureThatTheUserStarted() {
        var value = AutomaticPictureInPicture()
        let active = modified { $0.isActive = true }
        #expect(value.update(active, now: 0) == nil)
        #expect(value.update(modified(active) { $0.isVisible = false }, now: 1) == nil && value.tick(now: .max) == nil)
        #expect(value.update(active, now: 2) == nil)
    }

    @Test func aClosedAutomaticPictureInPictureIsNotStoppedLater() {
        var value = rulesForHiddenPlayer()
        _ = value.tick(now: Self.delayEnd)
        _ = value.update(modified { ($0.isVisible, $0.isActive) = (false, true) }, now: Self.delayEnd)
        let closed = value.update(modified { ($0.isVisible, $0.isPlaying) = (false, false) }, now: Self.delayEnd)
        #expect(closed == nil && !value.startedAutomatically)
        #expect(value.update(modified { $0.isActive = true }, now: Self.delayEnd) == nil)
    }
}
