import Testing

@testable import VideoOutput

@Suite struct WindowVisibilityTests {
    @Test func aWindowOnTheCurrentOrEveryDesktopIsVisible() {
        #expect(WindowVisibility().isVisible)
        #expect(WindowVisibility(desktop: 3).isVisible && WindowVisibility(currentDesktop: 3).isVisible)
        #expect(
            WindowVisibility(desktop: 3, currentDesktop: 3).isVisible
                && WindowVisibility(desktop: 0xFFFF_FFFF, currentDesktop: 3).isVisible)
    }

    @Test func eachReasonAloneHidesTheWindow() {
        #expect(!WindowVisibility(isMapped: false).isVisible)
        #expect(!WindowVisibility(isObscured: true).isVisible)
        #expect(!WindowVisibility(isCovered: true).isVisible && WindowVisibility(isCovered: true).isShown)
        #expect(!WindowVisibility(isMinimised: true).isVisible)
        #expect(!WindowVisibility(desktop: 0, currentDesktop: 1).isVisible)
    }
}
