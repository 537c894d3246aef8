import SharedFrames
import Testing

@testable import Compositor

@Suite struct WindowAnimationTests {
    /// The window's rectangles at the start and at the end of the animation.
    private let startRect = PixelRect(x: 100, y: 50, width: 1280, height: 720),
        endRect = PixelRect(x: 1416, y: 786, width: 480, height: 270)

    @Test func animationStartsAndEndsAtGivenRectangles() {
        let animation = WindowAnimation(from: startRect, to: endRect, startTime: 1000, duration: 100)
        #expect(animation.frame(at: 1000) == startRect && animation.frame(at: 0) == startRect)
        #expect(animation.frame(at: 1100) == endRect && animation.frame(at: 99_999) == endRect)
        #expect(!animation.isFinished(at: 1099) && animation.isFinished(at: 1100))
    }

    @Test func animationDeceleratesWithoutReversing() {
        let animation = WindowAnimation(from: startRect, to: endRect, startTime: 0, duration: 1000)
        let frames = stride(from: Int64(0), through: 1000, by: 50).map { animation.frame(at: $0) }
        let steps = zip(frames, frames.dropFirst()).map { $1.x - $0.x }
        #expect(steps.allSatisfy { $0 >= 0 } && steps[0] > steps[18])
        #expect(zip(frames, frames.dropFirst()).allSatisfy { $0.width >= $1.width && $0.height >= $1.height })
    }

    @Test func animationWithoutDurationEndsAtOnce() {
        #expect(WindowAnimation(from: startRect, to: endRect, startTime: 5, duration: 0).frame(at: 6) == endRect)
    }
}
