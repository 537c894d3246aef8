import Logging
import SystemCalls

/// Starts and ends the drawing thread of one ``SurfaceLocation``, and detects that the thread has stalled. Used by the
/// compositor's main thread.
final class SurfaceThread {
    /// The location whose surfaces the thread draws.
    let location: SurfaceLocation
    /// The ID of the process that opened the first session at the location.
    let creatorProcessID: Int32
    /// The queues of commands to the thread and of the thread's reports.
    let mailbox: SurfaceMailbox
    /// Whether the thread has connected to its display.
    var isConnected: Bool
    /// Detects that the thread makes no progress.
    private var detector = StallDetector()
    /// The host time at which the thread is interrupted if it has not ended by itself; `nil` until it is requested to
    /// end.
    private var interruptDeadline: Int64?
    /// The thread, which must end before this object is released.
    private let thread: NamedThread

    /// The time in nanoseconds for the thread to end by itself.
    private static let endTimeout: Int64 = 1_000_000_000

    /// Starts the thread, which connects to its display.
    init(
        _ location: SurfaceLocation, creatorProcessID: Int32, mainThreadEvent: EventDescriptor, logger: Logger
    ) throws(SystemCallError) {
        (self.location, self.creatorProcessID) = (location, creatorProcessID)
        isConnected = location == .noDisplay
        let mailbox = try SurfaceMailbox(mainThreadEvent: mainThreadEvent)
        self.mailbox = mailbox
        thread = try NamedThread(location == .noDisplay ? "local windows" : "display") {
            SurfaceWorker.run(location, mailbox, logger)
        }
    }

    /// The host time at which ``hasStalled(now:)`` or ``hasEnded(now:)`` must be called; `nil` for no deadline.
    var deadline: Int64? { [detector.deadline, interruptDeadline].compactMap { $0 }.min() }

    /// Returns whether the thread has commands but finishes no command, because its display does not answer.
    func hasStalled(now: Int64) -> Bool { detector.check(mailbox.progress, now: now) }

    /// Requests that the thread ends; at once if it is still connecting to its display.
    func end(now: Int64) {
        (detector, interruptDeadline) = (StallDetector(), now + Self.endTimeout)
        if isConnected { mailbox.end() } else { mailbox.interrupt() }
    }

    /// Requests that the thread ends at once.
    func interrupt() {
        (detector, interruptDeadline) = (StallDetector(), nil)
        mailbox.interrupt()
    }

    /// Returns whether the thread has ended after a request to end.
    func hasEnded(now: Int64) -> Bool {
        if let interruptTime = interruptDeadline, now >= interruptTime { interrupt() }
        return mailbox.hasEnded
    }

    /// Ends the thread, or detaches it if it does not end in time.
    deinit {
        guard !mailbox.hasEnded else { return thread.join() }
        mailbox.interrupt()
        // A lookup of a host name cannot be interrupted. Such a thread is detached and ends after its lookup.
        if !thread.join(until: MonotonicTime.now + Self.endTimeout) { thread.detach() }
    }
}
