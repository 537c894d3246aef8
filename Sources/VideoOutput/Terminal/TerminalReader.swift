import Glibc
import Synchronization
import SystemCalls

/// The thread that listens to a terminal: keys, answers, and what signals ask for.
final class TerminalReader: Sendable {
    /// How long the rest of a sequence may take after its Escape.
    private static let escapeDelay: Int64 = 50_000_000
    /// While another job has the terminal nothing tells us that it is ours again.
    private static let backgroundInterval: Int64 = 300_000_000

    private let session: TerminalSession
    private let listener: TerminalListener
    private let stopping = Atomic<Bool>(false)
    private let wake: EventDescriptor
    private let thread = Monitor<NamedThread?>(nil)

    init(session: TerminalSession, listener: TerminalListener) throws(SystemCallError) {
        self.session = session
        self.listener = listener
        wake = try EventDescriptor()
    }

    /// Starts the thread, which holds this object until ``stop()``.
    func start() throws(SystemCallError) {
        let started = try NamedThread("terminal-read") { self.run() }
        thread.withLock { $0 = started }
    }

    /// Ends and joins the thread; from a handler, lets it end. Idempotent.
    func stop() {
        stopping.store(true, ordering: .releasing)
        wake.signal()
        thread.withLock { $0.take() }?.join()
    }

    private func run() {
        var input = TerminalInput()
        // Given back: suspended, or continued in the background.
        var isAway = false
        while !stopping.load(ordering: .acquiring) {
            var entries = [
                Poll.Entry(wake.raw), Poll.Entry(session.wake.raw), Poll.Entry(session.raw, isAway ? [] : .readable),
            ]
            let wait = isAway ? Self.backgroundInterval : input.isPending ? Self.escapeDelay : nil
            guard let isReady = try? Poll.wait(&entries, until: wait.map { MonotonicTime.now + $0 }) else {
                return listener.lose("terminal: cannot wait for input")
            }
            if stopping.load(ordering: .acquiring) { return }
            if entries[1].ready.contains(.readable) { obey(session.takeRequests(), &isAway) }
            if isAway, session.isForeground {
                isAway = false
                listener.comeBack()
            }
            if !isReady {
                if !isAway { pass(input.flush()) }
            } else if isAway ? entries[2].ready.contains(.hungUp) : !entries[2].ready.isEmpty {
                guard read(&input, hungUp: entries[2].ready.contains(.hungUp)) else { return }
            }
        }
    }

    private func obey(_ requests: TerminalRestorer.Requests, _ isAway: inout Bool) {
        if requests.contains(.suspend) {
            isAway = true
            listener.suspend()
            // The signal that let us go on is answered by coming back.
            _ = session.takeRequests()
        } else if requests.contains(.continue), !isAway {
            // Stopped from outside: whoever stopped us left the terminal as he liked.
            isAway = true
            listener.stepAside()
        }
        if requests.contains(.resize) { listener.resize() }
    }

    private func pass(_ events: [TerminalInput.Event]) {
        for event in events {
            if stopping.load(ordering: .acquiring) { return }
            switch event {
            case .key(let name): listener.emit(.key(name))
            case .answer(let answer): listener.learn(answer)
            }
        }
    }

    /// Reads what is there; false when the terminal is gone.
    private func read(_ input: inout TerminalInput, hungUp: Bool) -> Bool {
        var count = 0, number: Int32 = 0
        let events = withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 1) { buffer in
            count = Glibc.read(session.raw, buffer.baseAddress, buffer.count)
            number = errno
            return count > 0 ? input.feed(buffer[..<count]) : []
        }
        pass(events)
        if count > 0 { return true }
        if count < 0, number == EINTR || number == EAGAIN, !hungUp { return true }
        // In the background reading fails like this too.
        if count < 0, number == EIO, !hungUp, !session.isForeground { return true }
        if !stopping.load(ordering: .acquiring) { listener.lose("the terminal hung up") }
        return false
    }
}
