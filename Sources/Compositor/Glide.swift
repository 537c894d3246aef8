import SharedFrames

/// A window on its way from one place to another: a pure value, asked where it is now.
package struct Glide: Equatable, Sendable {
    package let from: PixelRect
    package let to: PixelRect
    /// Host nanoseconds.
    package let began: Int64
    package let duration: Int64

    /// Nanoseconds that a window takes over the whole of a screen.
    package static let usual: Int64 = 250_000_000

    package init(from: PixelRect, to: PixelRect, began: Int64, duration: Int64 = Glide.usual) {
        (self.from, self.to, self.began, self.duration) = (from, to, began, max(duration, 1))
    }

    package func isOver(at now: Int64) -> Bool { now - began >= duration }

    /// Fast at first and slow at the end.
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
