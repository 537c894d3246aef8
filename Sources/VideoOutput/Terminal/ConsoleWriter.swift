import Glibc
import SystemCalls

/// The thread that writes lines of text and the status line to a terminal.
///
/// No other thread waits for the terminal: lines wait in a bounded queue, and a newer status line replaces an older one
/// that waits.
final class ConsoleWriter: Sendable {
    /// The state that other threads change and the writer's thread reads.
    private struct State {
        /// The lines that wait: at most ``lineLimit``.
        var lines: [String] = []
        /// The number of lines that were discarded because too many waited.
        var discardedLineCount = 0
        /// The newest status line; empty for none.
        var status = ""
        /// Whether the state has changed since the thread last read it.
        var hasChanged = false
        /// Whether the status line must be drawn although its text is unchanged.
        var mustRedraw = false
        /// Whether ``pause()`` has paused writing.
        var isPaused = false
        /// Whether the thread has noticed the pause and writes no bytes.
        var hasThreadPaused = false
        /// The host time at which the thread ends although lines wait; nil before ``stop(keepingStatus:)``.
        var stopDeadline: Int64?
        /// Whether the status line stays on the terminal when the thread ends.
        var keepsStatus = false
        /// Whether the writer's thread has ended.
        var hasEnded = false
    }

    /// The next action of the writer's thread.
    private enum ThreadAction {
        /// Wait until the state changes.
        case wait
        /// Write lines and the status line.
        case write(lines: [String], status: String, mustRedraw: Bool)
        /// End the thread.
        case stop(keepsStatus: Bool)
    }

    /// The largest number of lines that wait.
    private static let lineLimit = 200
    /// The time in nanoseconds for which ``stop(keepingStatus:)`` writes the remaining lines.
    private static let stopTimeout: Int64 = 300_000_000

    /// The object that sets the terminal up and restores it.
    private let session: TerminalSession
    /// The state that other threads change, protected by a lock.
    private let state = Monitor(State())
    /// The event descriptor that wakes the writer's thread.
    private let wakeDescriptor: EventDescriptor
    /// The thread; nil before ``start()`` and after ``stop(keepingStatus:)``.
    private let thread = Monitor<NamedThread?>(nil)

    init(session: TerminalSession) throws(SystemCallError) {
        self.session = session
        wakeDescriptor = try EventDescriptor()
    }

    /// Starts the thread, which retains this object until ``stop(keepingStatus:)``.
    func start() throws(SystemCallError) {
        let newThread = try NamedThread("terminal-write") {
            self.run()
            self.state.update { $0.hasEnded = true }
        }
        thread.withLock { $0 = newThread }
    }

    /// Adds a line. If too many lines wait, discards the oldest one.
    func write(line: String) {
        updateState { state in
            guard !state.hasEnded else { return }
            if state.lines.count >= Self.lineLimit {
                state.lines.removeFirst()
                state.discardedLineCount += 1
            }
            state.lines.append(line)
        }
    }

    /// Replaces the status line; an empty text removes it.
    func show(status: String) { updateState { $0.status = status } }

    /// Draws the status line again, for example at a new terminal size.
    func redraw() { updateState { $0.mustRedraw = true } }

    /// Pauses writing until ``resume()``. Returns when the writer's thread has paused.
    func pause() {
        updateState { $0.isPaused = true }
        _ = state.wait { $0.hasThreadPaused || $0.stopDeadline != nil || $0.hasEnded ? true : nil }
    }

    /// Continues writing, and draws the status line again if the terminal is set up.
    func resume() {
        updateState {
            $0.isPaused = false
            $0.mustRedraw = true
        }
    }

    /// Writes the remaining lines, unless the terminal does not accept them soon, and stops and joins the thread.
    /// Further calls have no effect.
    ///
    /// - Parameter keepsStatus: Whether the status line stays on the terminal.
    func stop(keepingStatus keepsStatus: Bool) {
        updateState {
            $0.keepsStatus = keepsStatus
            $0.stopDeadline = $0.stopDeadline ?? MonotonicTime.now + Self.stopTimeout
        }
        thread.withLock { $0.take() }?.join()
    }

