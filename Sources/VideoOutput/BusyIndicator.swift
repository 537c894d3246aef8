import Glibc
import SharedFrames

/// The state and the animation of a ring of dots that shows that the player waits for media.
///
/// All times are host times in nanoseconds.
package struct BusyIndicator: Equatable, Sendable {
    /// A dot of the ring.
    package struct Dot: Sendable {
        /// The horizontal position of the centre, in pixels.
        package let x: Double
        /// The vertical position of the centre, in pixels.
        package let y: Double
        /// The radius in pixels.
        package let radius: Double
        /// The opacity from 0 to 1.
        package let opacity: Double
    }

    /// The minimum duration of a wait before the indicator appears, in nanoseconds.
    package static let delay: Int64 = 300_000_000
    /// The time between two rotation steps of the ring, in nanoseconds.
    package static let stepInterval: Int64 = 100_000_000
    /// The number of dots, which is also the number of rotation steps.
    private static let dotCount = 10

    /// The host time at which the wait for media began, or at which a frame was last shown during the wait; nil without
    /// a wait.
    private var waitStart: Int64?

    /// Creates a hidden indicator.
    package init() {}

    /// Whether the player waits for media; the indicator appears only after ``delay``.
    package var isWaiting: Bool { waitStart != nil }

    /// Records whether the player waits for media.
    package mutating func setWaiting(_ isWaiting: Bool, at now: Int64) {
        waitStart = isWaiting ? waitStart ?? now : nil
    }

    /// Restarts the delay, because a frame appeared while the player waits. The indicator would distract while new
    /// frames appear, for example during a quick series of seeks.
    package mutating func didShowFrame(at now: Int64) { if waitStart != nil { waitStart = now } }

    /// Returns the rotation of the ring in steps; nil while the indicator is hidden.
    package func step(at now: Int64) -> Int? {
        guard let waitStart, now >= waitStart + Self.delay else { return nil }
        return Int((now - waitStart - Self.delay) / Self.stepInterval) % Self.dotCount
    }

    /// Returns the time at which ``step(at:)`` changes next; nil if the player does not wait.
    package func nextChange(after now: Int64) -> Int64? {
        guard let waitStart else { return nil }
        let firstStepTime = waitStart + Self.delay
        guard now >= firstStepTime else { return firstStepTime }
        return firstStepTime + ((now - firstStepTime) / Self.stepInterval + 1) * Self.stepInterval
    }

    /// Returns the ring's radius in a window of a size; 0 if the window is too small.
    package static func radius(in size: PixelSize) -> Double {
        let shorterSide = min(size.width, size.height)
        return shorterSide < 48 ? 0 : Double(min(48, max(12, shorterSide / 10)))
    }

    /// Returns the dots of a ring around a centre after `step` rotation steps; the dot at `step` is the brightest.
    package static func dots(step: Int, x: Double, y: Double, radius: Double) -> [Dot] {
        (0..<dotCount).map { index in
            let angle = 2 * Double.pi * Double(index) / Double(dotCount)
            let stepsAgo = (step - index + dotCount) % dotCount
            return Dot(
                x: x + radius * cos(angle), y: y + radius * sin(angle), radius: radius / 6,
                opacity: 1 - 0.85 * Double(stepsAgo) / Double(dotCount - 1))
        }
    }
}
