/// The rules of automatic Picture-in-Picture: a pure value that receives the current state and returns what to do.
///
/// When the layer goes out of sight (its window is minimized, covered or on another workspace) while video plays, and
/// video still plays a moment later, Picture-in-Picture starts. If it started automatically, it ends when the layer is
/// visible again; Picture-in-Picture that the user started stays.
struct AutomaticPictureInPicture: Equatable, Sendable {
    struct Facts: Equatable, Sendable {
        /// Whether the layer is visible.
        var isVisible = true
        var isPlaying = false
        /// Whether a start would not fail at once.
        var isPossible = false
        /// Whether the program, the user and the layer permit an automatic start.
        var isAllowed = false
        var isActive = false
    }

    enum Action: Equatable, Sendable { case start, stop }

    /// How long a layer must be invisible before a start, in nanoseconds. Window managers unmap windows for a moment
    /// when they reparent them, and windows often pass over one another.
    static let patience: Int64 = 200_000_000

    private var facts = Facts()
    /// The host time of the pending start; nil if none is pending.
    private(set) var deadline: Int64?
    /// Whether the current Picture-in-Picture started automatically.
    private(set) var isOurs = false

    mutating func update(_ new: Facts, now: Int64) -> Action? {
        let old = facts
        facts = new
        if old.isActive, !new.isActive { isOurs = false }
        if new.isVisible {
            deadline = nil
            guard isOurs, !old.isVisible else { return nil }
            isOurs = false
            return .stop
        }
        if old.isVisible, new.isPlaying, new.isAllowed, !new.isActive { deadline = now + Self.patience }
        if !new.isPlaying || !new.isAllowed || new.isActive { deadline = nil }
        return tick(now: now)
    }

    mutating func tick(now: Int64) -> Action? {
        // A start that is not possible yet stays pending.
        guard let deadline, now >= deadline, facts.isPossible else { return nil }
        self.deadline = nil
        isOurs = true
        return .start
    }
}
