import SharedFrames

/// The animation of a window from one rectangle to another. A pure value; times are host times in nanoseconds.
package struct WindowAnimation: Equatable, Sendable {
    /// The window's rectangle at the start of the animation.
    package let startFrame: PixelRect
    /// The window's rectangle at the end of the animation.
    package let endFrame: PixelRect
    /// The host time at which the animation starts.
    package let startTime: Int64
    /// The duration of the animation in nanoseconds, at least 1.
    package let duration: Int64

    /// The default duration of an animation in nanoseconds.
    package static let defaultDuration: Int64 = 250_000_000

    /// Creates an animation that starts at the host time `startTime`.
    package init(from: PixelRect, to: PixelRect, startTime: Int64, duration: Int64 = WindowAnimation.defaultDuration) {
        (startFrame, endFrame, self.startTime, self.duration) = (from, to, startTime, max(duration, 1))
    }

    /// Returns whether the animation has ended at a host time.
    package func isFinished(at now: Int64) -> Bool { now - startTime >= duration }

    /// Returns the window's rectangle at a host time. The movement decelerates (cubic ease-out).
    package func frame(at now: Int64) -> PixelRect {
        guard !isFinished(at: now) else { return endFrame }
        let elapsedFraction = max(0, Double(now - startTime) / Double(duration))
        let remainingFraction = 1 - elapsedFraction
        let progress = 1 - remainingFraction * remainingFraction * remainingFraction
        func interpolate(_ a: Int, _ b: Int) -> Int { a + Int((Double(b - a) * progress).rounded()) }
        return PixelRect(
            x: interpolate(startFrame.x, endFrame.x), y: interpolate(startFrame.y, endFrame.y),
            width: max(2, interpolate(startFrame.width, endFrame.width)),
            height: max(2, interpolate(startFrame.height, endFrame.height)))
    }
}
