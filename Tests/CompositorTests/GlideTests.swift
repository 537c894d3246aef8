import SharedFrames
import Testing

@testable import Compositor

@Suite struct GlideTests {
    private let from = PixelRect(x: 100, y: 50, width: 1280, height: 720),
        to = PixelRect(x: 1416, y: 786, width: 480, height: 270)

    @Test func animationStartsAndEndsAtGivenRectangles() {
        let glide = Glide(from: from, to: to, began: 1000, duration: 100)
        #expect(glide.frame(at: 1000) == from && glide.frame(at: 0) == from)
        #expect(glide.frame(at: 1100) == to && glide.frame(at: 99_999) == to)
        #expect(!glide.isOver(at: 1099) && glide.isOver(at: 1100))
    }

    @Test func animationDeceleratesWithoutReversing() {
        let glide = Glide(from: from, to: to, began: 0, duration: 1000)
        let frames = stride(from: Int64(0), through: 1000, by: 50).map { glide.frame(at: $0) }
        let steps = zip(frames, frames.dropFirst()).map { $1.x - $0.x }
        #expect(steps.allSatisfy { $0 >= 0 } && steps[0] > steps[18])
        #expect(zip(frames, frames.dropFirst()).allSatisfy { $0.width >= $1.width && $0.height >= $1.height })
    }

    @Test func animationWithoutDurationEndsAtOnce() {
        #expect(Glide(from: from, to: to, began: 5, duration: 0).frame(at: 6) == to)
    }
}
