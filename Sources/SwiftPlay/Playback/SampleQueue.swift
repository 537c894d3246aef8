import SharedFrames

/// The scheduled frames of a ``SampleBufferDisplayLayer``, and the layer's status: a pure value.
struct SampleQueue {
    /// The next action of the layer's thread.
    enum Turn {
        case nothing
        /// Prepare a frame. `until` is the host time at which it is shown; nil while the clock is stopped.
        case wait(VideoFrame, until: Int64?)
        case show(VideoFrame)
    }

    private struct Waiting {
        let frame: VideoFrame
        /// The time on the layer's clock, nanoseconds; nil for immediately.
        let time: Int64?
    }

    private var waiting: [Waiting] = []
    private(set) var status = SampleBufferDisplayLayer.Status.unknown
    private(set) var error: PlaybackError?
    /// A frame was shown since the image was last removed.
    private(set) var isReady = false
    private var removesImage = false

    var count: Int { waiting.count }
    /// Whether the queue has space for scheduled frames.
    var wantsMore: Bool { status != .failed && waiting.count < SampleBufferDisplayLayer.mostWaiting / 2 }

    /// Adds a frame. A layer that has failed accepts no frames; a layer whose queue is full fails.
    ///
    /// - Returns: Whether the frame was accepted, and whether the layer has just failed.
    mutating func enqueue(_ frame: VideoFrame, immediately: Bool) -> (isTaken: Bool, hasFailed: Bool) {
        guard status != .failed else { return (false, false) }
        let limit = SampleBufferDisplayLayer.mostWaiting
        guard waiting.count < limit else {
            waiting = []
            status = .failed
            error = PlaybackError(.resources, "more than \(limit) frames are waiting to be shown")
            return (false, true)
        }
        waiting.append(Waiting(frame: frame, time: immediately ? nil : frame.presentationTime))
        return (true, false)
    }

    /// Removes the waiting frames and clears the error.
    mutating func flush(removesImage: Bool) {
        waiting = []
        if status == .failed { status = .unknown }
        error = nil
        if removesImage { (self.removesImage, isReady) = (true, false) }
    }

    /// Returns whether to remove the visible image, once per such flush.
    mutating func takeRemoval() -> Bool {
        defer { removesImage = false }
        return removesImage
    }

    /// Removes the frame that is due from the queue, together with earlier frames.
    ///
    /// - Parameters:
    ///   - now: Host time.
    ///   - clock: The layer's clock; nil for the host clock.
    mutating func next(now: Int64, clock: PlaybackClock?) -> Turn {
        guard let first = waiting.first else { return .nothing }
        let lead = FramePacing.lead, time = clock?.time(at: now + lead) ?? now + lead
        guard let due = waiting.lastIndex(where: { $0.time.map { $0 <= time } ?? true }) else {
            let at = first.time ?? 0
            let host = clock.map { $0.hostTime(of: at) } ?? at
            return .wait(first.frame, until: host.map { $0 - lead })
        }
        let frame = waiting[due].frame
        waiting.removeSubrange(...due)
        return .show(frame)
    }

    /// Records that a frame was passed to the display.
    ///
    /// - Returns: Whether the layer's status or readiness has changed.
    mutating func shown() -> Bool {
        guard !isReady || status == .unknown, !removesImage else { return false }
        isReady = true
        if status == .unknown { status = .rendering }
        return true
    }
}
