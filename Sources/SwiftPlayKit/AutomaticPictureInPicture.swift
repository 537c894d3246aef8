/// When Picture-in-Picture starts and ends by itself: a pure value, told what is the case, saying what to do.
///
/// The decision falls when the picture goes out of sight (a window minimised, covered, left on another workspace): what
/// plays then, and still does a moment later, floats. What began by itself ends by itself when the picture's place is
/// seen again; what the user began stays.
struct AutomaticPictureInPicture: Equatable, Sendable {
    struct Facts: Equatable, Sendable {
        /// The layer's place can be seen.
        var isVisible = true
        var isPlaying = false
        /// A start would not fail at once.
        var isPossible = false
        /// By the program, the user, and the kind of place that the layer is.
        var isAllowed = false
        var isActive = false
    }

    enum Action: Equatable, Sendable { case start, stop }

    /// Nanoseconds that a picture has to be out of sight: window managers take windows off the screen for a moment when
    /// they move them to another frame, and one window often slides over another.
    static let patience: Int64 = 200_000_000

    private var facts = Facts()
    /// When the start is due; nil where there is none.
    private(set) var deadline: Int64?
    /// The one that is active, or about to be, began by itself.
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
        // While it is not possible yet it may become so.
        guard let deadline, now >= deadline, facts.isPossible else { return nil }
        self.deadline = nil
        isOurs = true
        return .start
    }
}
