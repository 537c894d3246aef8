import Testing

@testable import SwiftPlayKit

@Suite struct ControlsVisibilityTests {
    /// One second in nanoseconds.
    private static let second: Int64 = 1_000_000_000
    private static let oneThird = 1.0 / 3, twoThirds = 2.0 / 3

    /// Advances the host time to `end`, and sends a tick at each time that `visibility` requests. Returns the resulting
    /// actions.
    private func advanceTime(_ visibility: inout ControlsVisibility, until end: Int64) -> [ControlsVisibility.Action] {
        var actions: [ControlsVisibility.Action] = []
        while let tickTime = visibility.nextTick, tickTime <= end { actions += visibility.handle(.tick, at: tickTime) }
        return actions
    }

    @Test func pointerMovementShowsTheControlsAndInactivityHidesThem() {
        var visibility = ControlsVisibility()
        #expect(visibility.opacity == 0 && visibility.isIdle && visibility.nextTick == nil)
        let showActions: [ControlsVisibility.Action] = visibility.handle(.pointerMoved(isOverControls: false), at: 0)
        #expect(showActions == [.setOpacity(Self.twoThirds), .setIdle(false)])
        #expect(advanceTime(&visibility, until: Self.second) == [.setOpacity(1)])
        #expect(visibility.nextTick == ControlsVisibility.hideDelay)
        let hideActions: [ControlsVisibility.Action] = [
            .setOpacity(Self.twoThirds), .setIdle(true), .setOpacity(Self.oneThird), .setOpacity(0),
        ]
        #expect(advanceTime(&visibility, until: 10 * Self.second) == hideActions)
        // Hidden controls need no timer.
        #expect(visibility.nextTick == nil && visibility.opacity == 0)
    }

    @Test func eachMovementRestartsTheDelay() {
        var visibility = ControlsVisibility()
        for step in 0..<10 {
            let now = Int64(step) * Self.second
            _ = advanceTime(&visibility, until: now)
            _ = visibility.handle(.pointerMoved(isOverControls: false), at: now)
        }
        #expect(visibility.opacity == 1)
        _ = advanceTime(&visibility, until: 9 * Self.second + ControlsVisibility.hideDelay - 1)
        #expect(visibility.opacity == 1)
        _ = advanceTime(&visibility, until: 13 * Self.second)
        #expect(visibility.opacity == 0)
    }

    @Test func controlsStayUnderThePointer() {
        var visibility = ControlsVisibility()
        _ = visibility.handle(.pointerMoved(isOverControls: true), at: 0)
        _ = advanceTime(&visibility, until: 100 * Self.second)
        #expect(visibility.opacity == 1 && visibility.nextTick == nil)
        _ = visibility.handle(.pointerLeft, at: 100 * Self.second)
        _ = advanceTime(&visibility, until: 100 * Self.second + ControlsVisibility.leaveDelay + Self.second)
        #expect(visibility.opacity == 0)
    }

    @Test func controlsStayWhileAControlIsHeld() {
        var visibility = ControlsVisibility()
        _ = visibility.handle(.pointerMoved(isOverControls: true), at: 0)
        _ = visibility.handle(.controlHeld(true), at: 0)
        _ = visibility.handle(.pointerMoved(isOverControls: false), at: Self.second)
        _ = visibility.handle(.pointerLeft, at: Self.second)
        _ = advanceTime(&visibility, until: 100 * Self.second)
        #expect(visibility.opacity == 1)
        _ = visibility.handle(.controlHeld(false), at: 100 * Self.second)
        _ = advanceTime(&visibility, until: 104 * Self.second)
        #expect(visibility.opacity == 0)
    }

    @Test func movementDuringTheFadeShowsTheControlsAgain() {
        var visibility = ControlsVisibility()
        _ = visibility.handle(.pointerMoved(isOverControls: false), at: 0)
        _ = advanceTime(&visibility, until: ControlsVisibility.hideDelay)
        #expect(visibility.opacity < 1)
        _ = visibility.handle(.pointerMoved(isOverControls: false), at: ControlsVisibility.hideDelay + 1)
        _ = advanceTime(&visibility, until: ControlsVisibility.hideDelay + Self.second)
        #expect(visibility.opacity == 1)
    }

    @Test func disallowedControlsHideAtOnceAndThePointerStillBecomesIdle() {
        var visibility = ControlsVisibility()
        _ = visibility.handle(.pointerMoved(isOverControls: true), at: 0)
        #expect(visibility.handle(.controlsAllowed(false), at: Self.second) == [.setOpacity(0)])
        #expect(visibility.handle(.pointerMoved(isOverControls: true), at: 2 * Self.second) == [])
        #expect(advanceTime(&visibility, until: 100 * Self.second) == [.setIdle(true)])
        // Controls that are allowed again stay hidden until the next movement.
        #expect(visibility.handle(.controlsAllowed(true), at: 200 * Self.second) == [])
        #expect(visibility.opacity == 0 && visibility.nextTick == nil)
        let showActions = visibility.handle(.pointerMoved(isOverControls: false), at: 201 * Self.second)
        #expect(showActions.first == .setOpacity(Self.twoThirds))
    }
}
