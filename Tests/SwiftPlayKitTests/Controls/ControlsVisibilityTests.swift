import Testing

@testable import SwiftPlayKit

@Suite struct ControlsVisibilityTests {
    private static let second: Int64 = 1_000_000_000

    /// Lets time pass as a clock would that wakes it when it asks for it; returns when it sleeps, or at `end`.
    private func pass(_ visibility: inout ControlsVisibility, until end: Int64) -> [ControlsVisibility.Action] {
        var actions: [ControlsVisibility.Action] = []
        while let next = visibility.wakesAt, next <= end { actions += visibility.handle(.tick, at: next) }
        return actions
    }

    @Test func aMovementShowsThemAndTimeTakesThemAway() {
        var visibility = ControlsVisibility()
        #expect(visibility.opacity == 0 && visibility.isIdle && visibility.wakesAt == nil)
        #expect(visibility.handle(.pointed(isOverControls: false), at: 0) == [.setOpacity(2.0 / 3), .setIdle(false)])
        #expect(pass(&visibility, until: Self.second) == [.setOpacity(1)])
        #expect(visibility.wakesAt == ControlsVisibility.patience)
        #expect(
            pass(&visibility, until: 10 * Self.second) == [
                .setOpacity(2.0 / 3), .setIdle(true), .setOpacity(1.0 / 3), .setOpacity(0),
            ])
        // Nothing is to be done while they are hidden.
        #expect(visibility.wakesAt == nil && visibility.opacity == 0)
    }

    @Test func everyMovementBeginsTheWaitAnew() {
        var visibility = ControlsVisibility()
        for step in 0..<10 {
            let now = Int64(step) * Self.second
            _ = pass(&visibility, until: now)
            _ = visibility.handle(.pointed(isOverControls: false), at: now)
        }
        #expect(visibility.opacity == 1)
        _ = pass(&visibility, until: 9 * Self.second + ControlsVisibility.patience - 1)
        #expect(visibility.opacity == 1)
        _ = pass(&visibility, until: 13 * Self.second)
        #expect(visibility.opacity == 0)
    }

    @Test func theyStayUnderThePointer() {
        var visibility = ControlsVisibility()
        _ = visibility.handle(.pointed(isOverControls: true), at: 0)
        _ = pass(&visibility, until: 100 * Self.second)
        #expect(visibility.opacity == 1 && visibility.wakesAt == nil)
        _ = visibility.handle(.left, at: 100 * Self.second)
        _ = pass(&visibility, until: 100 * Self.second + ControlsVisibility.leavePatience + Self.second)
        #expect(visibility.opacity == 0)
    }

    @Test func theyStayWhileSomethingIsHeldWhereverThePointerIs() {
        var visibility = ControlsVisibility()
        _ = visibility.handle(.pointed(isOverControls: true), at: 0)
        _ = visibility.handle(.held(true), at: 0)
        _ = visibility.handle(.pointed(isOverControls: false), at: Self.second)
        _ = visibility.handle(.left, at: Self.second)
        _ = pass(&visibility, until: 100 * Self.second)
        #expect(visibility.opacity == 1)
        _ = visibility.handle(.held(false), at: 100 * Self.second)
        _ = pass(&visibility, until: 104 * Self.second)
        #expect(visibility.opacity == 0)
    }

    @Test func aMovementWhileTheyGoBringsThemBack() {
        var visibility = ControlsVisibility()
        _ = visibility.handle(.pointed(isOverControls: false), at: 0)
        _ = pass(&visibility, until: ControlsVisibility.patience)
        #expect(visibility.opacity < 1)
        _ = visibility.handle(.pointed(isOverControls: false), at: ControlsVisibility.patience + 1)
        _ = pass(&visibility, until: ControlsVisibility.patience + Self.second)
        #expect(visibility.opacity == 1)
    }

    @Test func whatIsNotAllowedGoesAtOnceAndThePointerStillGoesIdle() {
        var visibility = ControlsVisibility()
        _ = visibility.handle(.pointed(isOverControls: true), at: 0)
        #expect(visibility.handle(.allowed(false), at: Self.second) == [.setOpacity(0)])
        #expect(visibility.handle(.pointed(isOverControls: true), at: 2 * Self.second) == [])
        #expect(pass(&visibility, until: 100 * Self.second) == [.setIdle(true)])
        // What may be seen again waits to be asked for.
        #expect(visibility.handle(.allowed(true), at: 200 * Self.second) == [])
        #expect(visibility.opacity == 0 && visibility.wakesAt == nil)
        #expect(visibility.handle(.pointed(isOverControls: false), at: 201 * Self.second).first == .setOpacity(2.0 / 3))
    }
}
