import Dispatch
import SystemCalls
import VideoOutput

/// Delivers the events of a window to the main queue, in order. If the main queue has not handled a pointer movement
/// when the next movement arrives, the new movement replaces it, because a mouse reports up to a thousand movements a
/// second.
final class EventCoalescer: Sendable {
    /// An event that waits for the main queue.
    private final class PendingEvent: Sendable {
        /// The event; nil after the main queue has received it.
        private let event: Monitor<OutputEvent?>
        init(_ event: OutputEvent) { self.event = Monitor(event) }

        /// Returns the event and removes it, so that the event is delivered only once; nil if it was removed before.
        func take() -> OutputEvent? { event.withLock { $0.take() } }

        /// Replaces a waiting pointer movement with a newer one.
        ///
        /// - Returns: False if the main queue has already received the older movement.
        func replace(with newerMovement: OutputEvent) -> Bool {
            event.withLock { event in
                guard event != nil else { return false }
                event = newerMovement
                return true
            }
        }
    }

    /// The last enqueued event if it is a pointer movement; otherwise nil.
    private let lastMovement = Monitor<PendingEvent?>(nil)
    /// The closure that receives the events, on the main queue.
    private let deliver: @MainActor @Sendable (OutputEvent) -> Void

    init(_ deliver: @escaping @MainActor @Sendable (OutputEvent) -> Void) { self.deliver = deliver }

    /// Sends an event to the main queue. A pointer movement replaces an older movement that still waits.
    func enqueue(_ event: OutputEvent) {
        let pendingEvent: PendingEvent? = lastMovement.withLock { movement in
            guard case .pointer(.moved) = event else {
                // Later movements come after this event: they must not be merged with a movement before it.
                movement = nil
                return PendingEvent(event)
            }
            if movement?.replace(with: event) == true { return nil }
            movement = PendingEvent(event)
            return movement
        }
        guard let pendingEvent else { return }
        DispatchQueue.main.async { [deliver] in
            MainActor.assumeIsolated { if let event = pendingEvent.take() { deliver(event) } }
        }
    }
}
