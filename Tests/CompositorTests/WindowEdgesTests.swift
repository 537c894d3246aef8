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
        let left = WindowEdges.left.resize(frame, by: -96, 0, picture: pictureSize, area: area)
        #expect(
            left == PixelRect(x: 1320, y: 732, width: 576, height: 324), "the lower right corner is the nearest one")
        let right = WindowEdges.right.resize(frame, by: -96, 0, picture: pictureSize, area: area)
        #expect(right == PixelRect(x: 1416, y: 840, width: 384, height: 216))
        let corner = WindowEdges([.left, .top]).resize(frame, by: -160, -10, picture: pictureSize, area: area)
        #expect(corner.x + corner.width == 1896 && corner.y + corner.height == 1056 && corner.width == 640)
        let bottom = WindowEdges.bottom.resize(frame, by: 0, 54, picture: pictureSize, area: area)
        #expect(bottom.y == 786 && bottom.height == 324 && bottom.x + bottom.width == 1896)
    }

    @Test func sizeLimitsHold() {
        let edges = WindowEdges([.left, .top])
        let least = edges.resize(frame, by: 5000, 5000, picture: pictureSize, area: area)
        #expect(least.width == WindowPlacement.minimumWidth)
        let most = edges.resize(frame, by: -5000, -5000, picture: pictureSize, area: area)
        #expect(most.width == 960 && most.height == 540)
    }
}
