/// The state of playback: pauses, flushes and the end of the stream, which are complete once they have been heard. A
/// pure value; device frames are counted as in ``RenderPosition``.
struct Playout: Equatable, Sendable {
    enum Source: Sendable, CaseIterable { case stream, fadingOut, silence }

    /// The next step for a request while the device runs.
    enum Step: Equatable, Sendable {
        case carryOn
        /// Start to fade out.
        case fadeOut
        /// Reverse the fade-out.
        case fadeIn
        /// Start the new stream during silence; the old one has been heard at device frame `heardAt`.
        case flush(heardAt: Int)
        /// Resume from silence.
        case reopen
        /// Stop the device at once, because its queue is too long to wait for.
        case cut
    }

    /// What is complete when a device frame has been heard.
    enum Ending: Equatable, Sendable {
        case none
        /// The audio before a pause.
        case pause
        /// The stream.
        case stream
    }

    private(set) var source = Source.stream
    /// Whether the producer is late and silence is rendered instead of the stream.
    private(set) var isStalled = false
    /// Whether the end of this stream was reported.
    private(set) var isDrainReported = false
    /// The device frame after which a pause is complete.
    private var pauseAt: Int?
    /// The device frame after which the stream has ended.
    private var drainAt: Int?
    /// The device frame after which nothing of the old stream is audible.
    private var flushedAt: Int?

    // MARK: Requests

    /// Returns the next step for the requests.
    ///
    /// - Parameters:
    ///   - written: The number of device frames that were written.
    ///   - isInterruptionFading: Whether the session's fade is under way, which a pause does not shorten.
    ///   - isQueueLong: Whether the device's queue is longer than a pause may wait for.
    func step(
        for request: RenderRequest, written: Int, isInterruptionFading: Bool, isQueueLong: Bool
    ) -> Step {
        switch source {
        case .stream:
            guard request.wantsStop, request.isFlushPending || !isInterruptionFading else { return .carryOn }
            return isQueueLong ? .cut : .fadeOut
        case .fadingOut: return request.wantsStop ? .carryOn : .fadeIn
        case .silence:
            guard request.wantsStop else { return .reopen }
            return request.isFlushPending ? .flush(heardAt: pauseAt ?? written) : .carryOn
        }
    }

    mutating func fadeOut() { source = .fadingOut }
    mutating func fadeIn() { source = .stream }

    /// Records that the stream is rendered again, from silence.
    mutating func reopen() {
        source = .stream
        pauseAt = nil
    }

    /// Records that the fade-out is rendered up to device frame `end`.
    mutating func pause(at end: Int) {
        source = .silence
        pauseAt = end
    }

    /// Starts a new stream. The old one has been heard at device frame `end`.
    mutating func flush(heardAt end: Int) {
        // Waiting for the first samples is not an underrun.
        isStalled = true
        isDrainReported = false
        drainAt = nil
        flushedAt = end
    }

    // MARK: Rendering

    /// Records that there are samples.
    ///
    /// - Returns: Whether the producer was late, so that the stream fades in.
    mutating func endStall() -> Bool {
        defer { isStalled = false }
        return isStalled
    }

    /// Records that frames of the stream are rendered, so that its end has not come.
    mutating func streamRendered() { isDrainReported = false }

    /// Records that there is nothing to render.
    ///
    /// - Parameter isAtEnd: Whether the whole stream is rendered.
    /// - Returns: Whether this is a new underrun.
    mutating func ranDry(isAtEnd: Bool) -> Bool {
        guard source == .stream, !isStalled, !isAtEnd else { return false }
        isStalled = true
        return true
    }

    // MARK: What has been heard

    /// Returns whether the old stream has ended at device frame `heard`; true once for each flush.
    mutating func takeFlush(heard: Int) -> Bool {
        guard let end = flushedAt, heard >= end else { return false }
        flushedAt = nil
        return true
    }

    /// Returns what is complete at device frame `heard`.
    ///
    /// - Parameters:
    ///   - isAllWritten: Whether the device has all frames of the stream, whose end is known.
    ///   - written: The number of device frames that were written.
    mutating func ending(heard: Int, written: Int, isAllWritten: Bool) -> Ending {
        if source == .silence, let end = pauseAt, heard >= end { return .pause }
        guard source == .stream, !isDrainReported, isAllWritten else {
            drainAt = nil
            return .none
        }
        let end = drainAt ?? written
        drainAt = end
        return heard >= end ? .stream : .none
    }

    /// Records that the end of the stream was reported.
    mutating func drainReported() {
        isDrainReported = true
        drainAt = nil
    }

    // MARK: The device

    /// Records a start or a failure of the device.
    mutating func restart() {
        source = .stream
        isStalled = false
    }

    /// Records that the device is paused and contains only silence.
    mutating func deviceStopped() { pauseAt = nil }

    /// Records that the device is empty.
    ///
    /// - Returns: Whether a flush is complete with that.
    mutating func deviceEmptied() -> Bool {
        (pauseAt, drainAt) = (nil, nil)
        defer { flushedAt = nil }
        return flushedAt != nil
    }
}
