import Testing

@testable import VideoOutput

@Suite struct WindowSightTests {
    @Test func whatNobodySpeaksAgainstIsSeen() {
        #expect(WindowSight().isVisible)
        #expect(WindowSight(desktop: 3).isVisible && WindowSight(currentDesktop: 3).isVisible)
        #expect(
            WindowSight(desktop: 3, currentDesktop: 3).isVisible
                && WindowSight(desktop: 0xFFFF_FFFF, currentDesktop: 3).isVisible)
    }

    @Test func eachReasonIsEnough() {
        #expect(!WindowSight(isMapped: false).isVisible)
        #expect(!WindowSight(isObscured: true).isVisible)
        #expect(!WindowSight(isCovered: true).isVisible && WindowSight(isCovered: true).isShown)
        #expect(!WindowSight(isMinimised: true).isVisible)
        #expect(!WindowSight(desktop: 0, currentDesktop: 1).isVisible)
    }
}
