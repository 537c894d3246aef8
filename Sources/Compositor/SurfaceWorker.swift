import CompositorProtocol
import Logging
import SystemCalls
import WireFormat

/// Draws the Picture-in-Picture sessions of one ``SurfaceLocation``: of one X display, or of all other surfaces. Used
/// by that location's drawing thread.
final class SurfaceWorker {
    /// The connection to the display.
    private let display: any SurfaceDisplay
    /// The queues of the main thread's commands and of the reports to the main thread.
    private let mailbox: SurfaceMailbox
    let logger: Logger
    /// The open sessions of the location.
    var sessions: [SessionHandle: PiPSession] = [:]
    /// The protocol versions that are used with the sessions' programs.
    var protocolVersions: [SessionHandle: UInt16] = [:]
    /// The drawing time that is left for each program in this iteration of the thread's loop, by connection number.
    private var budgets: [UInt64: TimeBudget] = [:]

    /// The time limit for the display to accept the connection, in nanoseconds. The main thread interrupts a drawing
    /// thread that stalls later.
    private static let connectTimeout: Int64 = 3_000_000_000

    /// Creates a worker for a connected display.
    private init(_ display: any SurfaceDisplay, _ mailbox: SurfaceMailbox, _ logger: Logger) {
        (self.display, self.mailbox, self.logger) = (display, mailbox, logger)
    }

    /// Connects to the display, and draws the pictures of its sessions until the main thread requests this thread to
    /// end, or the connection to the display is lost.
    static func run(_ location: SurfaceLocation, _ mailbox: SurfaceMailbox, _ logger: Logger) {
        defer { mailbox.markEnded() }
        do throws(SurfaceFailure) {
            let display = try SurfaceDisplays.open(location, until: MonotonicTime.now + connectTimeout) {
                mailbox.setInterrupt($0)
            }
            mailbox.report(.connected)
            SurfaceWorker(display, mailbox, logger).run()
        } catch {
            switch error {
            case .unusable(let reason): mailbox.report(.lost(reason: reason))
            case .protocolViolation(let message): mailbox.report(.lost(reason: message.detail))
            }
        }
    }

    /// Waits for commands, events and timers, and handles them, until the thread must end.
    private func run() {
        while true {
            // Compute the deadline first: computing it may read events into the display's queue, which is checked next.
            let nextDeadline = deadline
            var entries = [Poll.Entry(mailbox.descriptor), Poll.Entry(display.descriptor)]
            entries += sessions.values.compactMap { $0.surface.blockedDescriptor }.map { Poll.Entry($0, .writable) }
            // Events that were read while waiting for a reply are in the X library's queue, where polling does not
            // detect them.
            let hasEvents = handleEvents(reading: false)
            do {
                try Poll.wait(&entries, until: hasEvents ? 0 : nextDeadline)
            } catch { return endDisplay("the display cannot be polled: \(error)") }
            guard let commands = mailbox.takeCommands() else { return closeAllSessions() }
            performIteration(commands)
            mailbox.markFinished(commands)
            if display.isLost { return endDisplay("the connection to the X server was lost") }
        }
    }

    /// Performs one iteration of the thread's loop: commands, events of the display, timers, and then drawing.
    private func performIteration(_ commands: [SurfaceCommand]) {
        budgets = [:]
        for command in commands {
            attempt(for: command.session) { () throws(MalformedMessage) in try handle(command) }
        }
        handleEvents(reading: true)
        advanceSessions(now: MonotonicTime.now)
        redrawSessions(now: MonotonicTime.now)
    }

    /// The host time of the next timed work of any session.
    private var deadline: Int64? { sessions.values.compactMap(\.nextTick).min() }

    /// Handles events of the display. Returns whether the display had events.
    @discardableResult
    private func handleEvents(reading isReading: Bool) -> Bool {
        display.processEvents(reading: isReading) { surface, events in
            guard let (handle, session) = sessions.first(where: { $0.value.surface === surface }) else { return }
            attempt(for: handle) { () throws(MalformedMessage) in try perform(events, handle, session) }
        }
    }

    /// Creates a surface on the display.
    func makeSurface(
        _ surface: ClientMessage.Surface, _ descriptors: [SharedDescriptor]
    ) throws(SurfaceFailure) -> any FloatingSurface { try display.makeSurface(surface, descriptors) }

    /// Sends a report to the main thread.
    func report(_ report: SurfaceThreadEvent) { mailbox.report(report) }

    /// Sends messages to a session's program.
    func send(_ messages: [ServerMessage], of handle: SessionHandle) {
        for message in messages { report(.message(handle, message)) }
    }

    /// Returns whether the session's program has used up its drawing time in this iteration.
    func isBudgetUsedUp(_ handle: SessionHandle) -> Bool { budgets[handle.key.client]?.isUsedUp == true }

    /// Runs `body` for a session on the calling thread and counts its time as drawing time of the session's program. If
    /// `body` throws because the program broke the protocol, all sessions of the program end.
    func attempt(for handle: SessionHandle, _ body: () throws(MalformedMessage) -> Void) {
        let start = MonotonicTime.now
        do throws(MalformedMessage) {
            try body()
        } catch {
            report(.protocolViolation(handle, error))
            for otherHandle in sessions.keys where otherHandle.key.client == handle.key.client { remove(otherHandle) }
        }
        budgets[handle.key.client, default: TimeBudget()].spend(since: start)
    }

    /// Ends a session and closes its window.
    func remove(_ handle: SessionHandle) {
        sessions.removeValue(forKey: handle)?.stop()
        protocolVersions[handle] = nil
    }

    /// Ends all sessions.
    private func closeAllSessions() { for handle in sessions.keys { remove(handle) } }

    /// Ends all sessions and reports that the display's connection is lost.
    private func endDisplay(_ reason: String) {
        closeAllSessions()
        report(.lost(reason: reason))
    }
}
