import Glibc
import Synchronization
import SystemCalls

/// The thread that reads from a terminal and handles keys, replies and signals.
final class TerminalReader: Sendable {
    /// The maximum time in nanoseconds between an Escape and the rest of its sequence.
    private static let escapeTimeout: Int64 = 50_000_000
    /// The maximum time in nanoseconds between the first bytes of a reply and its end. A reply over a network may
    /// arrive in several packets.
    private static let replyTimeout: Int64 = 1_000_000_000
    /// The maximum time in nanoseconds between an Escape and the rest of its sequence while replies are expected.
    private static let expectedReplyTimeout: Int64 = 200_000_000
    /// The time in nanoseconds between two checks whether the process is in the foreground again: the kernel does not
    /// notify a background process when it returns to the foreground.
    private static let foregroundCheckInterval: Int64 = 300_000_000

    /// The object that sets the terminal up and restores it.
    private let session: TerminalSession
    /// Handles keys, replies and requests of signal handlers.
    private let listener: any TerminalEventHandler
    /// Whether the reader's thread must end.
    private let mustStop = Atomic<Bool>(false)
    /// The event descriptor that wakes the reader's thread.
    private let wakeDescriptor: EventDescriptor
    /// The reader's thread; nil before ``start()`` and after ``stop()``.
    private let thread = Monitor<NamedThread?>(nil)

    init(session: TerminalSession, listener: any TerminalEventHandler) throws(SystemCallError) {
        self.session = session
        self.listener = listener
        wakeDescriptor = try EventDescriptor()
    }

    /// Starts the thread, which retains this object until ``stop()``.
    func start() throws(SystemCallError) {
        let newThread = try NamedThread("terminal-read") { self.run() }
        thread.withLock { $0 = newThread }
    }

    /// Stops and joins the thread. Further calls have no effect. An event handler on the thread may call this method;
    /// the thread then ends later.
    func stop() {
        mustStop.store(true, ordering: .releasing)
        wakeDescriptor.signal()
        thread.withLock { $0.take() }?.join()
    }

    /// Reads and handles input until ``stop()``, or until the terminal is lost.
    private func run() {
        var input = TerminalInput()
        // Whether the terminal is restored: the process was suspended, or it starts or continues in the background.
        var isRestored = !session.isActive
        while !mustStop.load(ordering: .acquiring) {
            let readsInput = session.usage.readsKeys && !isRestored
            var entries = [
                Poll.Entry(wakeDescriptor.raw), Poll.Entry(session.wakeDescriptor.raw),
                Poll.Entry(session.raw, readsInput ? .readable : []),
            ]
            let timeout = isRestored ? Self.foregroundCheckInterval : timeout(for: input)
            guard let isReady = try? Poll.wait(&entries, until: timeout.map { MonotonicTime.now + $0 }) else {
                return listener.publishLoss("cannot wait for terminal input")
            }
            if mustStop.load(ordering: .acquiring) { return }
            if entries[1].ready.contains(.readable) { handleRequests(session.takeRequests(), &isRestored) }
            if isRestored, session.isForeground {
                isRestored = false
                listener.resume()
            }
            if !isReady {
                if !isRestored { deliver(input.flush()) }
            } else if readsInput ? !entries[2].ready.isEmpty : entries[2].ready.contains(.hungUp) {
                guard read(&input, hungUp: entries[2].ready.contains(.hungUp), &isRestored) else { return }
            }
        }
    }

    /// Returns the time after which the pending input counts as complete; nil if no input is pending.
    private func timeout(for input: TerminalInput) -> Int64? {
        guard input.isPending else { return nil }
        if input.isReplyPending { return Self.replyTimeout }
        return listener.expectsReplies ? Self.expectedReplyTimeout : Self.escapeTimeout
    }

    /// Handles the requests that signal handlers recorded, such as a changed terminal size.
    private func handleRequests(_ requests: TerminalRestorer.Requests, _ isRestored: inout Bool) {
        if requests.contains(.suspend) {
            isRestored = true
            listener.suspend()
            // The `SIGCONT` that ended the suspension has recorded a `.continue` request. Discard that request, because
            // `listener.resume()` handles the return.
            _ = session.takeRequests()
        } else if requests.contains(.continue), !isRestored {
            // The process continues after `SIGSTOP`, before which it could not restore the terminal. The terminal's
            // state is therefore not known.
            isRestored = true
            listener.pauseDrawing()
        }
        if requests.contains(.resize) { listener.handleResize() }
    }

    /// Passes keys and replies to the listener.
    private func deliver(_ events: [TerminalInput.Event]) {
        for event in events {
            if mustStop.load(ordering: .acquiring) { return }
            switch event {
            case .key(let name): listener.emit(.key(name))
            case .reply(let reply): listener.handle(reply)
            }
        }
    }

    /// Reads and handles the available bytes. Returns false if the terminal was lost.
    private func read(_ input: inout TerminalInput, hungUp: Bool, _ isRestored: inout Bool) -> Bool {
        var byteCount = 0, errorNumber: Int32 = 0
        let events = withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 1) { buffer in
            byteCount = Glibc.read(session.raw, buffer.baseAddress, buffer.count)
            errorNumber = errno
            return byteCount > 0 ? input.feed(buffer[..<byteCount]) : []
        }
        deliver(events)
        if byteCount > 0 { return true }
        if byteCount < 0, errorNumber == EINTR || errorNumber == EAGAIN, !hungUp { return true }
        // In the background, reading fails with the same error although the terminal exists.
        if byteCount < 0, errorNumber == EIO, !hungUp, !session.isForeground {
            isRestored = true
            listener.pauseDrawing()
            return true
        }
        if !mustStop.load(ordering: .acquiring) { listener.publishLoss("the terminal hung up") }
        return false
    }
}
