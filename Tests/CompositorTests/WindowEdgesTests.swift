import SharedFrames
import Testing

@testable import Compositor

@Suite struct WindowEdgesTests {
    /// The work area of the screen.
    private let area = PixelRect(x: 0, y: 0, width: 1920, height: 1080)
    /// The size of the picture.
    private let pictureSize = PixelSize(width: 1920, height: 1080)
    /// The rectangle of the floating window.
    private let frame = PixelRect(x: 1416, y: 786, width: 480, height: 270)

    @Test func pointerSelectsEdgesUnderIt() {
        let size = frame.size
        #expect(WindowEdges(x: 240, y: 135, size: size).isEmpty)
        #expect(WindowEdges(x: 3, y: 135, size: size) == .left)
        #expect(WindowEdges(x: 478, y: 268, size: size) == [.right, .bottom])
        #expect(WindowEdges(x: 240, y: 0, size: size) == .top)
        // In a tiny window, dragging most of the window's area still moves the window.
        #expect(WindowEdges(x: 8, y: 8, size: PixelSize(width: 32, height: 32)).isEmpty)
    }

    @Test func oppositeEdgesStayInPlace() {
        let resizedLeft = WindowEdges.left.resize(frame, by: -96, 0, picture: pictureSize, area: area)
        #expect(
            resizedLeft == PixelRect(x: 1320, y: 732, width: 576, height: 324),
            "the lower right corner is the nearest one")
        let resizedRight = WindowEdges.right.resize(frame, by: -96, 0, picture: pictureSize, area: area)
        #expect(resizedRight == PixelRect(x: 1416, y: 840, width: 384, height: 216))
        let resizedCorner = WindowEdges([.left, .top]).resize(frame, by: -160, -10, picture: pictureSize, area: area)
        #expect(resizedCorner.x + resizedCorner.width == 1896 && resizedCorner.y + resizedCorner.height == 1056)
        #expect(resizedCorner.width == 640)
        let resizedBottom = WindowEdges.bottom.resize(frame, by: 0, 54, picture: pictureSize, area: area)
        #expect(resizedBottom.y == 786 && resizedBottom.height == 324 && resizedBottom.x + resizedBottom.width == 1896)
    }

    @Test func sizeLimitsHold() {
        let edges = WindowEdges([.left, .top])
        let smallestFrame = edges.resize(frame, by: 5000, 5000, picture: pictureSize, area: area)
        #expect(smallestFrame.width == WindowPlacement.minimumWidth)
        let largestFrame = edges.resize(frame, by: -5000, -5000, picture: pictureSize, area: area)
        #expect(largestFrame.width == 960 && largestFrame.height == 540)
    }
}
