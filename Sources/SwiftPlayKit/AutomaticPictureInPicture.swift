/// Decides when Picture-in-Picture starts and stops automatically: a value type that receives the current state and
/// returns the action to perform.
///
/// Picture-in-Picture starts when the player's layer is not visible (its window is minimized, covered or on another
/// workspace) for 0.2 s while video plays. When the layer is visible again, a Picture-in-Picture that started
/// automatically stops; a Picture-in-Picture that the user started continues.
struct AutomaticPictureInPicture: Equatable, Sendable {
    /// The state on which the rules depend.
    struct Conditions: Equatable, Sendable {
        /// Whether the player's layer is visible on the screen.
        var isLayerVisible = true
        /// Whether the player plays or buffers, and no other Picture-in-Picture controller of this program takes
        /// precedence.
        var isPlaying = false
        /// Whether Picture-in-Picture is possible now.
        var isStartPossible = false
        /// Whether the program, the user's settings and the layer permit an automatic start.
        var isStartAllowed = false
        /// Whether Picture-in-Picture is active, or its floating window is still returning to the layer.
        var isPictureInPictureActive = false
    }

    /// The controller's next Picture-in-Picture action.
    enum Action: Equatable, Sendable { case start, stop }

    /// The time for which the player's layer must be invisible before Picture-in-Picture starts, in nanoseconds. Window
    /// managers unmap windows for a moment when they reparent them, and windows often pass over one another.
    static let startDelay: Int64 = 200_000_000

    /// The conditions that the last call of ``update(_:now:)`` received.
    private var conditions = Conditions()
    /// The host time of the pending automatic start, in nanoseconds; nil if no start is pending.
    private(set) var deadline: Int64?
    /// Whether the current Picture-in-Picture started automatically.
    private(set) var startedAutomatically = false

    /// Applies the rules to new conditions at the host time `now`. Returns `.start` or `.stop` if Picture-in-Picture
    /// must start or stop; nil otherwise.
    mutating func update(_ newConditions: Conditions, now: Int64) -> Action? {
        let oldConditions = conditions
        conditions = newConditions
        if oldConditions.isPictureInPictureActive, !newConditions.isPictureInPictureActive {
            startedAutomatically = false
        }
        if newConditions.isLayerVisible {
            deadline = nil
            guard startedAutomatically, !oldConditions.isLayerVisible else { return nil }
            startedAutomatically = false
            return .stop
        }
        let mayStart =
            newConditions.isPlaying && newConditions.isStartAllowed && !newConditions.isPictureInPictureActive
        if oldConditions.isLayerVisible, mayStart { deadline = now + Self.startDelay }
        if !mayStart { deadline = nil }
        return tick(now: now)
    }

    /// Returns `.start` if the delay of a pending automatic start has passed at the host time `now`; otherwise nil.
    mutating func tick(now: Int64) -> Action? {
        // If Picture-in-Picture is not possible yet, the automatic start stays pending.
        guard let deadline, now >= deadline, conditions.isStartPossible else { return nil }
        self.deadline = nil
        startedAutomatically = true
        return .start
    }
}
