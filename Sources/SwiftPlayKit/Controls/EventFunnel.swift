import Dispatch
import SystemCalls
import VideoOutput

/// Delivers the events of an output to the main queue, in order. Keeps only the newest of pointer movements that the
/// main queue has not handled yet, because a mouse reports up to a thousand a second.
final class EventFunnel: Sendable {
    private final class Cup: Sendable {
        private let event: Monitor<OutputEvent?>
        init(_ event: OutputEvent) { self.event = Monitor(event) }

        func take() -> OutputEvent? { event.withLock { $0.take() } }

        /// Whether the movement is still pending.
        func replace(with new: OutputEvent) -> Bool {
            event.withLock { event in
                guard event != nil else { return false }
                event = new
                return true
            }
        }
    }

    private let movement = Monitor<Cup?>(nil)
    private let deliver: @MainActor @Sendable (OutputEvent) -> Void

    init(_ deliver: @escaping @MainActor @Sendable (OutputEvent) -> Void) { self.deliver = deliver }

    func pour(_ event: OutputEvent) {
        let cup: Cup? = movement.withLock { movement in
            guard case .pointer(.moved) = event else {
                // A later event must not overtake the movement.
                movement = nil
                return Cup(event)
            }
            if movement?.replace(with: event) == true { return nil }
            movement = Cup(event)
            return movement
        }
        guard let cup else { return }
        DispatchQueue.main.async { [deliver] in
            MainActor.assumeIsolated { if let event = cup.take() { deliver(event) } }
        }
    }
}
