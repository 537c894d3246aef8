import HTTPTransfer
import Synchronization
import SystemCalls

/// What ends the waits of the thread that reads an item: the item is closed, or a newer seek is pending.
///
/// Any thread may call ``interrupt()`` and ``setSeekIsPending(_:)``; the reading thread uses the rest.
final class ReadingInterruption: Sendable {
    private let wasInterrupted = Atomic<Bool>(false)
    private let seekIsPending = Atomic<Bool>(false)
    /// Signalled once, when the item is closed, and never drained.
    let closing: EventDescriptor
    /// Signalled while a newer seek is pending.
    private let newerSeek: EventDescriptor

    init() throws(SystemCallError) {
        closing = try EventDescriptor()
        newerSeek = try EventDescriptor()
    }

    /// Ends all waits permanently.
    func interrupt() {
        wasInterrupted.store(true, ordering: .relaxed)
        closing.signal()
    }

    /// Sets whether a newer seek is pending.
    func setSeekIsPending(_ isPending: Bool) {
        seekIsPending.store(isPending, ordering: .relaxed)
        if isPending { newerSeek.signal() } else { newerSeek.drain() }
    }

    /// Whether ``interrupt()`` was called.
    var isInterrupted: Bool { wasInterrupted.load(ordering: .relaxed) }
    /// Whether a newer seek is pending.
    var isSeekPending: Bool { seekIsPending.load(ordering: .relaxed) }

    /// Returns what ends a wait for the network.
    ///
    /// - Parameter seekEnds: Whether a pending seek ends the wait, too.
    func forTransfers(seekEnds: Bool) -> TransferInterruption {
        TransferInterruption(events: seekEnds ? [closing, newerSeek] : [closing]) { [self] in
            isInterrupted || seekEnds && isSeekPending
        }
    }
}
