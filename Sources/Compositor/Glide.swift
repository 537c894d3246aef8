import SharedFrames

/// The animation of a window from one rectangle to another. A pure value; times are host nanoseconds.
package struct Glide: Equatable, Sendable {
    /// The rectangle at the start.
    package let from: PixelRect
    /// The rectangle at the end.
    package let to: PixelRect
    /// The host time of the start.
    package let began: Int64
    /// The duration in nanoseconds, at least 1.
    package let duration: Int64

    /// The default duration in nanoseconds.
    package static let usual: Int64 = 250_000_000

    /// Creates an animation that starts at the host time `began`.
    package init(from: PixelRect, to: PixelRect, began: Int64, duration: Int64 = Glide.usual) {
        (self.from, self.to, self.began, self.duration) = (from, to, began, max(duration, 1))
    }

    /// Returns whether the animation has ended.
    package func isOver(at now: Int64) -> Bool { now - began >= duration }

    /// Returns the rectangle at a host time. The movement decelerates (cubic ease-out).
    package func frame(at now: Int64) -> PixelRect {
        guard !isOver(at: now) else { return to }
        let part = max(0, Double(now - began) / Double(duration)), left = 1 - part
        let done = 1 - left * left * left
        func between(_ a: Int, _ b: Int) -> Int { a + Int((Double(b - a) * done).rounded()) }
        return PixelRect(
            x: between(from.x, to.x), y: between(from.y, to.y), width: max(2, between(from.width, to.width)),
            height: max(2, between(from.height, to.height)))
    }
}
