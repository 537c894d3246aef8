import CLinux
import Glibc
import Synchronization
import SystemCalls

/// Remembers how to put terminals back, in memory that a signal handler may touch.
///
/// Everything that runs inside a handler (``restoreNow()``, ``raise(_:)``) only reads and writes the plain memory and
/// the atomics of ``slots``, and calls functions that POSIX names async-signal-safe: nothing is allocated, locked,
/// retained or thrown.
package enum TerminalRestorer {
    /// What a slot's entry is doing.
    enum Phase {
        static let free = 0
        /// Being filled by its owner.
        static let filling = 1
        /// The terminal is ours and must be put back.
        static let armed = 2
        /// Somebody is putting it back.
        static let restoring = 3
        /// It has been put back; the owner still holds the slot.
        static let restored = 4
    }

    /// What a signal asked for.
    struct Requests: OptionSet, Sendable {
        let rawValue: UInt32
        static let resize = Requests(rawValue: 1)
        static let `continue` = Requests(rawValue: 2)
        static let suspend = Requests(rawValue: 4)
    }

    /// One terminal. The plain fields are written in `filling` and read in `restoring`, both entered by
    /// compare-and-exchange, so never at the same time.
    struct Slot: ~Copyable {
        let phase = Atomic<Int>(Phase.free)
        /// Signalled after ``requests`` got something; -1 for none.
        let wake = Atomic<Int32>(-1)
        let requests = Atomic<UInt32>(0)
        /// The owner's writer is inside `write`, or about to be.
        let isWriting = Atomic<Bool>(false)
        var descriptor: Int32 = -1
        var saved = termios()
        /// The descriptor's file is shared with others, who expect it to block.
        var mustBlockAgain = false
        /// Of a terminal on which another process draws too: the word that lets it, and the lock of whoever writes.
        var shareFlag: UnsafeMutablePointer<Atomic<UInt32>>?
        var shareLock: Int32 = -1
        var sequence = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }

    static let count = 8

    /// How long a restoring sequence is tried to be written, nanoseconds.
    private static let patience: Int64 = 500_000_000

    /// A table that lives as long as the process. `nonisolated(unsafe)`: the address never changes, the contents follow
    /// the rule at ``Slot``.
    nonisolated(unsafe) static let slots: UnsafeMutablePointer<Slot> = {
        let table = UnsafeMutablePointer<Slot>.allocate(capacity: count)
        for index in 0..<count { (table + index).initialize(to: Slot()) }
        return table
    }()

    /// Puts every terminal back that is ours, at once: screen, cursor, modes. Async-signal-safe and idempotent; any
    /// thread.
    ///
    /// Pictures that are shown afterwards go nowhere.
    package static func restoreNow() {
        for index in 0..<count { _ = restore(index, next: Phase.restored) }
    }

    /// Puts one back; false when it was not ours just now. Async-signal-safe.
    static func restore(_ index: Int, next: Int) -> Bool {
        let slot = slots + index
        guard
            slot.pointee.phase.compareExchange(
                expected: Phase.armed, desired: Phase.restoring, ordering: .sequentiallyConsistent
            ).exchanged
        else { return false }
        let error = errno, fd = slot.pointee.descriptor
        // A process in the background is stopped for changing its terminal unless it blocks this signal; and it must
        // not change what belongs to the shell by now.
        var stop = sigset_t(), old = sigset_t()
        sigemptyset(&stop)
        sigaddset(&stop, SIGTTOU)
        pthread_sigmask(SIG_BLOCK, &stop, &old)
        awaitWriter(slot)
        if let flag = slot.pointee.shareFlag { takeTurn(flag, slot.pointee.shareLock) }
        let group = tcgetpgrp(fd)
        if group < 0 || group == getpgrp() {
            write(slot.pointee.sequence, to: fd)
            tcsetattr(fd, TCSANOW, &slot.pointee.saved)
            // Answers that are still on their way would be typed into the shell.
            tcflush(fd, TCIFLUSH)
        }
        if slot.pointee.shareFlag != nil { _ = clinux_lock(slot.pointee.shareLock, 0) }
        if slot.pointee.mustBlockAgain { _ = clinux_set_nonblocking(fd, 0) }
        pthread_sigmask(SIG_SETMASK, &old, nil)
        errno = error
        slot.pointee.phase.store(next, ordering: .releasing)
        return true
    }

    /// Waits until the thread that draws has left `write`, which takes a moment since it never waits there. The handler
    /// may have interrupted that very thread: then this wait is over after 50 ms.
    private static func awaitWriter(_ slot: UnsafeMutablePointer<Slot>) {
        var attempts = 0
        while attempts < 50, slot.pointee.isWriting.load(ordering: .sequentiallyConsistent) {
            poll(nil, 0, 1)
            attempts += 1
        }
    }

    /// Lets nobody else draw any more, and waits for a moment until a picture that is being written is out.
    private static func takeTurn(_ flag: UnsafeMutablePointer<Atomic<UInt32>>, _ lock: Int32) {
        flag.pointee.store(0, ordering: .releasing)
        for _ in 0..<50 {
            if clinux_lock(lock, 1) == 0 { return }
            poll(nil, 0, 2)
        }
    }

    /// Writes the few bytes of a sequence, and tries for ``patience``. A terminal that is full loses the pictures that
    /// it has not shown.
    private static func write(_ bytes: UnsafeMutableRawBufferPointer, to fd: Int32) {
        guard let base = bytes.baseAddress else { return }
        let end = MonotonicTime.now + patience
        var position = 0, isFirst = true
        while position < bytes.count {
            let n = Glibc.write(fd, base + position, bytes.count - position)
            if n > 0 {
                position += n
                continue
            }
            if n < 0, errno == EINTR { continue }
            guard n < 0, errno == EAGAIN, MonotonicTime.now < end else { return }
            // The terminal is full, or another thread is inside `write`: the kernel lets one writer in at a time, and a
            // call that must not wait fails meanwhile. That thread may have been suspended there, by a busy machine.
            var entry = pollfd(fd: fd, events: Int16(POLLOUT), revents: 0)
            if poll(&entry, 1, isFirst ? 0 : 1) > 0 { continue }
            tcflush(fd, TCOFLUSH)
            (position, isFirst) = (0, false)
        }
    }

    /// Notes what a signal asked for and wakes who waits for it. Async-signal-safe.
    static func raise(_ requests: Requests) {
        let error = errno
        for index in 0..<count {
            let wake = slots[index].wake.load(ordering: .acquiring)
            guard wake >= 0 else { continue }
            slots[index].requests.bitwiseOr(requests.rawValue, ordering: .acquiringAndReleasing)
            var one: UInt64 = 1
            _ = Glibc.write(wake, &one, 8)
        }
        errno = error
    }
}
