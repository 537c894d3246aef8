import Glibc
import SharedFrames

/// The sign that a player waits for media: when it is seen, and how it turns. A pure value.
///
/// Times are host nanoseconds.
package struct BusyIndicator: Equatable, Sendable {
    /// One dot of the ring.
    package struct Dot: Sendable {
        package let x: Double
        package let y: Double
        package let radius: Double
        /// 0 to 1.
        package let opacity: Double
    }

    /// Shorter waits are not shown.
    package static let delay: Int64 = 300_000_000
    /// How long one position of the ring is seen.
    package static let stepInterval: Int64 = 100_000_000
    private static let dotCount = 10

    /// When the wait began, or the last frame was shown during it.
    private var start: Int64?

    package init() {}

    package var isWaiting: Bool { start != nil }

    package mutating func setWaiting(_ isWaiting: Bool, at now: Int64) { start = isWaiting ? start ?? now : nil }

    /// Restarts the delay: while new frames are shown, as during a quick series of seeks, the sign would only disturb.
    package mutating func noteFrame(at now: Int64) { if start != nil { start = now } }

    /// The ring's position; nil while the sign is not seen.
    package func step(at now: Int64) -> Int? {
        guard let start, now >= start + Self.delay else { return nil }
        return Int((now - start - Self.delay) / Self.stepInterval) % Self.dotCount
    }

    /// When ``step(at:)`` changes next; nil while nothing is waited for.
    package func nextChange(after now: Int64) -> Int64? {
        guard let start else { return nil }
        let first = start + Self.delay
        return now < first ? first : first + ((now - first) / Self.stepInterval + 1) * Self.stepInterval
    }

    /// The ring's radius in a window of a size; 0: the window has no room for it.
    package static func radius(in size: PixelSize) -> Double {
        let edge = min(size.width, size.height)
        return edge < 48 ? 0 : Double(min(48, max(12, edge / 10)))
    }

    /// The dots of the ring around a centre.
    package static func dots(step: Int, x: Double, y: Double, radius: Double) -> [Dot] {
        (0..<dotCount).map { index in
            let angle = 2 * Double.pi * Double(index) / Double(dotCount)
            let age = (step - index + dotCount) % dotCount
            return Dot(
                x: x + radius * cos(angle), y: y + radius * sin(angle), radius: radius / 6,
                opacity: 1 - 0.85 * Double(age) / Double(dotCount - 1))
        }
    }
}
