/// The seeks, steps, scheduled start and preroll of the current item: a pure value.
///
/// At most one seek runs, and at most one waits for the picture of the seek before it. Every seek leaves this value
/// exactly once: as cancelled, as landed, or to be begun anew.
struct Seeking: Sendable {
    /// A media time that is to be played at a host time.
    struct Appointment: Hashable, Sendable {
        var media: Int64
        var host: Int64
        /// Host time until which playing catches up with the appointment instead of stalling; set when playing begins.
        var catchUpDeadline: Int64?
    }

    /// What the item does when a seek begins.
    enum Stage: Hashable, Sendable {
        /// The source is not open yet.
        case opening
        /// The picture of the item's start, or of the seek before, has not been shown.
        case awaitingPicture
        case shown
    }

    enum Outcome: Hashable, Sendable {
        /// The seek waits until the picture of the seek before it is shown.
        case queued
        /// The seek waits until the source is open.
        case kept
        /// The source seeks now.
        case running
    }

    /// Requests whose answer is `false`.
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
    /// Frames to step, forwards or backwards, that were not decoded yet.
    private(set) var steps = 0

    /// How long a newer seek waits for the picture of the running one, nanoseconds. Otherwise a slider that is dragged
    /// would show nothing until it stands still.
    static let pictureGrace: Int64 = 300_000_000
    /// The most frames that one command steps.
    static let mostSteps = 100_000

    /// The time that is shown as current while a seek runs.
    var target: Int64? { (queued ?? running)?.time }

    // MARK: seeks

    /// Begins a seek. Earlier seeks are cancelled; the picture of the running one is still shown.
    ///
    /// - Parameters:
    ///   - now: host time.
    ///   - keepsPreroll: whether the seek is made for the pending preroll.
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

    /// The source is open, the running seek has shown its picture, or the source cannot do it.
    ///
    /// - Returns: the seek, which is no longer running.
    mutating func takeRunning() -> SeekCommand? { running.take() }

    /// The picture of the running seek was shown, or is not waited for any longer.
    ///
    /// - Returns: the seek that waited, which has to be begun.
    mutating func takeQueued() -> SeekCommand? {
        pictureDeadline = nil
        return queued.take()
    }

    private mutating func takeSeeks() -> [SeekCommand] { [running.take(), queued.take()].compactMap(\.self) }

    /// The item failed or ended: cancels its seeks.
    mutating func cancelSeeks() -> Cancelled { Cancelled(seeks: takeSeeks()) }

    /// Another item becomes the current one: cancels what belongs to the old one.
    ///
    /// - Parameter start: the media time at which the new item begins, while its source is still being opened.
    mutating func changeItem(start: Int64?) -> Cancelled {
        let cancelled = cancelSeeks()
        (pictureDeadline, appointment, steps) = (nil, nil, 0)
        running = start.map { SeekCommand(time: $0) }
        return cancelled
    }

    // MARK: appointments

    /// Playing begins.
    mutating func startPlaying(catchUpDeadline: Int64) { appointment?.catchUpDeadline = catchUpDeadline }

    mutating func dropAppointment() { appointment = nil }

    /// Playing is not to begin at a host time any longer.
    ///
    /// - Returns: a seek that drops the silence on its way to the device, where playing would have begun after `now`.
    mutating func cancelAppointment(isOpening: Bool, now: Int64) -> SeekCommand? {
        running?.start = nil
        guard let cancelled = appointment.take(), cancelled.host > now, !isOpening else { return nil }
        return SeekCommand(time: cancelled.media)
    }

    // MARK: prerolls

    mutating func begin(_ preroll: PrerollCommand) { self.preroll = preroll }
    mutating func takePreroll() -> PrerollCommand? { preroll.take() }

    // MARK: steps

    /// Adds frames to step; negative is backwards.
    mutating func step(_ count: Int) {
        let (sum, overflows) = steps.addingReportingOverflow(max(-Self.mostSteps, min(count, Self.mostSteps)))
        if !overflows { steps = sum }
        appointment = nil
    }

    mutating func stepped() { steps -= 1 }

    /// - Returns: the steps, which are no longer pending.
    mutating func takeSteps() -> Int {
        defer { steps = 0 }
        return steps
    }
}
