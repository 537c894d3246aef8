import Glibc

/// The scrolling motion of the view over the wall: the view follows a target smoothly, or moves at a constant speed.
/// Lengths are in pixels, times in seconds.
struct ScrollMotion {
    /// The time in which the distance to the target shrinks to 37 %.
    static let timeConstant = 0.06
    /// The distance to the target below which the motion ends.
    private static let arrivalDistance = 0.5

    /// The current scroll offset of the view.
    private(set) var offset = 0.0
    /// The scroll offset to which the view moves.
    private(set) var target = 0.0
    /// The constant speed in pixels per second; zero if the view follows ``target``.
    private(set) var speed = 0.0
    /// The largest scroll offset.
    private(set) var limit = 0.0

    /// Whether the view does not move.
    var isAtRest: Bool { speed == 0 && offset == target }
    /// Whether the view moves towards the first poster.
    var isMovingUp: Bool { speed < 0 || (speed == 0 && target < offset) }

    /// Sets the largest scroll offset, and moves the view within this limit.
    mutating func setLimit(_ limit: Double) {
        self.limit = max(0, limit)
        offset = clamp(offset)
        target = clamp(target)
    }

    /// Moves the target by a distance.
    mutating func scroll(by distance: Double) { scroll(to: (speed == 0 ? target : offset) + distance) }

    /// Sets the target, and ends a motion at constant speed.
    mutating func scroll(to target: Double) {
        speed = 0
        self.target = clamp(target)
    }

    /// Moves the view to an offset at once, without a smooth motion.
    mutating func jump(to offset: Double) {
        scroll(to: offset)
        self.offset = target
    }

    /// Starts a motion at a constant speed (pixels a second), which ends at an edge of the wall.
    mutating func run(at speed: Double) { self.speed = speed }

    /// Moves the view by the motion of the next `seconds`.
    mutating func advance(by seconds: Double) {
        guard seconds > 0 else { return }
        if speed != 0 {
            offset = clamp(offset + speed * seconds)
            target = offset
            if (speed > 0 && offset >= limit) || (speed < 0 && offset <= 0) { speed = 0 }
        } else {
            offset = target + (offset - target) * exp(-seconds / Self.timeConstant)
            if abs(target - offset) < Self.arrivalDistance { offset = target }
        }
    }

    private func clamp(_ value: Double) -> Double { min(max(0, value), limit) }
}
