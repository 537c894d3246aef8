import SharedFrames
import Testing

@testable import VideoOutput

@Suite struct WindowDecorationsTests {
    private let area = PixelRect(x: 100, y: 50, width: 800, height: 600)

    @Test("A window without decorations fills the area")
    func undecoratedWindowFillsTheArea() {
        #expect(WindowDecorations().clientArea(within: area) == area)
    }

    @Test("Each side takes its own width from the area")
    func eachSideTakesItsWidthFromTheArea() {
        let clientArea = WindowDecorations(left: 1, right: 2, top: 30, bottom: 4).clientArea(within: area)
        #expect(clientArea == PixelRect(x: 101, y: 80, width: 797, height: 566))
    }

    @Test("At least one pixel remains in an area that is too small")
    func atLeastOnePixelRemainsInATooSmallArea() {
        let clientArea = WindowDecorations.largest.clientArea(within: PixelRect(x: 0, y: 0, width: 128, height: 10))
        #expect(clientArea.width == 1 && clientArea.height == 1 && clientArea.x == 64 && clientArea.y == 128)
    }
}
