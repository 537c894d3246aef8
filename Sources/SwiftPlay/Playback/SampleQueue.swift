import SharedFrames

/// The scheduled frames of a ``SampleBufferDisplayLayer``, and the layer's status: a pure value.
struct SampleQueue {
    /// The next action of the layer's thread.
    enum Action {
        /// There is nothing to do, because no frame waits.
        case nothing
        /// Prepare a frame. `until` is the host time at which it is shown; nil while the clock is stopped.
        case wait(VideoFrame, until: Int64?)
        /// Show a frame now.
        case show(VideoFrame)
    }

    /// A frame that waits for its time.
    private struct WaitingFrame {
        let frame: VideoFrame
        /// The time on the layer's clock, in nanoseconds; nil for immediately.
        let time: Int64?
    }

    /// The waiting frames, in the order in which they were added.
    private var waitingFrames: [WaitingFrame] = []
    /// Whether the layer shows frames or has failed.
    private(set) var status = SampleBufferDisplayLayer.Status.unknown
    /// The reason of the failure; nil unless the layer has failed.
    private(set) var error: PlaybackError?
    /// Whether a frame was shown since the image was last removed.
    private(set) var isReady = false
    /// Whether the layer's thread has to remove the visible image.
    private var removesImage = false

    /// The number of waiting frames.
    var count: Int { waitingFrames.count }
    /// Whether the queue is less than half full, so that the program should add frames.
    var needsMoreFrames: Bool {
        status != .failed && waitingFrames.count < SampleBufferDisplayLayer.maximumPendingPictures / 2
    }

    /// Adds a frame. A layer that has failed accepts no frames; a layer whose queue is full fails.
    ///
    /// - Returns: Whether the frame was accepted, and whether the layer has just failed.
    mutating func enqueue(_ frame: VideoFrame, immediately: Bool) -> (isAccepted: Bool, hasFailed: Bool) {
        guard status != .failed else { return (false, false) }
        let limit = SampleBufferDisplayLayer.maximumPendingPictures
        guard waitingFrames.count < limit else {
            waitingFrames = []
            status = .failed
            error = PlaybackError(.resources, "more than \(limit) frames are waiting to be shown")
            return (false, true)
        }
        waitingFrames.append(WaitingFrame(frame: frame, time: immediately ? nil : frame.presentationTime))
        return (true, false)
    }

    /// Removes the waiting frames and clears the error.
    mutating func flush(removesImage: Bool) {
        waitingFrames = []
        if status == .failed { status = .unknown }
        error = nil
        if removesImage { (self.removesImage, isReady) = (true, false) }
    }

    /// Returns whether to remove the visible image, once for each flush that removes it.
    mutating func takeImageRemoval() -> Bool {
        defer { removesImage = false }
        return removesImage
    }

    /// Returns the next action. If a frame is due, removes it and all earlier frames from the queue.
    ///
    /// - Parameters:
    ///   - now: The present host time.
    ///   - clock: The layer's clock; nil for the host clock.
    mutating func nextAction(now: Int64, clock: PlaybackClock?) -> Action {
        guard let firstFrame = waitingFrames.first else { return .nothing }
        let leadTime = FramePacing.initialLeadTime, time = clock?.time(at: now + leadTime) ?? now + leadTime
        guard let dueIndex = waitingFrames.lastIndex(where: { $0.time.map { $0 <= time } ?? true }) else {
            let frameTime = firstFrame.time ?? 0
            let hostTime = clock.map { $0.hostTime(of: frameTime) } ?? frameTime
            return .wait(firstFrame.frame, until: hostTime.map { $0 - leadTime })
        }
        let frame = waitingFrames[dueIndex].frame
        waitingFrames.removeSubrange(...dueIndex)
        return .show(frame)
    }

    /// Records that a frame was passed to the layer's router.
    ///
    /// - Returns: Whether the layer's status or readiness has changed.
    mutating func didShowFrame() -> Bool {
        guard !isReady || status == .unknown, !removesImage else { return false }
        isReady = true
        if status == .unknown { status = .rendering }
        return true
    }
}
