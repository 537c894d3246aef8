import Glibc
import SharedFrames
import SystemCalls

/// The thread that writes to a terminal: it draws the newest picture whenever the terminal accepts it.
///
/// At most one picture waits. A newer picture replaces the waiting picture, which then counts as dropped. The newest
/// message and the newest title are always shown. No other thread waits for the terminal.
package final class TerminalWriter: Sendable {
    /// The state that other threads change and the writer's thread reads.
    private struct State {
        /// The newest picture; nil before the first one.
        var content: TerminalContent?
        /// Whether the newest picture has not been drawn yet.
        var hasNewContent = false
        /// The message for the last row.
        var message = ""
        /// The message that was drawn most recently.
        var shownMessage = ""
        /// The window title to set; nil if it does not change.
        var title: String?
        /// The terminal size at which everything must be redrawn; nil if no full redraw is necessary.
        var redrawGeometry: TerminalGeometry?
        /// The requested corner in which the compositor draws; nil if no corner is requested.
        var corner: Corner?
        /// The corner that was requested when the thread drew most recently.
        var lastDrawnCorner: Corner?
        /// The style in which the compositor draws its picture in the corner; nil before ``setCornerStyle(_:)``.
        var cornerStyle: TerminalPictureStyle?
        /// The ``cornerStyle`` when the thread drew most recently.
        var lastDrawnCornerStyle: TerminalPictureStyle?
        /// Whether ``pause()`` has paused writing.
        var isPaused = false
        /// Whether the thread has noticed the pause and writes no bytes.
        var hasThreadPaused = false
        /// Whether the writer's thread must end.
        var isStopping = false
        /// Whether the writer's thread has ended after an error.
        var hasEnded = false
        var statistics = TerminalStatistics()
    }

    /// A copy of the state from which the thread draws one update of the terminal.
    private struct Drawing {
        let content: TerminalContent?
        let hasNewContent: Bool
        let message: String
        let title: String?
        let redrawGeometry: TerminalGeometry?
        let corner: Corner?
        let cornerStyle: TerminalPictureStyle?
    }

    /// The next action of the writer's thread.
    private enum ThreadAction {
        /// Wait until the state changes: nothing must be drawn.
        case wait
        /// Wait until ``resume(_:)``, because writing is paused.
        case waitForResume
        /// End the writer's thread.
        case stop
        /// Draw the terminal according to this copy of the state.
        case draw(Drawing)
    }

    /// The object that sets the terminal up and restores it.
    private let session: TerminalSession
    /// The state that other threads change, protected by a lock.
    private let state: Monitor<State>
    /// The event descriptor that wakes the writer's thread.
    private let wakeDescriptor: EventDescriptor
    /// The thread; nil before ``start(onLost:)`` and after ``stop()``.
    private let thread = Monitor<NamedThread?>(nil)

    init(session: TerminalSession) throws(SystemCallError) {
        self.session = session
        state = Monitor(State())
        wakeDescriptor = try EventDescriptor()
    }

    /// Starts the thread, which retains this object until ``stop()``.
    ///
    /// - Parameter onLost: Called on the writer's thread when writing fails, at most once.
    func start(onLost: @escaping @Sendable (String) -> Void) throws(SystemCallError) {
        let newThread = try NamedThread("terminal-write") {
            guard let error = self.run() else { return }
            self.state.update { $0.hasEnded = true }
            onLost("cannot write to the terminal: \(error.reason)")
        }
        thread.withLock { $0 = newThread }
    }

    /// Counters of the pictures drawn and dropped so far.
    package var statistics: TerminalStatistics { state.withLock { $0.statistics } }

    /// Replaces the picture that waits to be drawn. Never waits.
    func show(_ content: TerminalContent) {
        state.withLock { state in
            if state.hasNewContent { state.statistics.droppedPictureCount += 1 }
            state.content = content
            state.hasNewContent = true
        }
        wakeDescriptor.signal()
    }

    /// Sets the message in the last row.
    func show(message: String) { updateState { $0.message = message } }
    /// Sets the title of the terminal's window.
    func show(title: String) { updateState { $0.title = TerminalText.sanitised(String(title.prefix(500))) } }
    /// Requests a redraw of all contents at a new terminal size.
    func invalidate(_ geometry: TerminalGeometry) { updateState { $0.redrawGeometry = geometry } }

    /// Sets how the compositor draws its picture in the corner.
    func setCornerStyle(_ style: TerminalPictureStyle) {
        guard state.withLock({ $0.cornerStyle }) != style else { return }
        updateState { $0.cornerStyle = style }
    }

    /// Reserves a corner for the compositor and draws around it.
    func open(_ corner: Corner) { updateState { $0.corner = corner } }

    /// Takes the corner back from the compositor when the next picture is drawn: see ``redrawCorner()``.
    func closeCorner() { state.withLock { $0.corner = nil } }

    /// Redraws the cells that the compositor used until ``closeCorner()``, unless a picture was drawn since then.
    func redrawCorner() { wakeDescriptor.signal() }

    /// Whether the compositor draws a corner.
    var hasCorner: Bool { state.withLock { $0.corner != nil } }

    /// Pauses writing until ``resume(_:)``. Returns when the writer's thread has paused; interrupts a picture that the
    /// terminal does not accept.
    func pause() {
        updateState { $0.isPaused = true }
        _ = state.wait { $0.hasThreadPaused || $0.isStopping || $0.hasEnded ? true : nil }
    }

    /// Continues writing at a terminal size, and redraws all contents.
    func resume(_ geometry: TerminalGeometry) {
        updateState {
            $0.isPaused = false
            $0.redrawGeometry = geometry
        }
    }

    /// Stops and joins the writer's thread. Discards bytes that the terminal does not accept at once. Further calls
    /// have no effect.
    func stop() {
        updateState { $0.isStopping = true }
        thread.withLock { $0.take() }?.join()
    }

    /// Changes the state and wakes the writer's thread.
    private func updateState(_ body: (inout State) -> Void) {
        state.update(body)
        wakeDescriptor.signal()
    }

    /// Draws until ``stop()``. Returns the error that ended the drawing; nil after ``stop()``.
    private func run() -> SystemCallError? {
        var screen = TerminalScreen(geometry: session.geometry)
        var terminalLock = session.sharedMemory.map { TerminalLock($0) }
        while true {
            switch nextThreadAction() {
            case .stop:
                removeImages(of: screen)
                return nil
            case .waitForResume, .wait:
                _ = try? Poll.waitReadable(wakeDescriptor.raw, until: nil)
                wakeDescriptor.drain()
            case .draw(let drawing):
                let writeResult = draw(drawing, on: &screen, &terminalLock)
                if case .interrupted = writeResult {
                    state.withLock { state in
                        // The picture was interrupted, so the terminal's contents are not known.
                        state.redrawGeometry = state.redrawGeometry ?? screen.geometry
                        if state.title == nil { state.title = drawing.title }
                    }
                }
                if case .lost(let errorNumber) = writeResult {
                    return SystemCallError(call: "write", number: errorNumber)
                }
            }
        }
    }

    /// Deletes the images behind a multiplexer, which would stay on the terminal.
    private func removeImages(of screen: TerminalScreen) {
        let deletion = screen.passedImageDeletion
        guard !deletion.isEmpty, session.isActive else { return }
        _ = write(deletion)
    }

    /// Draws one update of the terminal. If the compositor shares the terminal, holds the lock while drawing.
    private func draw(
        _ drawing: Drawing, on screen: inout TerminalScreen, _ terminalLock: inout TerminalLock?
    ) -> WriteResult {
        if let redrawGeometry = drawing.redrawGeometry { screen.invalidate(redrawGeometry) }
        let geometry = screen.geometry
        let cornerRegion =
            terminalLock == nil
            ? nil
            : drawing.corner.flatMap {
                TerminalCorner.region(in: geometry, picture: $0.picture, style: drawing.cornerStyle)
            }
        let isShared = cornerRegion != nil || terminalLock?.grantedRegion != nil
        if isShared, terminalLock?.acquire(terminal: session.raw, while: { !mustInterrupt }) == false {
            return .interrupted
        }
        defer { terminalLock?.release() }
        guard session.isActive else { return .interrupted }
        let changesGrant =
            cornerRegion != terminalLock?.grantedRegion || (cornerRegion != nil && drawing.redrawGeometry != nil)
        if changesGrant {
            screen.exclude(cornerRegion?.cells, style: cornerRegion?.style)
            terminalLock?.grant(cornerRegion)
            // If the terminal was restored meanwhile, the restorer withdrew the cells before this thread assigned them.
            // Withdraw them again.
            if !session.isActive { terminalLock?.grant(nil) }
        }
        var bytes = screen.draw(drawing.content, message: drawing.message)
        let isUnchanged = bytes.isEmpty
        if let title = drawing.title { bytes += Array("\u{1b}]2;\(title)\u{1b}\\".utf8) }
        let writeResult = write(bytes)
        if case .written = writeResult {
            state.withLock { state in
                state.statistics.writtenByteCount += bytes.count
                guard drawing.hasNewContent else { return }
                if isUnchanged {
                    state.statistics.unchangedPictureCount += 1
                } else {
                    state.statistics.writtenPictureCount += 1
                }
            }
            terminalLock?.release()
            if changesGrant, cornerRegion != nil { drawing.corner?.onDrawingAllowed() }
        } else if isShared {
            terminalLock?.grant(nil)
        }
        return writeResult
    }

    /// Whether writing must be interrupted: the writer is paused or stopped, or the terminal was restored.
    private var mustInterrupt: Bool { state.withLock { $0.isPaused || $0.isStopping } || !session.isActive }

    /// Returns the next action. Records the contents of that action as drawn.
    private func nextThreadAction() -> ThreadAction {
        state.update { state in
            state.hasThreadPaused = state.isPaused
            if state.isStopping { return .stop }
            if state.isPaused { return .waitForResume }
            // `TerminalRestorer.restoreNow()` has restored the terminal, so drawing is not allowed.
            guard session.isActive else { return .wait }
            guard
                state.hasNewContent || state.message != state.shownMessage || state.title != nil
                    || state.redrawGeometry != nil || state.corner?.number != state.lastDrawnCorner?.number
                    || (state.corner != nil && state.cornerStyle != state.lastDrawnCornerStyle)
            else { return .wait }
            defer {
                state.hasNewContent = false
                state.shownMessage = state.message
                state.title = nil
                state.redrawGeometry = nil
                (state.lastDrawnCorner, state.lastDrawnCornerStyle) = (state.corner, state.cornerStyle)
            }
            return .draw(
                Drawing(
                    content: state.content, hasNewContent: state.hasNewContent, message: state.message,
                    title: state.title, redrawGeometry: state.redrawGeometry,
                    corner: state.corner, cornerStyle: state.cornerStyle))
        }
    }

    /// Writes all bytes, however long the terminal takes. The writing is interrupted only if the thread must pause or
    /// stop while the terminal is full, or if the terminal has been restored.
    private func write(_ bytes: [UInt8]) -> WriteResult {
        bytes.withUnsafeBytes { buffer in
            var position = 0
            while let baseAddress = buffer.baseAddress, position < buffer.count {
                let chunk = UnsafeRawBufferPointer(
                    start: baseAddress + position, count: min(buffer.count - position, 1 << 16))
                guard let writtenCount = session.write(chunk) else { return .interrupted }
                if writtenCount > 0 {
                    position += writtenCount
                    continue
                }
                let errorNumber = errno
                if errorNumber == EINTR { continue }
                guard errorNumber == EAGAIN else { return .lost(errorNumber) }
                if mustInterrupt { return .interrupted }
                var entries = [Poll.Entry(session.raw, .writable), Poll.Entry(wakeDescriptor.raw)]
                guard (try? Poll.wait(&entries, until: nil)) != nil else { return .lost(EIO) }
                if entries[1].ready.contains(.readable) { wakeDescriptor.drain() }
                if !entries[0].ready.isDisjoint(with: [.hungUp, .failed, .invalid]) { return .lost(EIO) }
            }
            return .written
        }
    }
}
