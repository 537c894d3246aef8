import Logging
import SystemCalls

/// The owner of the thread of a location. Used by the compositor's main thread.
final class SurfaceThread {
    let location: SurfaceLocation
    /// The ID of the process that opened the first session at the location.
    let creator: Int32
    let mailbox: SurfaceMailbox
    var isConnected: Bool
    private var detector = StallDetector()
    /// The host time at which the thread is interrupted if it has not ended by itself; `nil` unless it must end.
    private var interruptsAt: Int64?
    private let thread: NamedThread

    /// The time in nanoseconds for the thread to end by itself.
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

    /// The host time at which ``hasStalled(now:)`` or ``hasEnded(now:)`` must be called; `nil` for no deadline.
    var deadline: Int64? { [detector.deadline, interruptsAt].compactMap { $0 }.min() }

    /// Returns whether the thread has commands but finishes none, because its display does not answer.
    func hasStalled(now: Int64) -> Bool { detector.look(mailbox.progress, now: now) }

    /// Requests that the thread ends; at once if it is still connecting to its display.
    func end(now: Int64) {
        (detector, interruptsAt) = (StallDetector(), now + Self.endPatience)
        if isConnected { mailbox.end() } else { mailbox.interrupt() }
    }

    /// Requests that the thread ends at once.
    func interrupt() {
        (detector, interruptsAt) = (StallDetector(), nil)
        mailbox.interrupt()
    }

    /// Returns whether the thread has ended after a request to end.
    func hasEnded(now: Int64) -> Bool {
        if let due = interruptsAt, now >= due { interrupt() }
        return mailbox.isOver
    }

    deinit {
        guard !mailbox.isOver else { return thread.join() }
        mailbox.interrupt()
        // Only the lookup of a host name cannot be interrupted.
        if !thread.join(until: MonotonicTime.now + Self.endPatience) { thread.leaveBehind() }
    }
}
