/// The seeks, steps, scheduled start and preroll of the current item: a pure value.
///
/// At most one seek runs, and at most one is queued until the picture of the running seek is shown. Every seek leaves
/// this value exactly once: cancelled, completed, or to be restarted.
struct SeekState: Sendable {
    /// A media time to be played at a host time.
    struct ScheduledPlayback: Hashable, Sendable {
        /// The media time, in nanoseconds.
        var mediaTime: Int64
        /// The host time, in nanoseconds, at which the media time is played.
        var hostTime: Int64
        /// The host time until which playback catches up with the schedule instead of stalling; set when playback
        /// starts.
        var catchUpDeadline: Int64?
    }

    /// The item's state when a seek starts.
    enum Stage: Hashable, Sendable {
        /// The source is not open yet.
        case opening
        /// The picture of the item's start, or of the previous seek, has not been shown.
        case awaitingPicture
        /// The picture of the item's start, or of the previous seek, was shown.
        case shown
    }

    /// The effect of a new seek request.
    enum Outcome: Hashable, Sendable {
        /// The seek waits until the picture of the previous seek is shown.
        case queued
        /// The seek waits until the source is open.
        case queuedUntilOpened
        /// The source seeks now.
        case running
    }

    /// Requests whose completion handlers receive `false`.
    struct CancelledRequests {
        var seeks: [SeekCommand] = []
        var preroll: PrerollCommand?

        /// Calls the completion handlers with `false`.
        func complete() {
            for seek in seeks { seek.completion(false) }
            preroll?.completion.complete(false)
        }
    }

    /// The seek that runs: its picture has not been shown yet; nil if none runs.
    private(set) var runningSeek: SeekCommand?
    /// The newest seek, which waits for the picture of the running seek; nil if none waits.
    private(set) var queuedSeek: SeekCommand?
    /// The host time until which a newer seek waits for the picture of the running seek.
    private(set) var pictureDeadline: Int64?
    /// The start of playback at a host time; nil without one.
    private(set) var scheduledPlayback: ScheduledPlayback?
    /// The pending preroll.
    private(set) var preroll: PrerollCommand?
    /// The number of frames still to step forwards, or backwards if negative.
    private(set) var pendingStepCount = 0

    /// The longest time for which a newer seek waits for the picture of the running seek, in nanoseconds. Without this
    /// wait, a dragged slider would show no picture until it stops.
    static let pictureTimeout: Int64 = 300_000_000
    /// The maximum number of frames per step command.
    static let stepLimit = 100_000

    /// The media time that is reported as the current time while a seek runs; nil without a seek.
    var targetTime: Int64? { (queuedSeek ?? runningSeek)?.time }

    // MARK: Seeks

    /// Starts a seek and cancels earlier seeks. The picture of the running seek is still shown.
    ///
    /// - Parameters:
    ///   - now: The present host time.
    ///   - keepsPreroll: Whether the seek is part of the pending preroll.
    mutating func begin(_ seek: SeekCommand, _ stage: Stage, now: Int64, keepsPreroll: Bool = false) -> (
        cancelledRequests: CancelledRequests, outcome: Outcome
    ) {
        let cancelledRequests = CancelledRequests(seeks: takeAllSeeks(), preroll: keepsPreroll ? nil : takePreroll())
        var seek = seek
        seek.time = max(0, seek.time)
        scheduledPlayback = seek.start?.hostTime.map { ScheduledPlayback(mediaTime: seek.time, hostTime: $0) }
        if stage == .awaitingPicture, let pictureDeadline, now < pictureDeadline {
            queuedSeek = seek
            return (cancelledRequests, .queued)
        }
        pendingStepCount = 0
        runningSeek = seek
        guard stage != .opening else { return (cancelledRequests, .queuedUntilOpened) }
        pictureDeadline = now + Self.pictureTimeout
        return (cancelledRequests, .running)
    }

    /// Removes and returns the running seek. Call this when the source is open, when the seek's picture was shown, and
    /// if the source cannot seek.
    mutating func takeRunningSeek() -> SeekCommand? { runningSeek.take() }

    /// Removes and returns the queued seek, which the caller starts. Call this when the picture of the running seek was
    /// shown, or when its deadline has passed.
    mutating func takeQueuedSeek() -> SeekCommand? {
        pictureDeadline = nil
        return queuedSeek.take()
    }

    /// Removes and returns the running and the queued seek.
    private mutating func takeAllSeeks() -> [SeekCommand] {
        [runningSeek.take(), queuedSeek.take()].compactMap(\.self)
    }

    /// Cancels the seeks of an item that failed or ended.
    mutating func cancelSeeks() -> CancelledRequests { CancelledRequests(seeks: takeAllSeeks()) }

    /// Handles a change of the current item: cancels the old item's seeks.
    ///
    /// - Parameter start: The media time at which the new item starts, while its source is being opened.
    mutating func changeItem(start: Int64?) -> CancelledRequests {
        let cancelledRequests = cancelSeeks()
        (pictureDeadline, scheduledPlayback, pendingStepCount) = (nil, nil, 0)
        runningSeek = start.map { SeekCommand(time: $0) }
        return cancelledRequests
    }

    // MARK: Scheduled starts

    /// Handles the start of playback. If it was scheduled for a host time, playback catches up with the schedule until
    /// `catchUpDeadline` (a host time in nanoseconds) instead of stalling.
    mutating func startPlaying(catchUpDeadline: Int64) { scheduledPlayback?.catchUpDeadline = catchUpDeadline }

    /// Discards the start of playback that was scheduled for a host time.
    mutating func clearScheduledPlayback() { scheduledPlayback = nil }

    /// Cancels the start of playback that was scheduled for a host time.
    ///
    /// - Returns: If playback would have started after `now`, a seek that discards the silence buffered for the device;
    ///   else nil.
    mutating func cancelScheduledPlayback(isOpening: Bool, now: Int64) -> SeekCommand? {
        runningSeek?.start = nil
        guard let cancelledPlayback = scheduledPlayback.take(), cancelledPlayback.hostTime > now, !isOpening else {
            return nil
        }
        return SeekCommand(time: cancelledPlayback.mediaTime)
    }

    // MARK: Prerolls

    /// Stores a preroll as the pending preroll.
    mutating func begin(_ preroll: PrerollCommand) { self.preroll = preroll }
    /// Removes and returns the pending preroll.
    mutating func takePreroll() -> PrerollCommand? { preroll.take() }

    // MARK: Steps

    /// Adds frames to step; negative values step backwards.
    mutating func addSteps(_ count: Int) {
        let (sum, overflows) = pendingStepCount.addingReportingOverflow(
            max(-Self.stepLimit, min(count, Self.stepLimit)))
        if !overflows { pendingStepCount = sum }
        scheduledPlayback = nil
    }

    /// Records that one of the pending forward steps was carried out.
    mutating func didStepForward() { pendingStepCount -= 1 }

    /// Returns the number of frames still to step, and resets it to 0.
    mutating func takePendingStepCount() -> Int {
        defer { pendingStepCount = 0 }
        return pendingStepCount
    }
}
