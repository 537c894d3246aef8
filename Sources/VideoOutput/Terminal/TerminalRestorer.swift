import CLinux
import Glibc
import Synchronization
import SystemCalls

/// The saved state of terminals, in memory that a signal handler may access.
///
/// The functions for signal handlers (``restoreNow()``, ``post(_:)``) only access plain memory and the atomics of
/// ``slots``, and call functions that POSIX lists as async-signal-safe. They do not allocate, lock, retain or throw.
package enum TerminalRestorer {
    /// The phase of a slot, stored as an atomic integer. A slot holds the saved state of one terminal.
    enum Phase {
        /// The slot is not in use.
        static let free = 0
        /// The session that owns the slot is filling it.
        static let filling = 1
        /// The terminal is in use and must be restored.
        static let active = 2
        /// A thread or signal handler is restoring the terminal.
        static let restoring = 3
        /// The terminal is restored; the session still owns the slot.
        static let restored = 4
    }

    /// The work that signal handlers request from the thread that reads the terminal.
    struct Requests: OptionSet, Sendable {
        let rawValue: UInt32
        /// Read the terminal's size again.
        static let resize = Requests(rawValue: 1)
        /// Set the terminal up again, because the process continues (`SIGCONT`).
        static let `continue` = Requests(rawValue: 2)
        /// Restore the terminal and stop the process (Ctrl-Z).
        static let suspend = Requests(rawValue: 4)
    }

    /// The slot of one terminal. The non-atomic fields are written in the phase `filling` and read in the phase
    /// `restoring`. Compare-and-exchange of ``phase`` ensures that the two phases never overlap.
    struct Slot: ~Copyable {
        /// The current ``Phase``.
        let phase = Atomic<Int>(Phase.free)
        /// The event descriptor that is signalled after ``requests`` changes; -1 if there is none.
        let wakeDescriptor = Atomic<Int32>(-1)
        /// The pending ``Requests`` as bits.
        let requests = Atomic<UInt32>(0)
        /// Whether the session's drawing thread is inside `write`, or about to call it.
        let isWriting = Atomic<Bool>(false)
        /// The descriptor of the terminal.
        var descriptor: Int32 = -1
        /// The terminal's modes before the player changed them.
        var savedModes = termios()
        /// Whether `O_NONBLOCK` must be cleared when the terminal is restored, because other processes share the open
        /// file and expect blocking reads and writes.
        var mustRestoreBlocking = false
        /// Whether the modes in ``savedModes`` are set when the terminal is restored.
        var mustRestoreModes = true
        /// The descriptor of the process that restores the terminal if this process is killed; -1 if there is none.
        var watchDescriptor: Int32 = -1
        /// The word in shared memory that permits another process to draw on the terminal; nil if the terminal is not
        /// shared.
        var drawingPermission: UnsafeMutablePointer<Atomic<UInt32>>?
        /// The descriptor of the lock that every process takes before it draws; -1 if the terminal is not shared.
        var lockDescriptor: Int32 = -1
        /// The escape sequences that restore the screen, written before the modes in ``savedModes`` are set.
        var restoreSequence = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }

    /// The number of slots, which is the maximum number of terminals in use at the same time.
    static let slotCount = 8

    /// The maximum time for writing the sequence that restores a terminal, in nanoseconds.
    private static let restoreWriteTimeout: Int64 = 500_000_000

    /// The table of slots, which is never freed. `nonisolated(unsafe)`: the address never changes, and the phases of
    /// ``Slot`` guard the contents.
    nonisolated(unsafe) static let slots: UnsafeMutablePointer<Slot> = {
        let table = UnsafeMutablePointer<Slot>.allocate(capacity: slotCount)
        for index in 0..<slotCount { (table + index).initialize(to: Slot()) }
        return table
    }()

    /// Restores all terminals in use at once: screen, cursor and modes. Async-signal-safe; any thread; further calls
    /// have no effect.
    ///
    /// Pictures that are presented after this call are not written to the terminal.
    package static func restoreNow() {
        for index in 0..<slotCount { _ = restore(index, nextPhase: Phase.restored) }
    }

    /// Restores the terminal of slot `index`, and then sets the phase of the slot to `nextPhase`. Returns false if the
    /// terminal was not in use. Async-signal-safe.
    static func restore(_ index: Int, nextPhase: Int) -> Bool {
        let slot = slots + index
        guard
            slot.pointee.phase.compareExchange(
                expected: Phase.active, desired: Phase.restoring, ordering: .sequentiallyConsistent
            ).exchanged
        else { return false }
        let savedErrno = errno, fd = slot.pointee.descriptor
        // The system stops a background process that changes its terminal, unless the process blocks SIGTTOU. If the
        // terminal belongs to the shell again (`foregroundGroup`), this function leaves the terminal unchanged.
        var blockedSignals = sigset_t(), oldMask = sigset_t()
        sigemptyset(&blockedSignals)
        sigaddset(&blockedSignals, SIGTTOU)
        pthread_sigmask(SIG_BLOCK, &blockedSignals, &oldMask)
        awaitWriter(slot)
        if let drawingPermission = slot.pointee.drawingPermission {
            lockSharedTerminal(drawingPermission, slot.pointee.lockDescriptor)
        }
        let foregroundGroup = tcgetpgrp(fd)
        if foregroundGroup < 0 || foregroundGroup == getpgrp() {
            write(slot.pointee.restoreSequence, to: fd)
            if slot.pointee.mustRestoreModes {
                tcsetattr(fd, TCSANOW, &slot.pointee.savedModes)
                // Discard pending replies, which the shell would otherwise read as input.
                tcflush(fd, TCIFLUSH)
            }
        }
        if slot.pointee.drawingPermission != nil { _ = clinux_lock(slot.pointee.lockDescriptor, 0) }
        if slot.pointee.mustRestoreBlocking { _ = clinux_set_nonblocking(fd, 0) }
        TerminalWatchProcess.reportRestored(to: slot.pointee.watchDescriptor)
        pthread_sigmask(SIG_SETMASK, &oldMask, nil)
        errno = savedErrno
        slot.pointee.phase.store(nextPhase, ordering: .releasing)
        return true
    }

    /// Waits until the drawing thread has left `write`, which takes only a moment because the terminal is non-blocking.
    /// The wait ends after 50 ms: if this function runs in a signal handler that interrupted the drawing thread itself,
    /// that thread cannot leave `write`.
    private static func awaitWriter(_ slot: UnsafeMutablePointer<Slot>) {
        var pollCount = 0
        while pollCount < 50, slot.pointee.isWriting.load(ordering: .sequentiallyConsistent) {
            poll(nil, 0, 1)
            pollCount += 1
        }
    }

    /// Stops the process that shares the terminal from drawing, and waits for at most about 100 ms until it has written
    /// its current picture.
    private static func lockSharedTerminal(_ drawingPermission: UnsafeMutablePointer<Atomic<UInt32>>, _ lock: Int32) {
        drawingPermission.pointee.store(0, ordering: .releasing)
        for _ in 0..<50 {
            if clinux_lock(lock, 1) == 0 { return }
            poll(nil, 0, 2)
        }
    }

    /// Writes a short sequence, with retries for ``restoreWriteTimeout``. If the terminal's queue is full, the pending
    /// pictures in that queue are discarded.
    private static func write(_ bytes: UnsafeMutableRawBufferPointer, to fd: Int32) {
        guard let baseAddress = bytes.baseAddress else { return }
        let deadline = MonotonicTime.now + restoreWriteTimeout
        var position = 0, isFirst = true
        while position < bytes.count {
            let writtenCount = Glibc.write(fd, baseAddress + position, bytes.count - position)
            if writtenCount > 0 {
                position += writtenCount
                continue
            }
            if writtenCount < 0, errno == EINTR { continue }
            guard writtenCount < 0, errno == EAGAIN, MonotonicTime.now < deadline else { return }
            // Either the terminal's queue is full or another thread is inside `write`: the kernel admits one writer at
            // a time, and a non-blocking call fails meanwhile. A busy machine may have suspended that thread.
            var entry = pollfd(fd: fd, events: Int16(POLLOUT), revents: 0)
            if poll(&entry, 1, isFirst ? 0 : 1) > 0 { continue }
            tcflush(fd, TCOFLUSH)
            (position, isFirst) = (0, false)
        }
    }

    /// Records a signal's requests and wakes the threads that handle them. Async-signal-safe.
    static func post(_ requests: Requests) {
        let savedErrno = errno
        for index in 0..<slotCount {
            let wakeDescriptor = slots[index].wakeDescriptor.load(ordering: .acquiring)
            guard wakeDescriptor >= 0 else { continue }
            slots[index].requests.bitwiseOr(requests.rawValue, ordering: .acquiringAndReleasing)
            var increment: UInt64 = 1
            _ = Glibc.write(wakeDescriptor, &increment, 8)
        }
        errno = savedErrno
    }
}
