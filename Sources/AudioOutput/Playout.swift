/// What is being rendered, and what is over once it has been heard: pauses, flushes and the end of the stream. A pure
/// value; device frames count as in ``RenderPosition``.
struct Playout: Equatable, Sendable {
    enum Source: Sendable, CaseIterable { case stream, fadingOut, silence }

    /// What the render thread does about a request while the device runs.
    enum Step: Equatable, Sendable {
        case carryOn
        /// Begins to fade out.
        case fadeOut
        /// Fades in again, from wherever the fade out is.
        case fadeIn
        /// Begins the new stream in the middle of silence; what was before it has been heard at device frame `heardAt`.
        case flush(heardAt: Int)
        /// Plays again, from silence.
        case reopen
        /// Stops the device at once: it has too much queued to wait for.
        case cut
    }

    /// What is over when a device frame has been heard.
    enum Ending: Equatable, Sendable {
        case none
        /// All that sounded before a pause.
        case pause
        /// All of the stream.
        case stream
    }

    private(set) var source = Source.stream
    /// The producer is late, and silence is rendered in the stream's place.
    private(set) var isStalled = false
    /// The end of this stream was reported.
    private(set) var isDrainReported = false
    /// The device frame at which a pause is complete once it is heard.
    private var pauseAt: Int?
    /// The device frame at which the stream is over once it is heard.
    private var drainAt: Int?
    /// The device frame at which nothing of the old stream is left to be heard.
    private var flushedAt: Int?

    // MARK: requests

    /// The next step towards what is asked for.
    ///
    /// - Parameters:
    ///   - written: device frames that were handed over.
    ///   - isInterruptionFading: the session's own fade is under way; a pause does not shorten it.
    ///   - isQueueLong: the device has more queued than a pause may wait for.
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

    /// The stream is rendered again, from silence.
    mutating func reopen() {
        source = .stream
        pauseAt = nil
    }

    /// The fade out is rendered: its last frame is the one before device frame `end`.
    mutating func pause(at end: Int) {
        source = .silence
        pauseAt = end
    }

    /// A new stream begins; at device frame `end` the last frame of the old one has been heard.
    mutating func flush(heardAt end: Int) {
        // The new samples may take their time: that is no underrun.
        isStalled = true
        isDrainReported = false
        drainAt = nil
        flushedAt = end
    }

    // MARK: rendering

    /// The producer is late no longer.
    ///
    /// - Returns: whether it was, so that the stream fades in.
    mutating func endStall() -> Bool {
        defer { isStalled = false }
        return isStalled
    }

    /// Frames of the stream are rendered: its end is yet to come.
    mutating func streamRendered() { isDrainReported = false }

    /// There is nothing to render.
    ///
    /// - Parameter isAtEnd: all of the stream is rendered.
    /// - Returns: whether that is an underrun that was not reported before.
    mutating func ranDry(isAtEnd: Bool) -> Bool {
        guard source == .stream, !isStalled, !isAtEnd else { return false }
        isStalled = true
        return true
    }

    // MARK: what has been heard

    /// Whether the old stream is over at device frame `heard`; true once for each flush.
    mutating func takeFlush(heard: Int) -> Bool {
        guard let end = flushedAt, heard >= end else { return false }
        flushedAt = nil
        return true
    }

    /// What is over at device frame `heard`.
    ///
    /// - Parameters:
    ///   - isAllWritten: the device has all frames of the stream, whose end is known.
    ///   - written: device frames that were handed over.
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

    /// The stream's end is reported.
    mutating func drainReported() {
        isDrainReported = true
        drainAt = nil
    }

    // MARK: the device

    /// A device begins to play, or has failed: the stream comes first.
    mutating func restart() {
        source = .stream
        isStalled = false
    }

    /// The device stands still with nothing but silence in it.
    mutating func deviceStopped() { pauseAt = nil }

    /// The device is empty: there is nothing to be heard any more.
    ///
    /// - Returns: whether a flush is complete with that.
    mutating func deviceEmptied() -> Bool {
        (pauseAt, drainAt) = (nil, nil)
        defer { flushedAt = nil }
        return flushedAt != nil
    }
}
