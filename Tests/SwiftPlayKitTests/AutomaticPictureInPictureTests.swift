import Testing

@testable import SwiftPlayKit

@Suite struct AutomaticPictureInPictureTests {
    private typealias Facts = AutomaticPictureInPicture.Facts
    private static let late = AutomaticPictureInPicture.patience
    private static let playing = Facts(
        isVisible: true, isPlaying: true, isPossible: true, isAllowed: true, isActive: false)

    private func with(_ facts: Facts = playing, _ change: (inout Facts) -> Void) -> Facts {
        var facts = facts
        change(&facts)
        return facts
    }

    /// Told of what plays, then that it is out of sight.
    private func hidden(_ facts: Facts = playing) -> AutomaticPictureInPicture {
        var value = AutomaticPictureInPicture()
        #expect(value.update(facts, now: 0) == nil)
        #expect(value.update(with(facts) { $0.isVisible = false }, now: 0) == nil)
        return value
    }

    @Test func whatPlaysOutOfSightFloatsAndComesBack() {
        var value = hidden()
        let early = value.tick(now: Self.late - 1), due = value.tick(now: Self.late), again = value.tick(now: .max)
        #expect(early == nil && due == .start && again == nil)
        let started = value.update(with { ($0.isVisible, $0.isActive) = (false, true) }, now: Self.late)
        let back = value.update(with { $0.isActive = true }, now: Self.late),
            seen = value.update(Self.playing, now: Self.late)
        #expect(started == nil && back == .stop && seen == nil)
    }

    @Test func aMomentOutOfSightIsNothing() {
        var value = hidden()
        let back = value.update(Self.playing, now: 5), later = value.tick(now: .max)
        #expect(back == nil && later == nil)
    }

    @Test func whatDoesNotPlayOrIsNotAllowedStays() {
        for change in [{ $0.isPlaying = false }, { $0.isAllowed = false }, { $0.isActive = true }]
            as [(inout Facts) -> Void]
        {
            var value = hidden(with(Self.playing, change))
            #expect(value.tick(now: .max) == nil && value.deadline == nil)
        }
    }

    @Test func whatIsPausedOrForbiddenMeanwhileStays() {
        for change in [{ $0.isPlaying = false }, { $0.isAllowed = false }] as [(inout Facts) -> Void] {
            var value = hidden()
            _ = value.update(with(with { $0.isVisible = false }, change), now: 1)
            _ = value.update(with { $0.isVisible = false }, now: 2)
            #expect(value.tick(now: .max) == nil, "what begins to play out of sight does not float")
        }
    }

    @Test func whatIsNotPossibleYetWaits() {
        var value = hidden(with { $0.isPossible = false })
        let early = value.tick(now: Self.late),
            possible = value.update(with { $0.isVisible = false }, now: Self.late + 1)
        #expect(early == nil && possible == .start)
    }

    @Test func whatTheUserBeganStays() {
        var value = AutomaticPictureInPicture()
        let active = with { $0.isActive = true }
        #expect(value.update(active, now: 0) == nil)
        #expect(value.update(with(active) { $0.isVisible = false }, now: 1) == nil && value.tick(now: .max) == nil)
        #expect(value.update(active, now: 2) == nil)
    }

    @Test func whatBeganByItselfAndWasClosedIsForgotten() {
        var value = hidden()
        _ = value.tick(now: Self.late)
        _ = value.update(with { ($0.isVisible, $0.isActive) = (false, true) }, now: Self.late)
        let closed = value.update(with { ($0.isVisible, $0.isPlaying) = (false, false) }, now: Self.late)
        #expect(closed == nil && !value.isOurs)
        #expect(value.update(with { $0.isActive = true }, now: Self.late) == nil)
    }
}
