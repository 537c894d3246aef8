import CompositorProtocol
import Logging
import SystemCalls
import WireFormat

/// The worker that draws the sessions of one location. Used by that location's thread.
final class SurfaceWorker {
    private let display: any SurfaceDisplay
    private let mailbox: SurfaceMailbox
    let logger: Logger
    var sessions: [SessionHandle: PiPSession] = [:]
    /// The protocol versions that are used with the sessions' programs.
    var versions: [SessionHandle: UInt16] = [:]
    /// The time left for each program in this turn.
    private var budgets: [UInt64: TurnBudget] = [:]

    /// The time limit for connecting to a display, in nanoseconds. The main thread interrupts waits that stall later.
    private static let connectPatience: Int64 = 3_000_000_000

    private init(_ display: any SurfaceDisplay, _ mailbox: SurfaceMailbox, _ logger: Logger) {
        (self.display, self.mailbox, self.logger) = (display, mailbox, logger)
    }

    /// Connects to the display and serves its sessions until the mailbox requests the end, or the display is lost.
    static func serve(_ location: SurfaceLocation, _ mailbox: SurfaceMailbox, _ logger: Logger) {
        defer { mailbox.noteEnd() }
        do throws(SurfaceFailure) {
            let display = try SurfaceDisplays.open(location, until: MonotonicTime.now + connectPatience) {
                mailbox.setInterrupt($0)
            }
            mailbox.report(.connected)
            SurfaceWorker(display, mailbox, logger).run()
        } catch {
            switch error {
            case .unusable(let reason): mailbox.report(.lost(reason: reason))
            case .breach(let message): mailbox.report(.lost(reason: message.what))
            }
        }
    }

    private func run() {
        while true {
            // Compute the deadline before checking the display's queue: it may read events from the display.
            let due = deadline
            var entries = [Poll.Entry(mailbox.descriptor), Poll.Entry(display.descriptor)]
            entries += sessions.values.compactMap { $0.surface.blockedDescriptor }.map { Poll.Entry($0, .writable) }
            // Events that were read while waiting for a reply are in the library's queue and make no descriptor
            // readable.
            let hasEvents = handleEvents(reading: false)
            do {
                try Poll.wait(&entries, until: hasEvents ? 0 : due)
            } catch { return lose("the display cannot be polled: \(error)") }
            guard let commands = mailbox.takeCommands() else { return closeAll() }
            turn(commands)
            mailbox.finish(commands)
            if display.isLost { return lose("the connection to the X server was lost") }
        }
    }

    private func turn(_ commands: [SurfaceCommand]) {
        budgets = [:]
        for command in commands {
            attempt(for: command.session) { () throws(MalformedMessage) in try handle(command) }
        }
        handleEvents(reading: true)
        advance(now: MonotonicTime.now)
        redraw(now: MonotonicTime.now)
    }

    private var deadline: Int64? { sessions.values.compactMap(\.nextTick).min() }

    @discardableResult
    private func handleEvents(reading isReading: Bool) -> Bool {
        display.processEvents(reading: isReading) { surface, outcomes in
            guard let (handle, session) = sessions.first(where: { $0.value.surface === surface }) else { return }
            attempt(for: handle) { () throws(MalformedMessage) in try perform(outcomes, handle, session) }
        }
    }

    func makeSurface(
        _ surface: ClientMessage.Surface, _ descriptors: [SharedDescriptor]
    ) throws(SurfaceFailure) -> any FloatingSurface { try display.makeSurface(surface, descriptors) }

    func report(_ report: SurfaceReport) { mailbox.report(report) }

    func send(_ messages: [ServerMessage], of handle: SessionHandle) {
        for message in messages { report(.message(handle, message)) }
    }

    func isUsedUp(_ handle: SessionHandle) -> Bool { budgets[handle.key.client]?.isUsedUp == true }

    /// Runs `body` for a session on the calling thread and counts the time. A breach of the protocol ends all sessions
    /// of its program.
    func attempt(for handle: SessionHandle, _ body: () throws(MalformedMessage) -> Void) {
        let start = MonotonicTime.now
        do throws(MalformedMessage) {
            try body()
        } catch {
            report(.breach(handle, error))
            for other in sessions.keys where other.key.client == handle.key.client { remove(other) }
        }
        budgets[handle.key.client, default: TurnBudget()].spend(since: start)
    }

    func remove(_ handle: SessionHandle) {
        sessions.removeValue(forKey: handle)?.stop()
        versions[handle] = nil
    }

    private func closeAll() { for handle in sessions.keys { remove(handle) } }

    private func lose(_ reason: String) {
        closeAll()
        report(.lost(reason: reason))
    }
}
