import HTTPTransfer
import Synchronization
import SystemCalls

/// Interrupts the waits of the thread that reads an item, when the item is closed or a newer seek is pending.
///
/// Any thread may call ``interrupt()`` and ``setSeekIsPending(_:)``; all other members belong to the reading thread.
final class ReadingInterruption: Sendable {
    private let wasInterrupted = Atomic<Bool>(false)
    private let seekIsPending = Atomic<Bool>(false)
    /// The event that is signalled once, when the item is closed, and never reset.
    let closingEvent: EventDescriptor
    /// The event that is signalled while a newer seek is pending.
    private let newerSeekEvent: EventDescriptor

    init() throws(SystemCallError) {
        closingEvent = try EventDescriptor()
        newerSeekEvent = try EventDescriptor()
    }

    /// Ends all waits permanently.
    func interrupt() {
        wasInterrupted.store(true, ordering: .relaxed)
        closingEvent.signal()
    }

    /// Sets whether a newer seek is pending.
    func setSeekIsPending(_ isPending: Bool) {
        seekIsPending.store(isPending, ordering: .relaxed)
        if isPending { newerSeekEvent.signal() } else { newerSeekEvent.drain() }
    }

    /// Whether ``interrupt()`` was called.
    var isInterrupted: Bool { wasInterrupted.load(ordering: .relaxed) }
    /// Whether a newer seek is pending.
    var isSeekPending: Bool { seekIsPending.load(ordering: .relaxed) }

    /// Returns an interruption for waits for the network.
    ///
    /// - Parameter stopsForSeek: Whether a pending seek ends a wait, in addition to the closing of the item.
    func forTransfers(stopsForSeek: Bool) -> TransferInterruption {
        TransferInterruption(events: stopsForSeek ? [closingEvent, newerSeekEvent] : [closingEvent]) { [self] in
            isInterrupted || stopsForSeek && isSeekPending
        }
    }
}
