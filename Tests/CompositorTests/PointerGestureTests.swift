import SharedFrames
import Testing

@testable import Compositor

@Suite struct PointerGestureTests {
    /// The rectangle of the floating window on the screen.
    private static let frame = PixelRect(x: 1416, y: 786, width: 480, height: 270)
    /// The work area of the screen.
    private static let area = PixelRect(x: 0, y: 0, width: 1920, height: 1080)
    /// The size of the picture.
    private static let pictureSize = PixelSize(width: 1920, height: 1080)
    private static let layout = ControlsLayout(size: frame.size)
    /// One millisecond in nanoseconds.
    private static let ms: Int64 = 1_000_000

    private var gesture = PointerGesture()

    /// Presses the pointer's primary button at a point of the window, at `time` in milliseconds.
    private mutating func press(_ x: Int, _ y: Int, at time: Int64) -> [PointerGesture.Action] {
        gesture.press(
            x: Self.frame.x + x, y: Self.frame.y + y, inX: x, inY: y, frame: Self.frame, layout: Self.layout,
            at: time * Self.ms)
    }

    /// Moves the pointer to a point relative to the window's initial position, at `time` in milliseconds.
    private mutating func move(_ x: Int, _ y: Int, at time: Int64) -> [PointerGesture.Action] {
        gesture.move(
            x: Self.frame.x + x, y: Self.frame.y + y, inX: x, picture: Self.pictureSize, area: Self.area,
            layout: Self.layout, at: time * Self.ms)
    }

    /// Releases the pointer's primary button at a point of the window, at `time` in milliseconds.
    private mutating func release(_ x: Int, _ y: Int, at time: Int64) -> [PointerGesture.Action] {
        gesture.release(
            x: Self.frame.x + x, y: Self.frame.y + y, inX: x, inY: y, frame: Self.frame, layout: Self.layout,
            area: Self.area, at: time * Self.ms)
    }

    @Test mutating func buttonIsPressedIfReleasedInsideIt() {
        let close = Self.layout.rect(of: .close)
        let began = press(close.x + 2, close.y + 2, at: 0)
        #expect(began.isEmpty && gesture.isActive)
        let done = release(close.x + 5, close.y + 5, at: 50)
        #expect(done == [.press(.close)] && !gesture.isActive)
        _ = press(close.x + 2, close.y + 2, at: 100)
        let moved = move(240, 100, at: 110), elsewhere = release(240, 100, at: 120)
        #expect(moved.isEmpty && elsewhere.isEmpty)
    }

    @Test mutating func windowFollowsDragAndStaysAfterRelease() {
        _ = press(100, 100, at: 0)
        let jitter = move(102, 101, at: 10), moved = move(0, 50, at: 20)
        #expect(jitter.isEmpty)
        #expect(moved == [.setFrame(PixelRect(x: 1316, y: 736, width: 480, height: 270))])
        // The pointer rests before the button is released, so the drag is not a fling.
        _ = move(0, 50, at: 400)
        let placed = release(0, 50, at: 600)
        #expect(placed == [.savePlacement])
    }

    @Test mutating func flingMovesWindowToCorner() {
        _ = press(100, 100, at: 0)
        for step in 1...8 { _ = move(100 - step * 40, 100, at: Int64(step) * 10) }
        let thrown = release(-240, 100, at: 85)
        #expect(thrown == [.moveToCorner(.bottomLeft)])
    }

    @Test mutating func draggingAnEdgeResizesWindow() {
        _ = press(1, 135, at: 0)
        let resized = move(-95, 135, at: 20)
        #expect(resized == [.setFrame(PixelRect(x: 1320, y: 732, width: 576, height: 324))])
        let done = release(-95, 135, at: 30)
        #expect(done == [.savePlacement])
    }

    @Test mutating func doubleClickSelectsNextSizeAndThirdClickDoesNot() {
        func click(_ time: Int64, _ me: inout Self) -> [PointerGesture.Action] {
            _ = me.press(100, 100, at: time)
            return me.release(100, 100, at: time + 50)
        }
        let first = click(0, &self), second = click(200, &self), third = click(400, &self), late = click(2000, &self)
        #expect(first.isEmpty && second == [.nextSize] && third.isEmpty && late.isEmpty)
    }

    @Test mutating func draggingProgressBarSeeks() {
        let line = Self.layout.rect(of: .progress), y = line.y + 1
        let began = press(line.x + line.width / 2, y, at: 0)
        guard case .slide(.progress, let part)? = began.first else {
            Issue.record("no seek")
            return
        }
        #expect(abs(part - 0.5) < 0.01)
        let beyond = move(10_000, -500, at: 20), end = release(10_000, -500, at: 30)
        #expect(beyond == [.slide(.progress, 1)] && end.isEmpty)
    }

    @Test mutating func cancelledGestureEnds() {
        _ = press(100, 100, at: 0)
        gesture.cancel()
        let moved = move(0, 0, at: 10), done = release(0, 0, at: 20)
        #expect(moved.isEmpty && done.isEmpty && !gesture.isActive)
    }
}
