import Logging
import SystemCalls

/// The main thread's owner of the thread of a location.
final class SurfaceThread {
    let location: SurfaceLocation
    /// The process whose session was the first at the location.
    let creator: Int32
    let mailbox: SurfaceMailbox
    var isConnected: Bool
    private var detector = StallDetector()
    /// Host time at which a thread that is to end is interrupted.
    private var interruptsAt: Int64?
    private let thread: NamedThread

    /// Nanoseconds that a thread has to end by itself.
    private static let endPatience: Int64 = 1_000_000_000

    init(_ location: SurfaceLocation, creator: Int32, mainWake: EventDescriptor, logger: Logger) throws(SystemCallError)
    {
        (self.location, self.creator) = (location, creator)
        isConnected = location == .local
        let mailbox = try SurfaceMailbox(mainWake: mainWake)
        self.mailbox = mailbox
        thread = try NamedThread(location == .local ? "local windows" : "display") {
            SurfaceWorker.serve(location, mailbox, logger)
        }
    }

    /// Host time at which ``hasStalled(now:)`` or ``hasEnded(now:)`` has to be called.
    var deadline: Int64? { [detector.deadline, interruptsAt].compactMap { $0 }.min() }

    /// Whether the thread has commands and does not carry them out: its display does not answer.
    func hasStalled(now: Int64) -> Bool { detector.look(mailbox.progress, now: now) }

    /// Has the thread end, at once if it waits for its display to be connected.
    func end(now: Int64) {
        (detector, interruptsAt) = (StallDetector(), now + Self.endPatience)
        if isConnected { mailbox.end() } else { mailbox.interrupt() }
    }

    /// Has the thread end at once.
    func interrupt() {
        (detector, interruptsAt) = (StallDetector(), nil)
        mailbox.interrupt()
    }

    /// Whether a thread that was told to end has ended.
    func hasEnded(now: Int64) -> Bool {
        if let due = interruptsAt, now >= due { interrupt() }
        return mailbox.isOver
    }

    deinit {
        guard !mailbox.isOver else { return thread.join() }
        mailbox.interrupt()
        // Only the look-up of a host's name cannot be interrupted.
        if !thread.join(until: MonotonicTime.now + Self.endPatience) { thread.leaveBehind() }
    }
}
