import CLinux
import Glibc
import SharedFrames
import SystemCalls

/// A session on a terminal: `init` takes the terminal over, and ``close()`` restores its modes, screen and cursor. If
/// the process crashes, ``TerminalSignals/installCrashHandlers()`` restores them.
///
/// Safe to use from any thread. While the session is active, only ``TerminalWriter``
/// or ``ConsoleWriter`` writes to the terminal.
package final class TerminalSession: Sendable {
    /// The state that several threads share.
    private struct State {
        /// The current size of the terminal.
        var geometry: TerminalGeometry
        /// The size of a cell according to the terminal's reply; nil before the reply.
        var reportedCellSize: PixelSize?
        var isClosed = false
    }

    /// The escape sequences that move the cursor to the upper left, reset the colours and clear the screen.
    private static let clearSequence: StaticString = "\u{1b}[H\u{1b}[0m\u{1b}[2J"

    /// The terminal's capabilities, guessed from the environment. ``TerminalListener`` updates its own copy from the
    /// terminal's replies.
    package let capabilities: TerminalCapabilities
    /// The memory shared with another process that draws on the terminal; nil if the terminal is not shared.
    let sharedMemory: SharedTerminalMemory?
    /// The purpose for which the session uses the terminal.
    let usage: TerminalUsage
    /// The descriptor of the terminal.
    private let descriptor: SharedDescriptor
    /// Restores the terminal if this process is killed; nil if the session changes nothing that outlasts it.
    private let watchProcess: TerminalWatchProcess?
    /// The index of the terminal's slot in ``TerminalRestorer``.
    private let slot: Int
    /// The event descriptor that signal handlers signal: see ``takeRequests()``.
    let wakeDescriptor: EventDescriptor
    /// The state that several threads share, protected by a lock.
    private let state: Monitor<State>

    /// The terminal's descriptor, which is non-blocking.
    var raw: Int32 { descriptor.raw }
    /// The current size of the terminal.
    package var geometry: TerminalGeometry { state.withLock { $0.geometry } }

    /// Whether a descriptor refers to a terminal.
    package static func isTerminal(_ descriptor: Int32 = STDOUT_FILENO) -> Bool { isatty(descriptor) == 1 }

    /// Takes over the terminal behind `descriptor`. The session opens the terminal again, so that the flags of the
    /// caller's descriptor do not change. A console that starts in the background begins restored, until ``resume()``.
    ///
    /// - Parameters:
    ///   - usage: What the session uses the terminal for. Pictures need a terminal that can place its cursor.
    ///   - share: The memory through which another process may draw on a part of the terminal; nil if none may.
    ///   - environment: Returns the value of an environment variable; by default that of this process.
    /// - Throws: `SystemCallError`: `ENOTTY` if `descriptor` is not a terminal or the terminal cannot place its cursor,
    ///   `EBUSY` if too many terminals are in use, or the error of a system call.
    package init(
        descriptor source: Int32 = STDOUT_FILENO, usage: TerminalUsage = .pictures, share: SharedTerminalMemory? = nil,
        environment: (String) -> String? = { getenv($0).map { String(cString: $0) } }
    ) throws(SystemCallError) {
        var capabilities = TerminalCapabilities(environment: environment)
        guard Self.isTerminal(source), usage.isConsole || !capabilities.isDumb else {
            throw SystemCallError(call: "isatty", number: ENOTTY)
        }
        if !usage.isConsole, capabilities.isMultiplexed {
            capabilities.passthrough = TerminalPassthrough.detect(environment: environment)
        }
        let (descriptor, isShared) = try Self.open(source)
        var savedModes = termios()
        try systemCall("tcgetattr") { tcgetattr(descriptor.raw, &savedModes) }
        let wakeDescriptor = try EventDescriptor()
        self.capabilities = capabilities
        self.descriptor = descriptor
        self.wakeDescriptor = wakeDescriptor
        self.sharedMemory = share
        self.usage = usage
        state = Monitor(State(geometry: TerminalGeometry(of: descriptor.raw)))
        slot = try Self.takeSlot(descriptor.raw, usage, savedModes, isShared, share)
        watchProcess =
            usage.readsKeys ? TerminalWatchProcess(terminal: descriptor.raw, leaveSequence: usage.leaveSequence) : nil
        TerminalRestorer.slots[slot].watchDescriptor = watchProcess?.descriptor ?? -1
        TerminalSignals.retain()
        TerminalRestorer.slots[slot].wakeDescriptor.store(wakeDescriptor.raw, ordering: .releasing)
        if usage.isConsole, !isForeground {
            TerminalRestorer.slots[slot].phase.store(TerminalRestorer.Phase.restored, ordering: .releasing)
        } else {
            setUp(queries: usage.isConsole ? "" : capabilities.queries)
        }
    }

    deinit { close() }

    /// Restores the terminal. Later calls have no effect. Do not write to the terminal after this call.
    package func close() {
        guard !state.withLock({ $0.isClosed.exchange(true) }) else { return }
        defer { watchProcess?.close() }
        let slotPointer = TerminalRestorer.slots + slot
        slotPointer.pointee.wakeDescriptor.store(-1, ordering: .releasing)
        let hasRestored = TerminalRestorer.restore(slot, nextPhase: TerminalRestorer.Phase.filling)
        TerminalSignals.release()
        // A suspension or `restoreNow` may already have restored the terminal. If another thread is restoring it right
        // now, the slot stays in use.
        guard
            hasRestored
                || slotPointer.pointee.phase.compareExchange(
                    expected: TerminalRestorer.Phase.restored, desired: TerminalRestorer.Phase.filling,
                    ordering: .acquiringAndReleasing
                ).exchanged
        else { return }
        slotPointer.pointee.restoreSequence.deallocate()
        slotPointer.pointee.phase.store(TerminalRestorer.Phase.free, ordering: .releasing)
    }

    /// Returns the requests that signal handlers have recorded since the last call of this method.
    func takeRequests() -> TerminalRestorer.Requests {
        wakeDescriptor.drain()
        return .init(rawValue: TerminalRestorer.slots[slot].requests.exchange(0, ordering: .acquiringAndReleasing))
    }

    /// Reads the terminal's size from the kernel again. Returns whether the size changed.
    func refreshGeometry() -> Bool {
        state.withLock { state in
            let newGeometry = TerminalGeometry(of: raw, cell: state.reportedCellSize)
            return state.geometry.exchange(newGeometry) != newGeometry
        }
    }

    /// Sets the size of a cell, which is used if the kernel does not know that size. Returns whether the geometry
    /// changed.
    func setCellSize(_ cell: PixelSize) -> Bool {
        state.withLock { $0.reportedCellSize = cell }
        return refreshGeometry()
    }

    /// Whether this process belongs to the terminal's foreground process group.
    var isForeground: Bool {
        let group = tcgetpgrp(raw)
        return group < 0 || group == getpgrp()
    }

    /// Restores the terminal until ``resume()``. The writer must be paused.
    func suspend() { _ = TerminalRestorer.restore(slot, nextPhase: TerminalRestorer.Phase.restored) }

    /// Sets the terminal up again after ``suspend()``. The writer must be paused.
    func resume() {
        let phase = TerminalRestorer.slots[slot].phase.load(ordering: .acquiring)
        guard phase == TerminalRestorer.Phase.restored || phase == TerminalRestorer.Phase.active else { return }
        // A shell's line editor may have changed the modes while the process was in the background.
        if usage.isConsole, phase == TerminalRestorer.Phase.restored {
            TerminalRestorer.slots[slot].phase.store(TerminalRestorer.Phase.filling, ordering: .releasing)
            tcgetattr(raw, &TerminalRestorer.slots[slot].savedModes)
        }
        setUp(queries: "")
    }

    /// Whether writing to the terminal is allowed; false after ``TerminalRestorer/restoreNow()``.
    var isActive: Bool {
        TerminalRestorer.slots[slot].phase.load(ordering: .acquiring) == TerminalRestorer.Phase.active
    }

    /// Writes as many bytes as the terminal accepts at once. Only the writer's thread calls this
    /// method.
    ///
    /// - Returns: The result of `write`, with its `errno`; nil if the terminal has been restored, since further output
    ///   would stay on the user's screen.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int? {
        let slotPointer = TerminalRestorer.slots + slot
        // Set `isWriting` before reading the phase. ``TerminalRestorer`` sets the phase before it reads the flag, so
        // that either the writer sees the new phase or the restorer sees the flag.
        slotPointer.pointee.isWriting.store(true, ordering: .sequentiallyConsistent)
        defer { slotPointer.pointee.isWriting.store(false, ordering: .sequentiallyConsistent) }
        guard slotPointer.pointee.phase.load(ordering: .sequentiallyConsistent) == TerminalRestorer.Phase.active else {
            return nil
        }
        return Glibc.write(raw, bytes.baseAddress, bytes.count)
    }

    /// Writes text without control sequences although the terminal is restored. For consoles only.
    func writePlainText(_ bytes: UnsafeRawBufferPointer) -> Int { Glibc.write(raw, bytes.baseAddress, bytes.count) }

    /// Sets the terminal's modes, then sends ``TerminalUsage/enterSequence`` and `queries`.
    private func setUp(queries: String) {
        let slotPointer = TerminalRestorer.slots + slot
        slotPointer.pointee.phase.store(TerminalRestorer.Phase.filling, ordering: .releasing)
        if slotPointer.pointee.mustRestoreBlocking { _ = clinux_set_nonblocking(raw, 1) }
        var modes = slotPointer.pointee.savedModes
        // Turn off echo, line buffering, flow control and the translation of Enter. Ctrl-C and Ctrl-Z still cause
        // signals.
        modes.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN)
        modes.c_iflag &= ~tcflag_t(IXON | ICRNL | INLCR | IGNCR)
        // VMIN is 1 and VTIME is 0; their indices in glibc are 6 and 5.
        modes.c_cc.6 = 1
        modes.c_cc.5 = 0
        slotPointer.pointee.phase.store(TerminalRestorer.Phase.active, ordering: .releasing)
        if usage.readsKeys {
            tcsetattr(raw, TCSANOW, &modes)
            // The terminal may not have accepted all modes.
            tcgetattr(raw, &modes)
            watchProcess?.reportUse(modes: modes, savedModes: slotPointer.pointee.savedModes)
        }
        guard !usage.isConsole else { return }
        var bytes = TerminalBytes()
        if !queries.isEmpty { bytes.add(capabilities.passedQueries) }
        bytes.add(usage.enterSequence)
        if !queries.isEmpty {
            bytes.add(queries)
            // Clear the text that a terminal may have printed because it does not know a query.
            bytes.add(Self.clearSequence)
        }
        // The terminal's output queue is empty, so these few sequences fit into it.
        _ = bytes.bytes.withUnsafeBytes { Glibc.write(raw, $0.baseAddress, $0.count) }
    }

    /// Opens the terminal behind `source` again. If that is not permitted, duplicates the descriptor and returns
    /// `isShared` as true: other processes then share the descriptor's flags.
    private static func open(_ source: Int32) throws(SystemCallError) -> (SharedDescriptor, isShared: Bool) {
        var requestedStatus = stat()
        try systemCall("fstat") { fstat(source, &requestedStatus) }
        for path in ["/proc/self/fd/\(source)", "/dev/tty"] {
            guard let openedDescriptor = try? FileDescriptor(opening: path, flags: O_RDWR | O_NOCTTY | O_NONBLOCK)
            else {
                continue
            }
            // /dev/tty has its own device number and may refer to another terminal.
            var status = stat()
            guard fstat(openedDescriptor.raw, &status) == 0,
                path == "/dev/tty"
                    ? areSameTerminal(openedDescriptor.raw, source) : status.st_rdev == requestedStatus.st_rdev
            else { continue }
            return (SharedDescriptor(openedDescriptor), false)
        }
        let duplicatedDescriptor = try FileDescriptor(duplicating: source)
        try duplicatedDescriptor.setNonBlocking(true)
        return (SharedDescriptor(duplicatedDescriptor), true)
    }

    /// Returns whether two descriptors refer to terminals with the same controlling session.
    private static func areSameTerminal(_ a: Int32, _ b: Int32) -> Bool {
        let session = tcgetsid(a)
        return session >= 0 && session == tcgetsid(b)
    }

    /// Fills a free slot of ``TerminalRestorer`` and returns its index.
    private static func takeSlot(
        _ descriptor: Int32, _ usage: TerminalUsage, _ savedModes: termios, _ isShared: Bool,
        _ share: SharedTerminalMemory?
    ) throws(SystemCallError) -> Int {
        for index in 0..<TerminalRestorer.slotCount {
            let slotPointer = TerminalRestorer.slots + index
            guard
                slotPointer.pointee.phase.compareExchange(
                    expected: TerminalRestorer.Phase.free, desired: TerminalRestorer.Phase.filling,
                    ordering: .acquiringAndReleasing
                ).exchanged
            else { continue }
            slotPointer.pointee.descriptor = descriptor
            slotPointer.pointee.savedModes = savedModes
            slotPointer.pointee.mustRestoreBlocking = isShared
            slotPointer.pointee.mustRestoreModes = usage.readsKeys
            slotPointer.pointee.drawingPermission = share?.drawingPermission
            slotPointer.pointee.lockDescriptor = share?.descriptor.raw ?? -1
            slotPointer.pointee.requests.store(0, ordering: .relaxed)
            let leaveSequence = usage.leaveSequence
            let sequence = UnsafeMutableRawBufferPointer.allocate(
                byteCount: leaveSequence.utf8CodeUnitCount, alignment: 1)
            leaveSequence.withUTF8Buffer { sequence.copyBytes(from: $0) }
            slotPointer.pointee.restoreSequence = sequence
            return index
        }
        throw SystemCallError(call: "too many terminals", number: EBUSY)
    }
}

extension Bool {
    /// Sets a new value and returns the old one.
    fileprivate mutating func exchange(_ newValue: Bool) -> Bool {
        defer { self = newValue }
        return self
    }
}

extension TerminalGeometry {
    /// Sets a new value and returns the old one.
    fileprivate mutating func exchange(_ newValue: TerminalGeometry) -> TerminalGeometry {
        defer { self = newValue }
        return self
    }
}
