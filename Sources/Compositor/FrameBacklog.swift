import CompositorProtocol

/// Frames that came while the ones before them were late: each is seen for a moment, since a frame that is seen for a
/// moment is not lost. A pure value: frames and host times go in, what is to be shown or given back comes out.
struct FrameBacklog {
    struct Late: Equatable {
        var entry: FrameEntry
        /// The program shows it at its layer, too.
        var isAtLayer = false
    }

    /// The oldest first.
    private var frames: [Late] = []
    /// The next one is not due before, so that the one on screen is seen.
    private var glanceEnds: Int64 = 0

    /// Nanoseconds for which a late frame is seen at least where one waits behind it, and where more do: half of a
    /// refresh, and less while there is much to catch up with.
    private static let glance: Int64 = 8_000_000, shortGlance: Int64 = 4_000_000
    /// How many wait for their turn: of more the oldest are lost.
    static let limit = 6

    var isEmpty: Bool { frames.isEmpty }

    /// When the next frame is due; nil where none waits.
    var heldUntil: Int64? { frames.isEmpty ? nil : glanceEnds }

    /// - Returns: those that are too many.
    mutating func add(_ new: [Late]) -> [FrameEntry] {
        frames += new
        return removeFirst(frames.count - Self.limit)
    }

    mutating func removeAll(in slot: UInt32) -> [FrameEntry] {
        defer { frames.removeAll { $0.entry.slot == slot } }
        return frames.filter { $0.entry.slot == slot }.map(\.entry)
    }

    mutating func removeAll() -> [FrameEntry] { removeFirst(frames.count) }

    /// Those that the layer has shown in full view, but for the newest: to show one of them over it would be a step
    /// back.
    mutating func passOverSeen() -> [FrameEntry] {
        removeFirst(frames.dropLast().prefix { $0.isAtLayer }.count)
    }

    /// The next frame, where it is due.
    mutating func next(now: Int64) -> FrameEntry? {
        guard now >= glanceEnds, let next = frames.first else { return nil }
        glanceEnds = 0
        frames.removeFirst()
        return next.entry
    }

    /// The one that ``next(now:)`` gave is on screen.
    mutating func shown(at now: Int64) {
        if !frames.isEmpty { glanceEnds = now + (frames.count > 1 ? Self.shortGlance : Self.glance) }
    }

    private mutating func removeFirst(_ count: Int) -> [FrameEntry] {
        let removed = frames.prefix(max(count, 0)).map(\.entry)
        frames.removeFirst(removed.count)
        return removed
    }
}
