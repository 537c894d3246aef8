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
    private static let millisecond: Int64 = 1_000_000

    private var gesture = PointerGesture()

    /// Presses the pointer's primary button at a point of the window, at `time` in milliseconds.
    private mutating func press(_ x: Int, _ y: Int, at time: Int64) -> [PointerGesture.Action] {
        gesture.press(
            x: Self.frame.x + x, y: Self.frame.y + y, inX: x, inY: y, frame: Self.frame, layout: Self.layout,
            at: time * Self.millisecond)
    }

    /// Moves the pointer to a point relative to the window's initial position, at `time` in milliseconds.
    private mutating func move(_ x: Int, _ y: Int, at time: Int64) -> [PointerGesture.Action] {
        gesture.move(
            x: Self.frame.x + x, y: Self.frame.y + y, inX: x, picture: Self.pictureSize, area: Self.area,
            layout: Self.layout, at: time * Self.millisecond)
    }

    /// Releases the pointer's primary button at a point of the window, at `time` in milliseconds.
    private mutating func release(_ x: Int, _ y: Int, at time: Int64) -> [PointerGesture.Action] {
        gesture.release(
            x: Self.frame.x + x, y: Self.frame.y + y, inX: x, inY: y, frame: Self.frame, layout: Self.layout,
            area: Self.area, at: time * Self.millisecond)
    }

    @Test mutating func buttonIsPressedIfReleasedInsideIt() {
        let close = Self.layout.rect(of: .close)
        let pressActions = press(close.x + 2, close.y + 2, at: 0)
        #expect(pressActions.isEmpty && gesture.isActive)
        let releaseActions = release(close.x + 5, close.y + 5, at: 50)
        #expect(releaseActions == [.press(.close)] && !gesture.isActive)
        _ = press(close.x + 2, close.y + 2, at: 100)
        let moveActions = move(240, 100, at: 110), releaseActionsElsewhere = release(240, 100, at: 120)
        #expect(moveActions.isEmpty && releaseActionsElsewhere.isEmpty)
    }

    @Test mutating func windowFollowsDragAndStaysAfterRelease() {
        _ = press(100, 100, at: 0)
        let jitterActions = move(102, 101, at: 10), moveActions = move(0, 50, at: 20)
        #expect(jitterActions.isEmpty)
        #expect(moveActions == [.setFrame(PixelRect(x: 1316, y: 736, width: 480, height: 270))])
        // The pointer rests before the button is released, so the drag is not a fling.
        _ = move(0, 50, at: 400)
        let releaseActions = release(0, 50, at: 600)
        #expect(releaseActions == [.savePlacement])
    }

    @Test mutating func flingMovesWindowToCorner() {
        _ = press(100, 100, at: 0)
        for step in 1...8 { _ = move(100 - step * 40, 100, at: Int64(step) * 10) }
        let releaseActions = release(-240, 100, at: 85)
        #expect(releaseActions == [.moveToCorner(.bottomLeft)])
    }

    @Test mutating func draggingAnEdgeResizesWindow() {
        _ = press(1, 135, at: 0)
        let moveActions = move(-95, 135, at: 20)
        #expect(moveActions == [.setFrame(PixelRect(x: 1320, y: 732, width: 576, height: 324))])
        let releaseActions = release(-95, 135, at: 30)
        #expect(releaseActions == [.savePlacement])
    }

    @Test mutating func doubleClickSelectsNextSizeAndThirdClickDoesNot() {
        func click(_ time: Int64, _ tests: inout Self) -> [PointerGesture.Action] {
            _ = tests.press(100, 100, at: time)
            return tests.release(100, 100, at: time + 50)
        }
        let firstActions = click(0, &self), secondActions = click(200, &self)
        let thirdActions = click(400, &self), lateActions = click(2000, &self)
        #expect(firstActions.isEmpty && secondActions == [.nextSize] && thirdActions.isEmpty && lateActions.isEmpty)
    }

    @Test mutating func draggingProgressBarSeeks() {
        let barRect = Self.layout.rect(of: .progress), y = barRect.y + 1
        let pressActions = press(barRect.x + barRect.width / 2, y, at: 0)
        guard case .slide(.progress, let fraction)? = pressActions.first else {
            Issue.record("no seek")
            return
        }
        #expect(abs(fraction - 0.5) < 0.01)
        let moveActions = move(10_000, -500, at: 20), releaseActions = release(10_000, -500, at: 30)
        #expect(moveActions == [.slide(.progress, 1)] && releaseActions.isEmpty)
    }

    @Test mutating func cancelledGestureEnds() {
        _ = press(100, 100, at: 0)
        gesture.cancel()
        let moveActions = move(0, 0, at: 10), releaseActions = release(0, 0, at: 20)
        #expect(moveActions.isEmpty && releaseActions.isEmpty && !gesture.isActive)
    }

    @Test("two clicks with more than 400 ms between them are no double click", arguments: [400, 401] as [Int64])
    mutating func slowClicksAreNoDoubleClick(milliseconds: Int64) {
        _ = press(100, 100, at: 0)
        let firstActions = release(100, 100, at: 10)
        _ = press(100, 100, at: milliseconds)
        let secondActions = release(100, 100, at: milliseconds + 10)
        #expect(firstActions.isEmpty && secondActions == (milliseconds == 400 ? [.nextSize] : []))
    }

    @Test("a press becomes a drag at a distance of four pixels, and stays one at the starting point")
    mutating func dragBeginsAtTheTolerance() {
        _ = press(100, 100, at: 0)
        let actionsWithinTolerance = move(103, 97, at: 10), actionsOfTheDrag = move(100, 104, at: 20)
        let actionsAtTheStart = move(100, 100, at: 30)
        #expect(actionsWithinTolerance.isEmpty && actionsAtTheStart == [.setFrame(Self.frame)])
        #expect(
            actionsOfTheDrag == [
                .setFrame(PixelRect(x: Self.frame.x, y: Self.frame.y + 4, width: 480, height: 270))
            ])
        let releaseActions = release(100, 100, at: 40)
        #expect(releaseActions == [.savePlacement], "the end of a drag is no click")
    }

    @Test("a drag of fewer than 600 pixels per second at its end is no fling", arguments: [5, 7])
    mutating func slowDragIsNoFling(pixels: Int) {
        _ = press(100, 100, at: 0)
        for step in 1...40 { _ = move(100 - step * pixels, 100, at: Int64(step) * 10) }
        let releaseActions = release(100 - 40 * pixels, 100, at: 400)
        let isFling = releaseActions.contains { if case .moveToCorner = $0 { true } else { false } }
        #expect(isFling == (pixels == 7) && releaseActions.count == 1)
    }

    @Test("a released slider keeps its last value, and a move without a press has no effect")
    mutating func slidersFollowOnlyAPressedPointer() {
        let rect = Self.layout.rect(of: .volume)
        let pressActions = press(rect.x + rect.width - 1, rect.y, at: 0)
        guard case .slide(.volume, let volume)? = pressActions.first else {
            Issue.record("the press did not grab the slider")
            return
        }
        #expect(volume > 0.95 && !gesture.holdsPicture && gesture.isActive)
        let releaseActions = release(rect.x, rect.y, at: 10), moveActions = move(rect.x, rect.y, at: 20)
        #expect(releaseActions.isEmpty && moveActions.isEmpty && !gesture.isActive)
    }
}
