/// The seeks, steps, scheduled start and preroll of the current item: a pure value.
///
/// At most one seek runs, and at most one is queued until the picture of the running seek is shown. Every seek leaves
/// this value exactly once: cancelled, completed, or to be restarted.
struct Seeking: Sendable {
    /// A media time to be played at a host time.
    struct Appointment: Hashable, Sendable {
        var media: Int64
        var host: Int64
        /// Host time until which playback catches up with the appointment instead of stalling; set when playback
        /// starts.
        var catchUpDeadline: Int64?
    }

    /// The item's state when a seek starts.
    enum Stage: Hashable, Sendable {
        /// The source is not open yet.
        case opening
        /// The picture of the item's start, or of the previous seek, has not been shown.
        case awaitingPicture
        case shown
    }

    enum Outcome: Hashable, Sendable {
        /// The seek waits until the picture of the previous seek is shown.
        case queued
        /// The seek waits until the source is open.
        case kept
        /// The source seeks now.
        case running
    }

    /// Requests whose completion handlers receive `false`.
    struct Cancelled {
        var seeks: [SeekCommand] = []
        var preroll: PrerollCommand?

        func answer() {
            for seek in seeks { seek.completion(false) }
            preroll?.answer.give(false)
        }
    }

    private(set) var running: SeekCommand?
    private(set) var queued: SeekCommand?
    /// Host time until which a newer seek waits for the picture of the running one.
    private(set) var pictureDeadline: Int64?
    private(set) var appointment: Appointment?
    private(set) var preroll: PrerollCommand?
    /// Pending frames to step; negative values step backwards.
    private(set) var steps = 0

    /// How long a newer seek waits for the picture of the running one, nanoseconds. Without this wait, a dragged slider
    /// would show no picture until it stops.
    static let pictureGrace: Int64 = 300_000_000
    /// The maximum number of frames per step command.
    static let mostSteps = 100_000

    /// The time reported as current while a seek runs.
    var target: Int64? { (queued ?? running)?.time }

    // MARK: Seeks

    /// Starts a seek and cancels earlier ones. The picture of the running seek is still shown.
    ///
    /// - Parameters:
    ///   - now: Host time.
    ///   - keepsPreroll: Whether the seek is part of the pending preroll.
    mutating func begin(_ seek: SeekCommand, _ stage: Stage, now: Int64, keepsPreroll: Bool = false) -> (
        cancelled: Cancelled, outcome: Outcome
    ) {
        let cancelled = Cancelled(seeks: takeSeeks(), preroll: keepsPreroll ? nil : takePreroll())
        var seek = seek
        seek.time = max(0, seek.time)
        appointment = seek.start?.host.map { Appointment(media: seek.time, host: $0) }
        if stage == .awaitingPicture, let pictureDeadline, now < pictureDeadline {
            queued = seek
            return (cancelled, .queued)
        }
        steps = 0
        running = seek
        guard stage != .opening else { return (cancelled, .kept) }
        pictureDeadline = now + Self.pictureGrace
        return (cancelled, .running)
    }

    /// Removes the running seek: the source is open, the seek has shown its picture, or the source cannot seek.
    ///
    /// - Returns: The seek, which is no longer running.
    mutating func takeRunning() -> SeekCommand? { running.take() }

    /// Removes the queued seek: the picture of the running seek was shown, or its deadline has passed.
    ///
    /// - Returns: The queued seek, which the caller starts.
    mutating func takeQueued() -> SeekCommand? {
        pictureDeadline = nil
        return queued.take()
    }

    private mutating func takeSeeks() -> [SeekCommand] { [running.take(), queued.take()].compactMap(\.self) }

    /// Cancels the seeks of an item that failed or ended.
    mutating func cancelSeeks() -> Cancelled { Cancelled(seeks: takeSeeks()) }

    /// Handles a change of the current item: cancels the old item's seeks.
    ///
    /// - Parameter start: Media time at which the new item starts, while its source is being opened.
    mutating func changeItem(start: Int64?) -> Cancelled {
        let cancelled = cancelSeeks()
        (pictureDeadline, appointment, steps) = (nil, nil, 0)
        running = start.map { SeekCommand(time: $0) }
        return cancelled
    }

    // MARK: Scheduled starts

    /// Handles the start of playback.
    mutating func startPlaying(catchUpDeadline: Int64) { appointment?.catchUpDeadline = catchUpDeadline }

    mutating func dropAppointment() { appointment = nil }

    /// Cancels the scheduled start.
    ///
    /// - Returns: If playback would have started after `now`, a seek that discards the silence on its way to the
    ///   device.
    mutating func cancelAppointment(isOpening: Bool, now: Int64) -> SeekCommand? {
        running?.start = nil
        guard let cancelled = appointment.take(), cancelled.host > now, !isOpening else { return nil }
        return SeekCommand(time: cancelled.media)
    }

    // MARK: Prerolls

    mutating func begin(_ preroll: PrerollCommand) { self.preroll = preroll }
    mutating func takePreroll() -> PrerollCommand? { preroll.take() }

    // MARK: Steps

    /// Adds frames to step; negative values step backwards.
    mutating func step(_ count: Int) {
        let (sum, overflows) = steps.addingReportingOverflow(max(-Self.mostSteps, min(count, Self.mostSteps)))
        if !overflows { steps = sum }
        appointment = nil
    }

    mutating func stepped() { steps -= 1 }

    /// Returns and clears the pending steps.
    mutating func takeSteps() -> Int {
        defer { steps = 0 }
        return steps
    }
}
