import SharedFrames

/// The animation of a window from one rectangle to another. A pure value; times are host nanoseconds.
package struct WindowAnimation: Equatable, Sendable {
    /// The window's rectangle at the start of the animation.
    package let from: PixelRect
    /// The window's rectangle at the end of the animation.
    package let to: PixelRect
    /// The host time at which the animation starts.
    package let startTime: Int64
    /// The duration of the animation in nanoseconds, at least 1.
    package let duration: Int64

    /// The default duration of an animation in nanoseconds.
    package static let defaultDuration: Int64 = 250_000_000

    /// Creates an animation that starts at the host time `startTime`.
    package init(from: PixelRect, to: PixelRect, startTime: Int64, duration: Int64 = WindowAnimation.defaultDuration) {
        (self.from, self.to, self.startTime, self.duration) = (from, to, startTime, max(duration, 1))
    }

    /// Returns whether the animation has ended at a host time.
    package func isFinished(at now: Int64) -> Bool { now - startTime >= duration }

    /// Returns the window's rectangle at a host time. The movement decelerates (cubic ease-out).
    package func frame(at now: Int64) -> PixelRect {
        guard !isFinished(at: now) else { return to }
        let elapsedFraction = max(0, Double(now - startTime) / Double(duration)), left = 1 - elapsedFraction
        let done = 1 - left * left * left
        func between(_ a: Int, _ b: Int) -> Int { a + Int((Double(b - a) * done).rounded()) }
        return PixelRect(
            x: between(from.x, to.x), y: between(from.y, to.y), width: max(2, between(from.width, to.width)),
            height: max(2, between(from.height, to.height)))
    }
}
