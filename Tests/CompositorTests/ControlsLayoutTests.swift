import SharedFrames
import Testing
@testable import Compositor

@Suite struct ControlsLayoutTests {
    private static let sizes = [(160, 90), (160, 120), (90, 160), (480, 270), (480, 200), (360, 640), (960, 540), (1920, 1080), (200, 200)]
        .map { PixelSize(width: $0.0, height: $0.1) }

    @Test(arguments: sizes) func buttonsAreInsideAndApart(_ size: PixelSize) {
        let layout = ControlsLayout(size: size)
        let rects = ControlsLayout.Button.allCases.map(layout.rect)
        for (index, rect) in rects.enumerated() {
            #expect(rect.x >= 0 && rect.y >= 0 && rect.x + rect.width <= size.width && rect.y + rect.height <= size.height)
            #expect(rect.width == rect.height && rect.width >= 8)
            for other in rects[(index + 1)...] {
                #expect(
                    rect.x + rect.width <= other.x || other.x + other.width <= rect.x || rect.y + rect.height <= other.y
                        || other.y + other.height <= rect.y, "\(rect) \(other)")
            }
        }
    }

    @Test(arguments: sizes) func aButtonIsHitWithinItsRectangleOnly(_ size: PixelSize) {
        let layout = ControlsLayout(size: size)
        for button in ControlsLayout.Button.allCases {
            let rect = layout.rect(of: button)
            #expect(layout.button(x: rect.x, y: rect.y) == button)
            #expect(layout.button(x: rect.x + rect.width - 1, y: rect.y + rect.height - 1) == button)
            #expect(layout.button(x: rect.x - 1, y: rect.y) == nil)
            #expect(layout.button(x: rect.x, y: rect.y + rect.height) == nil)
        }
        #expect(layout.button(x: 0, y: 0) == nil)
        #expect(layout.button(x: -1, y: -1) == nil)
        #expect(layout.button(x: size.width, y: size.height) == nil)
    }

    @Test func restoreIsLeftCloseIsRightPlayIsInTheMiddle() {
        let layout = ControlsLayout(size: PixelSize(width: 480, height: 270))
        let restore = layout.rect(of: .restore), close = layout.rect(of: .close), play = layout.rect(of: .playPause)
        #expect(restore.x == 480 - close.x - close.width && restore.y == close.y)
        #expect(restore.x < play.x && play.x < close.x)
        #expect(abs(play.x * 2 + play.width - 480) <= 1 && abs(play.y * 2 + play.height - 270) <= 1)
    }

    @Test(arguments: sizes) func theProgressLineLiesAtTheLowerEdge(_ size: PixelSize) {
        let line = ControlsLayout(size: size).progress
        #expect(line.x == 0 && line.width == size.width && line.height >= 3)
        #expect(line.y + line.height == size.height)
    }
}
