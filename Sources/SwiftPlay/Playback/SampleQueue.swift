import SharedFrames

/// The pictures of a ``SampleBufferDisplayLayer`` that wait for their times, and what the layer says of itself: a pure
/// value.
struct SampleQueue {
    /// What the layer's thread does next.
    enum Turn {
        case nothing
        /// Makes a picture ready; `until` is the host time at which it is shown, nil while the clock stands.
        case wait(VideoFrame, until: Int64?)
        case show(VideoFrame)
    }

    private struct Waiting {
        let frame: VideoFrame
        /// By the layer's clock, nanoseconds; nil: at once.
        let time: Int64?
    }

    private var waiting: [Waiting] = []
    private(set) var status = SampleBufferDisplayLayer.Status.unknown
    private(set) var error: PlaybackError?
    /// A picture was shown since the image was last removed.
    private(set) var isReady = false
    private var removesImage = false

    var count: Int { waiting.count }
    /// There is room for pictures that have time to wait.
    var wantsMore: Bool { status != .failed && waiting.count < SampleBufferDisplayLayer.mostWaiting / 2 }

    /// Adds a picture. A layer that has failed takes no pictures; a layer whose queue is full fails.
    ///
    /// - Returns: whether the picture was taken, and whether the layer has failed by it.
    mutating func enqueue(_ frame: VideoFrame, immediately: Bool) -> (isTaken: Bool, hasFailed: Bool) {
        guard status != .failed else { return (false, false) }
        let limit = SampleBufferDisplayLayer.mostWaiting
        guard waiting.count < limit else {
            waiting = []
            status = .failed
            error = PlaybackError(.resources, "more than \(limit) pictures wait for their time")
            return (false, true)
        }
        waiting.append(Waiting(frame: frame, time: immediately ? nil : frame.presentationTime))
        return (true, false)
    }

    /// Forgets the pictures that wait, and the failure.
    mutating func flush(removesImage: Bool) {
        waiting = []
        if status == .failed { status = .unknown }
        error = nil
        if removesImage { (self.removesImage, isReady) = (true, false) }
    }

    /// Returns whether the image on screen is to be removed, once for each such flush.
    mutating func takeRemoval() -> Bool {
        defer { removesImage = false }
        return removesImage
    }

    /// Takes the picture that is to be seen now out of the queue, with the pictures before it.
    ///
    /// - Parameters:
    ///   - now: host time.
    ///   - clock: the layer's clock; nil: the host's.
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

    /// Notes that a picture was given to the display.
    ///
    /// - Returns: whether the layer's status or readiness has changed.
    mutating func shown() -> Bool {
        guard !isReady || status == .unknown, !removesImage else { return false }
        isReady = true
        if status == .unknown { status = .rendering }
        return true
    }
}
