import CompositorProtocol

/// The queue of frames that arrived while the frames before them were late.
///
/// Each queued frame is shown for a moment, so that it does not count as dropped. A pure value; times are host
/// nanoseconds.
struct FrameBacklog {
    /// A queued frame.
    struct Late: Equatable {
        var entry: FrameEntry
        /// Whether the program also shows the frame in its own layer.
        var isAtLayer = false
    }

    /// The queued frames, oldest first.
    private var frames: [Late] = []
    /// The host time at which the next frame is due, so that the frame on screen stays visible until then.
    private var glanceEnds: Int64 = 0

    /// The shortest time for which a late frame is shown, in nanoseconds: half a refresh at 60 Hz if one frame waits,
    /// and half of that if more wait.
    private static let glance: Int64 = 8_000_000, shortGlance: Int64 = 4_000_000
    /// The capacity of the queue. If more frames arrive, the oldest are dropped.
    static let limit = 6

    var isEmpty: Bool { frames.isEmpty }

    /// The host time at which the next frame is due; `nil` if the queue is empty.
    var heldUntil: Int64? { frames.isEmpty ? nil : glanceEnds }

    /// Adds frames to the end of the queue.
    ///
    /// - Returns: The oldest frames, which exceed the capacity and are dropped.
    mutating func add(_ new: [Late]) -> [FrameEntry] {
        frames += new
        return removeFirst(frames.count - Self.limit)
    }

    /// Removes and returns all frames in a buffer slot.
    mutating func removeAll(in slot: UInt32) -> [FrameEntry] {
        defer { frames.removeAll { $0.entry.slot == slot } }
        return frames.filter { $0.entry.slot == slot }.map(\.entry)
    }

    mutating func removeAll() -> [FrameEntry] { removeFirst(frames.count) }

    /// Removes and returns the leading frames that the program's visible layer has already shown, except for the newest
    /// frame. Showing them again over the layer would be a step back in time.
    mutating func passOverSeen() -> [FrameEntry] {
        removeFirst(frames.dropLast().prefix { $0.isAtLayer }.count)
    }

    /// Removes and returns the next frame if it is due.
    mutating func next(now: Int64) -> FrameEntry? {
        guard now >= glanceEnds, let next = frames.first else { return nil }
        glanceEnds = 0
        frames.removeFirst()
        return next.entry
    }

    /// Notes that the frame from ``next(now:)`` is on screen.
    mutating func shown(at now: Int64) {
        if !frames.isEmpty { glanceEnds = now + (frames.count > 1 ? Self.shortGlance : Self.glance) }
    }

    private mutating func removeFirst(_ count: Int) -> [FrameEntry] {
        let removed = frames.prefix(max(count, 0)).map(\.entry)
        frames.removeFirst(removed.count)
        return removed
    }
}
