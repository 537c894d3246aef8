import Glibc
import SharedFrames
import SystemCalls

/// The one writer of a terminal: a thread that draws the newest picture whenever the terminal can take it.
///
/// At most one picture waits; a newer one takes its place, which counts as a drop. Messages and titles are never
/// dropped, only the newest of each is kept. Nothing here waits for the terminal but this thread.
package final class TerminalWriter: Sendable {
    private struct State {
        var content: TerminalContent?
        var isFresh = false
        var message = ""
        var shownMessage = ""
        var title: String?
        var invalid: TerminalGeometry?
        /// What is to be in a corner that is another's, and what was seen to.
        var corner: Corner?
        var seenCorner: Corner?
        var isPaused = false
        var isParked = false
        var isStopping = false
        var hasEnded = false
        var statistics = TerminalStatistics()
    }

    /// A picture that another process draws in a corner.
    struct Corner: Sendable {
        let picture: PixelSize
        let number: Int
        /// Called on the writer's thread when the other has cells to draw in, and whenever they were lost.
        let onGiven: @Sendable () -> Void
    }

    private struct Drawing {
        let content: TerminalContent?
        let isFresh: Bool
        let message: String
        let title: String?
        let invalid: TerminalGeometry?
        let corner: Corner?
    }

    private enum Step {
        case wait
        case park
        case stop
        case draw(Drawing)
    }

    private enum Outcome {
        case written, interrupted
        case lost(Int32)
    }

    private let session: TerminalSession
    private let state: Monitor<State>
    private let wake: EventDescriptor
    private let thread = Monitor<NamedThread?>(nil)

    init(session: TerminalSession) throws(SystemCallError) {
        self.session = session
        state = Monitor(State())
        wake = try EventDescriptor()
    }

    /// Starts the thread, which holds this object until ``stop()``.
    ///
    /// - Parameter onLost: called on the writer's thread when the terminal takes nothing any more, at most once.
    func start(onLost: @escaping @Sendable (String) -> Void) throws(SystemCallError) {
        let started = try NamedThread("terminal-write") {
            guard let error = self.run() else { return }
            self.state.update { $0.hasEnded = true }
            onLost("terminal: \(error.reason)")
        }
        thread.withLock { $0 = started }
    }

    package var statistics: TerminalStatistics { state.withLock { $0.statistics } }

    /// Hands over a picture. Never waits.
    func show(_ content: TerminalContent) {
        state.withLock { state in
            if state.isFresh { state.statistics.dropped += 1 }
            state.content = content
            state.isFresh = true
        }
        wake.signal()
    }

    func show(message: String) { change { $0.message = message } }
    func show(title: String) { change { $0.title = TerminalText.sanitised(String(title.prefix(500))) } }
    /// Everything is drawn anew, at this size.
    func invalidate(_ geometry: TerminalGeometry) { change { $0.invalid = geometry } }

    /// Leaves a corner to another process and draws around it.
    func open(_ corner: Corner) { change { $0.corner = corner } }

    /// Draws on all of the terminal again, with the next picture: see ``settle()``.
    func closeCorner() { state.withLock { $0.corner = nil } }

    /// Draws what there is, if no picture came.
    func settle() { wake.signal() }

    var hasCorner: Bool { state.withLock { $0.corner != nil } }

    /// Keeps off the terminal until ``resume(_:)``; returns when the thread does, cutting short a picture that does not
    /// get through.
    func pause() {
        change { $0.isPaused = true }
        _ = state.wait { $0.isParked || $0.isStopping || $0.hasEnded ? true : nil }
    }

    func resume(_ geometry: TerminalGeometry) {
        change {
            $0.isPaused = false
            $0.invalid = geometry
        }
    }

    /// Ends and joins the thread. What the terminal does not take at once is given up. Idempotent.
    func stop() {
        change { $0.isStopping = true }
        thread.withLock { $0.take() }?.join()
    }

    private func change(_ body: (inout State) -> Void) {
        state.update(body)
        wake.signal()
    }

    /// Works until it is to stop; the error that ended it before.
    private func run() -> SystemCallError? {
        var screen = TerminalScreen(geometry: session.geometry)
        var turn = session.share.map { TerminalTurn($0) }
        while true {
            switch nextStep() {
            case .stop: return nil
            case .park, .wait:
                _ = try? Poll.waitReadable(wake.raw, until: nil)
                wake.drain()
            case .draw(let drawing):
                let outcome = draw(drawing, on: &screen, &turn)
                if case .interrupted = outcome {
                    state.withLock { state in
                        // Cut off in the middle: what stands there now is anybody's guess.
                        state.invalid = state.invalid ?? screen.geometry
                        if state.title == nil { state.title = drawing.title }
                    }
                }
                if case .lost(let number) = outcome { return SystemCallError(call: "write", number: number) }
            }
        }
    }

    private func draw(_ drawing: Drawing, on screen: inout TerminalScreen, _ turn: inout TerminalTurn?) -> Outcome {
        if let invalid = drawing.invalid { screen.invalidate(invalid) }
        let geometry = screen.geometry
        let place =
            turn == nil ? nil : drawing.corner.flatMap { TerminalCorner.place(in: geometry, picture: $0.picture) }
        let isShared = place != nil || turn?.given != nil
        if isShared, turn?.begin(terminal: session.raw, while: { !mustLeave }) == false { return .interrupted }
        defer { turn?.end() }
        guard session.isActive else { return .interrupted }
        let isGiven = place != turn?.given || (place != nil && drawing.invalid != nil)
        if isGiven {
            screen.leave(place?.cells)
            turn?.give(place)
            // Put back at this very moment: whoever did it has taken the cells back before.
            if !session.isActive { turn?.give(nil) }
        }
        var bytes = screen.draw(drawing.content, message: drawing.message)
        let isUnchanged = bytes.isEmpty
        if let title = drawing.title { bytes += Array("\u{1b}]2;\(title)\u{1b}\\".utf8) }
        let outcome = write(bytes)
        if case .written = outcome {
            state.withLock { state in
                state.statistics.bytes += bytes.count
                guard drawing.isFresh else { return }
                if isUnchanged { state.statistics.unchanged += 1 } else { state.statistics.written += 1 }
            }
            turn?.end()
            if isGiven, place != nil { drawing.corner?.onGiven() }
        } else if isShared {
            turn?.give(nil)
        }
        return outcome
    }

    private var mustLeave: Bool { state.withLock { $0.isPaused || $0.isStopping } || !session.isActive }

    private func nextStep() -> Step {
        state.update { state in
            state.isParked = state.isPaused
            if state.isStopping { return .stop }
            if state.isPaused { return .park }
            // Put back under us (`restoreNow`): the screen is not ours to draw on.
            guard session.isActive else { return .wait }
            guard
                state.isFresh || state.message != state.shownMessage || state.title != nil || state.invalid != nil
                    || state.corner?.number != state.seenCorner?.number
            else { return .wait }
            defer {
                state.isFresh = false
                state.shownMessage = state.message
                state.title = nil
                state.invalid = nil
                state.seenCorner = state.corner
            }
            return .draw(
                Drawing(
                    content: state.content, isFresh: state.isFresh, message: state.message, title: state.title,
                    invalid: state.invalid,
                    corner: state.corner))
        }
    }

    /// Writes all of it, however long the terminal takes; not so when the thread is to pause or stop and the terminal
    /// is full.
    private func write(_ bytes: [UInt8]) -> Outcome {
        bytes.withUnsafeBytes { buffer in
            var position = 0
            while let base = buffer.baseAddress, position < buffer.count {
                let piece = UnsafeRawBufferPointer(start: base + position, count: min(buffer.count - position, 1 << 16))
                guard let n = session.write(piece) else { return .interrupted }
                if n > 0 {
                    position += n
                    continue
                }
                let number = errno
                if number == EINTR { continue }
                guard number == EAGAIN else { return .lost(number) }
                if mustLeave { return .interrupted }
                var entries = [Poll.Entry(session.raw, .writable), Poll.Entry(wake.raw)]
                guard (try? Poll.wait(&entries, until: nil)) != nil else { return .lost(EIO) }
                if entries[1].ready.contains(.readable) { wake.drain() }
                if !entries[0].ready.isDisjoint(with: [.hungUp, .failed, .invalid]) { return .lost(EIO) }
            }
            return .written
        }
    }
}
