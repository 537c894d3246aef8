import CompositorProtocol

/// The queue of frames that arrived while the frames before them were late.
///
/// Each queued frame is shown for a moment instead of being dropped. A pure value; times are host times in nanoseconds.
struct LateFrameQueue {
    /// A frame that waits to be shown.
    struct LateFrame: Equatable {
        /// The frame's entry in the ring.
        var entry: FrameEntry
        /// Whether the program also shows the frame in its own layer, because the return animation is running.
        var isShownInLayer = false
    }

    /// The queued frames, oldest first.
    private var frames: [LateFrame] = []
    /// The host time at which the next queued frame is shown. The frame on screen stays visible until then.
    private var nextFrameTime: Int64 = 0

    /// The shortest time for which a late frame is shown, in nanoseconds: half a refresh period at 60 Hz if one frame
    /// waits, and a quarter of the period if more frames wait.
    private static let minimumDisplayDuration: Int64 = 8_000_000, minimumDisplayDurationWhenQueued: Int64 = 4_000_000
    /// The largest number of queued frames. If more arrive, the oldest are dropped.
    static let capacity = 6

    var isEmpty: Bool { frames.isEmpty }

    /// The host time at which the next queued frame is shown; `nil` if the queue is empty.
    var nextDueTime: Int64? { frames.isEmpty ? nil : nextFrameTime }

    /// Adds frames to the end of the queue.
    ///
    /// - Returns: The frames that were dropped because the queue was full, oldest first.
    mutating func add(_ newFrames: [LateFrame]) -> [FrameEntry] {
        frames += newFrames
        return removeFirst(frames.count - Self.capacity)
    }

    /// Removes and returns all queued frames whose pixels are in the frame buffer `slot`.
    mutating func removeAll(in slot: UInt32) -> [FrameEntry] {
        defer { frames.removeAll { $0.entry.slot == slot } }
        return frames.filter { $0.entry.slot == slot }.map(\.entry)
    }

    /// Removes and returns all queued frames.
    mutating func removeAll() -> [FrameEntry] { removeFirst(frames.count) }

    /// Removes and returns the leading frames that the program's visible layer has already shown, except for the newest
    /// frame. Showing them again over the layer would be a step back in time.
    mutating func removeFramesShownInLayer() -> [FrameEntry] {
        removeFirst(frames.dropLast().prefix { $0.isShownInLayer }.count)
    }

    /// Removes and returns the next frame if it is due.
    mutating func takeNextFrame(now: Int64) -> FrameEntry? {
        guard now >= nextFrameTime, let nextFrame = frames.first else { return nil }
        nextFrameTime = 0
        frames.removeFirst()
        return nextFrame.entry
    }

    /// Records that the frame from ``takeNextFrame(now:)`` is on screen, and sets the time of the next frame.
    mutating func markShown(at now: Int64) {
        guard !frames.isEmpty else { return }
        nextFrameTime =
            now + (frames.count > 1 ? Self.minimumDisplayDurationWhenQueued : Self.minimumDisplayDuration)
    }

    /// Removes and returns the `count` oldest frames.
    private mutating func removeFirst(_ count: Int) -> [FrameEntry] {
        let removedEntries = frames.prefix(max(count, 0)).map(\.entry)
        frames.removeFirst(removedEntries.count)
        return removedEntries
    }
}
