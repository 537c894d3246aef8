import CLinux
import Glibc
import SharedFrames
import SystemCalls

/// Owns a terminal from `init` to ``close()``: its modes, the alternate screen, the cursor. Puts everything back at the
/// end, whatever the end is (``TerminalSignals/installCrashHandlers()`` for the sudden ones).
///
/// Any thread. Bytes are written by one writer only, the output's.
package final class TerminalSession: Sendable {
    private struct State {
        var geometry: TerminalGeometry
        var cell: PixelSize?
        var isClosed = false
    }

    /// Sequences in this order: what was cut off ends, drawing at once ends, plain colours, wrapping, cursor, the
    /// user's screen and title.
    private static let leave: StaticString =
        "\u{18}\u{1b}\\\u{1b}[?2026l\u{1b}[0m\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l\u{1b}[23;0t"
    /// The user's title is kept, the alternate screen taken, the cursor hidden, the last column does not wrap.
    private static let enter: StaticString = "\u{1b}[22;0t\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l\u{1b}[0m\u{1b}[2J"

    /// What the environment says; the terminal's answers come later, to the output.
    package let abilities: TerminalAbilities
    /// With whom the terminal is shared; nil: with nobody.
    let share: TerminalShare?
    private let descriptor: SharedDescriptor
    private let slot: Int
    /// Signalled when a signal asked for something: see ``takeRequests()``.
    let wake: EventDescriptor
    private let state: Monitor<State>

    /// The open terminal; non-blocking.
    var raw: Int32 { descriptor.raw }
    package var geometry: TerminalGeometry { state.withLock { $0.geometry } }

    package static func isTerminal(_ descriptor: Int32 = STDOUT_FILENO) -> Bool { isatty(descriptor) == 1 }

    /// Takes the terminal that `descriptor` leads to: opens it anew, so that the caller's own descriptor keeps its
    /// flags.
    ///
    /// - Parameters:
    ///   - share: lets another process draw on a part of it.
    ///   - environment: the value of a variable; the process's by default.
    /// - Throws: `ENOTTY` when it is none or cannot place its cursor, and what the system says otherwise.
    package init(
        descriptor source: Int32 = STDOUT_FILENO, share: TerminalShare? = nil,
        environment: (String) -> String? = { getenv($0).map { String(cString: $0) } }
    ) throws(SystemCallError) {
        let abilities = TerminalAbilities(environment: environment)
        guard Self.isTerminal(source), !abilities.isDumb else { throw SystemCallError(call: "isatty", number: ENOTTY) }
        let (descriptor, isShared) = try Self.open(source)
        var saved = termios()
        try systemCall("tcgetattr") { tcgetattr(descriptor.raw, &saved) }
        let wake = try EventDescriptor()
        self.abilities = abilities
        self.descriptor = descriptor
        self.wake = wake
        self.share = share
        state = Monitor(State(geometry: TerminalGeometry(of: descriptor.raw)))
        slot = try Self.takeSlot(descriptor.raw, saved, isShared, share)
        TerminalSignals.retain()
        TerminalRestorer.slots[slot].wake.store(wake.raw, ordering: .releasing)
        setUp(questions: abilities.questions)
    }

    deinit { close() }

    /// Puts the terminal back. Idempotent. Nobody may write to it any more.
    package func close() {
        guard !state.withLock({ $0.isClosed.exchange(true) }) else { return }
        let entry = TerminalRestorer.slots + slot
        entry.pointee.wake.store(-1, ordering: .releasing)
        let wasOurs = TerminalRestorer.restore(slot, next: TerminalRestorer.Phase.filling)
        TerminalSignals.release()
        // Put back before (suspended, restoreNow) is as good; while another thread is at it, the slot stays taken.
        guard
            wasOurs
                || entry.pointee.phase.compareExchange(
                    expected: TerminalRestorer.Phase.restored, desired: TerminalRestorer.Phase.filling,
                    ordering: .acquiringAndReleasing
                ).exchanged
        else { return }
        entry.pointee.sequence.deallocate()
        entry.pointee.phase.store(TerminalRestorer.Phase.free, ordering: .releasing)
    }

    /// What signals asked for since the last time.
    func takeRequests() -> TerminalRestorer.Requests {
        wake.drain()
        return .init(rawValue: TerminalRestorer.slots[slot].requests.exchange(0, ordering: .acquiringAndReleasing))
    }

    /// Asks the kernel for the size again; true when it is another.
    func refreshGeometry() -> Bool {
        state.withLock { state in
            let now = TerminalGeometry(of: raw, cell: state.cell)
            return state.geometry.exchange(now) != now
        }
    }

    /// Notes the size of a cell, for a kernel that does not know it; true when that changed the geometry.
    func learn(cell: PixelSize) -> Bool {
        state.withLock { $0.cell = cell }
        return refreshGeometry()
    }

    /// False while the shell or another job has the terminal.
    var isForeground: Bool {
        let group = tcgetpgrp(raw)
        return group < 0 || group == getpgrp()
    }

    /// Gives the terminal back for a while. The writer must not be at work.
    func suspend() { _ = TerminalRestorer.restore(slot, next: TerminalRestorer.Phase.restored) }

    /// Takes the terminal again, as it is now. The writer must not be at work.
    func resume() {
        let phase = TerminalRestorer.slots[slot].phase.load(ordering: .acquiring)
        guard phase == TerminalRestorer.Phase.restored || phase == TerminalRestorer.Phase.armed else { return }
        setUp(questions: "")
    }

    /// True when the terminal is ours to write to; false after ``TerminalRestorer/restoreNow()`` too.
    var isActive: Bool { TerminalRestorer.slots[slot].phase.load(ordering: .acquiring) == TerminalRestorer.Phase.armed }

    /// Writes as much as the terminal takes at once. Only the writer.
    ///
    /// - Returns: what `write` returned, with its `errno`; nil when the terminal has been restored: what is drawn then
    ///   would stay on the user's screen.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int? {
        let entry = TerminalRestorer.slots + slot
        // First this, then the look at the phase: whoever restores does it the other way round, so that one of them
        // sees the other.
        entry.pointee.isWriting.store(true, ordering: .sequentiallyConsistent)
        defer { entry.pointee.isWriting.store(false, ordering: .sequentiallyConsistent) }
        guard entry.pointee.phase.load(ordering: .sequentiallyConsistent) == TerminalRestorer.Phase.armed else {
            return nil
        }
        return Glibc.write(raw, bytes.baseAddress, bytes.count)
    }

    private func setUp(questions: String) {
        let entry = TerminalRestorer.slots + slot
        entry.pointee.phase.store(TerminalRestorer.Phase.filling, ordering: .releasing)
        if entry.pointee.mustBlockAgain { _ = clinux_set_nonblocking(raw, 1) }
        var mode = entry.pointee.saved
        // No echo, no lines, no flow control and no translation of Enter; signals from keys stay.
        mode.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN)
        mode.c_iflag &= ~tcflag_t(IXON | ICRNL | INLCR | IGNCR)
        // VMIN 1, VTIME 0: glibc's numbers are 6 and 5.
        mode.c_cc.6 = 1
        mode.c_cc.5 = 0
        entry.pointee.phase.store(TerminalRestorer.Phase.armed, ordering: .releasing)
        tcsetattr(raw, TCSANOW, &mode)
        var bytes = TerminalBytes()
        bytes.add(questions)
        bytes.add(Self.enter)
        // Into an empty queue: more than these few bytes fit.
        _ = bytes.bytes.withUnsafeBytes { Glibc.write(raw, $0.baseAddress, $0.count) }
    }

    /// Opens the terminal behind `source` anew; where that is not allowed, a second descriptor of the same open file.
    private static func open(_ source: Int32) throws(SystemCallError) -> (SharedDescriptor, isShared: Bool) {
        var wanted = stat()
        try systemCall("fstat") { fstat(source, &wanted) }
        for path in ["/proc/self/fd/\(source)", "/dev/tty"] {
            guard let opened = try? FileDescriptor(opening: path, flags: O_RDWR | O_NOCTTY | O_NONBLOCK) else {
                continue
            }
            // /dev/tty is another node than what it leads to, and may be another terminal.
            var status = stat()
            guard fstat(opened.raw, &status) == 0,
                path == "/dev/tty" ? sameTerminal(opened.raw, source) : status.st_rdev == wanted.st_rdev
            else { continue }
            return (SharedDescriptor(opened), false)
        }
        let duplicate = try FileDescriptor(duplicating: source)
        try duplicate.setNonBlocking(true)
        return (SharedDescriptor(duplicate), true)
    }

    /// Both report the same controlling session.
    private static func sameTerminal(_ a: Int32, _ b: Int32) -> Bool {
        let session = tcgetsid(a)
        return session >= 0 && session == tcgetsid(b)
    }

    private static func takeSlot(
        _ descriptor: Int32, _ saved: termios, _ isShared: Bool, _ share: TerminalShare?
    ) throws(SystemCallError) -> Int {
        for index in 0..<TerminalRestorer.count {
            let entry = TerminalRestorer.slots + index
            guard
                entry.pointee.phase.compareExchange(
                    expected: TerminalRestorer.Phase.free, desired: TerminalRestorer.Phase.filling,
                    ordering: .acquiringAndReleasing
                ).exchanged
            else { continue }
            entry.pointee.descriptor = descriptor
            entry.pointee.saved = saved
            entry.pointee.mustBlockAgain = isShared
            entry.pointee.shareFlag = share?.flag
            entry.pointee.shareLock = share?.descriptor.raw ?? -1
            entry.pointee.requests.store(0, ordering: .relaxed)
            let sequence = UnsafeMutableRawBufferPointer.allocate(byteCount: leave.utf8CodeUnitCount, alignment: 1)
            leave.withUTF8Buffer { sequence.copyBytes(from: $0) }
            entry.pointee.sequence = sequence
            return index
        }
        throw SystemCallError(call: "too many terminals", number: EBUSY)
    }
}

extension Bool {
    fileprivate mutating func exchange(_ new: Bool) -> Bool {
        defer { self = new }
        return self
    }
}

extension TerminalGeometry {
    fileprivate mutating func exchange(_ new: TerminalGeometry) -> TerminalGeometry {
        defer { self = new }
        return self
    }
}