    /// Changes the state and wakes the writer's thread.
    private func updateState(_ body: (inout State) -> Void) {
        state.update {
            body(&$0)
            $0.hasChanged = true
        }
        wakeDescriptor.signal()
    }

    /// Writes until ``stop(keepingStatus:)``, or until the terminal is lost.
    private func run() {
        var text = ConsoleText()
        while true {
            switch nextThreadAction() {
            case .wait:
                _ = try? Poll.waitReadable(wakeDescriptor.raw, until: nil)
                wakeDescriptor.drain()
            case .write(let lines, let status, let mustRedraw):
                // A restored terminal may belong to another program, and gets lines without control sequences.
                let isActive = session.isActive
                if !isActive { text.invalidate() }
                let bytes = text.update(
                    lines: lines, status: isActive ? status : "", columns: session.geometry.columns,
                    mustRedraw: isActive && mustRedraw)
                guard let isComplete = write(bytes, isActive: isActive) else { return }
                if !isComplete {
                    text.invalidate()
                    state.withLock { $0.mustRedraw = true }
                }
            case .stop(let keepsStatus):
                if keepsStatus, !text.shownStatus.isEmpty { _ = write([UInt8(ascii: "\n")], isActive: true) }
                return
            }
        }
    }

    /// Returns the next action. Records the contents of that action as written.
    private func nextThreadAction() -> ThreadAction {
        state.update { state in
            state.hasThreadPaused = state.isPaused && state.stopDeadline == nil
            if state.hasThreadPaused { return .wait }
            guard state.hasChanged else {
                return state.stopDeadline == nil ? .wait : .stop(keepsStatus: state.keepsStatus)
            }
            defer {
                (state.lines, state.discardedLineCount) = ([], 0)
                (state.hasChanged, state.mustRedraw) = (false, false)
            }
            let note = state.discardedLineCount == 0 ? [] : ["(\(state.discardedLineCount) messages are missing here)"]
            return .write(lines: note + state.lines, status: state.status, mustRedraw: state.mustRedraw)
        }
    }

    /// Writes all bytes, however long the terminal takes.
    ///
    /// - Parameter isActive: Whether the session was active when the bytes were composed. They may then contain control
    ///   sequences, which must not be written to a restored terminal.
    /// - Returns: False if a pause, the end of the thread or a restored terminal stopped the writing; nil if the
    ///   terminal is lost.
    private func write(_ bytes: [UInt8], isActive: Bool) -> Bool? {
        bytes.withUnsafeBytes { buffer -> Bool? in
            var position = 0
            while let baseAddress = buffer.baseAddress, position < buffer.count {
                let chunk = UnsafeRawBufferPointer(start: baseAddress + position, count: buffer.count - position)
                guard let writtenCount = isActive ? session.write(chunk) : session.writePlainText(chunk) else {
                    return false
                }
                if writtenCount > 0 {
                    position += writtenCount
                    continue
                }
                let errorNumber = errno
                if errorNumber == EINTR { continue }
                guard errorNumber == EAGAIN else { return nil }
                let (isPaused, stopDeadline) = state.withLock { ($0.isPaused, $0.stopDeadline) }
                if stopDeadline.map({ $0 <= MonotonicTime.now }) ?? isPaused { return false }
                var entries = [Poll.Entry(session.raw, .writable), Poll.Entry(wakeDescriptor.raw)]
                guard (try? Poll.wait(&entries, until: stopDeadline)) != nil else { return nil }
                if entries[1].ready.contains(.readable) { wakeDescriptor.drain() }
                if !entries[0].ready.isDisjoint(with: [.hungUp, .failed, .invalid]) { return nil }
            }
            return true
        }
    }
}
