/// The progress of pauses, flushes and the end of the stream. Each of them is complete only when the audio before it
/// has been heard. Device frames are counted as in ``RenderPosition``.
struct PlayoutTransitions: Equatable, Sendable {
    /// The audio that is rendered: the stream, the stream with a fade-out, or silence after the fade-out.
    enum Source: Sendable, CaseIterable { case stream, fadingOut, silence }

    /// The next action towards a requested pause, flush or resumption while the device runs.
    enum Action: Equatable, Sendable {
        /// No change is needed.
        case noChange
        /// Start to fade out the stream.
        case fadeOut
        /// Reverse the fade-out.
        case fadeIn
        /// Flush during silence: start the new stream. The old stream has been heard completely at device frame
        /// `heardAt`.
        case flush(heardAt: Int)
        /// Render the stream again after silence, with a fade-in.
        case resumeStream
        /// Stop the device at once, because its queue is too long to be played to its end.
        case stopImmediately
    }

    /// The transition that is complete once a certain device frame is audible.
    enum CompletedTransition: Equatable, Sendable {
        /// No transition is complete yet.
        case none
        /// The audio before a pause has been heard.
        case pause
        /// The last frame of the stream has been heard.
        case endOfStream
    }

    /// The audio that is rendered now.
    private(set) var source = Source.stream
    /// Whether the producer is late and silence is rendered instead of the stream.
    private(set) var isStalled = false
    /// Whether the end of the current stream was reported.
    private(set) var isDrainReported = false
    /// The device frame at which a pause is complete; nil without a pause.
    private var pauseEndFrame: Int?
    /// The device frame at which the stream has been heard completely; nil if its end is not known.
    private var streamEndFrame: Int?
    /// The device frame at which the stream from before a flush is no longer audible; nil if no flush is pending.
    private var oldStreamEndFrame: Int?

    // MARK: Requests

    /// Returns the next action towards the requested pause, flush or resumption.
    ///
    /// - Parameters:
    ///   - written: The number of device frames that were written.
    ///   - isInterruptionFading: Whether the audio session fades out because another program interrupts it. A pause
    ///     waits for the end of that fade.
    ///   - isQueueLong: Whether the device's queue is longer than a pause may wait for.
    func nextAction(
        for request: RenderRequest, written: Int, isInterruptionFading: Bool, isQueueLong: Bool
    ) -> Action {
        switch source {
        case .stream:
            guard request.requiresStop, request.isFlushPending || !isInterruptionFading else { return .noChange }
            return isQueueLong ? .stopImmediately : .fadeOut
        case .fadingOut: return request.requiresStop ? .noChange : .fadeIn
        case .silence:
            guard request.requiresStop else { return .resumeStream }
            return request.isFlushPending ? .flush(heardAt: pauseEndFrame ?? written) : .noChange
        }
    }

    /// Records that the stream starts to fade out.
    mutating func fadeOut() { source = .fadingOut }
    /// Records that the fade-out is reversed.
    mutating func fadeIn() { source = .stream }

    /// Records that the stream is rendered again after silence.
    mutating func resumeStream() {
        source = .stream
        pauseEndFrame = nil
    }

    /// Records that the fade-out is rendered up to device frame `end`.
    mutating func pause(at end: Int) {
        source = .silence
        pauseEndFrame = end
    }

    /// Starts a new stream. The old stream has been heard completely at device frame `end`.
    mutating func flush(heardAt end: Int) {
        // After a flush, waiting for the first samples is not an underrun.
        isStalled = true
        isDrainReported = false
        streamEndFrame = nil
        oldStreamEndFrame = end
    }

    // MARK: Rendering

    /// Records that the producer has written samples again after an underrun of the stream.
    ///
    /// - Returns: Whether the producer was late, so that the stream must fade in.
    mutating func endStall() -> Bool {
        defer { isStalled = false }
        return isStalled
    }

    /// Records that frames of the stream are rendered, so that a later end of the stream is reported again.
    mutating func recordRenderedStream() { isDrainReported = false }

    /// Records that the ring buffer contains no frames to render.
    ///
    /// - Parameter isAtEnd: Whether the whole stream is rendered.
    /// - Returns: Whether this is a new underrun.
    mutating func recordEmptyRing(isAtEnd: Bool) -> Bool {
        guard source == .stream, !isStalled, !isAtEnd else { return false }
        isStalled = true
        return true
    }

    // MARK: Heard audio

    /// Returns true once for each flush: when device frame `heard` is audible and the stream from before the flush has
    /// been heard completely.
    mutating func takeFlush(heard: Int) -> Bool {
        guard let end = oldStreamEndFrame, heard >= end else { return false }
        oldStreamEndFrame = nil
        return true
    }

    /// Returns the transition that is complete once device frame `heard` is audible.
    ///
    /// - Parameters:
    ///   - isAllWritten: Whether the end of the stream is known and all its frames were written to the device.
    ///   - written: The number of device frames that were written.
    mutating func completedTransition(heard: Int, written: Int, isAllWritten: Bool) -> CompletedTransition {
        if source == .silence, let end = pauseEndFrame, heard >= end { return .pause }
        guard source == .stream, !isDrainReported, isAllWritten else {
            streamEndFrame = nil
            return .none
        }
        let end = streamEndFrame ?? written
        streamEndFrame = end
        return heard >= end ? .endOfStream : .none
    }

    /// Records that the end of the stream was reported.
    mutating func recordDrainReport() {
        isDrainReported = true
        streamEndFrame = nil
    }

    // MARK: The device

    /// Records that the device was started or has failed.
    mutating func restart() {
        source = .stream
        isStalled = false
    }

    /// Records that the device is paused and contains only silence.
    mutating func recordDevicePause() { pauseEndFrame = nil }

    /// Records that the device's queue was emptied.
    ///
    /// - Returns: Whether a pending flush is now complete.
    mutating func recordEmptiedQueue() -> Bool {
        (pauseEndFrame, streamEndFrame) = (nil, nil)
        defer { oldStreamEndFrame = nil }
        return oldStreamEndFrame != nil
    }
}
