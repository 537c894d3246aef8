import SystemCalls

@testable import VideoOutput

/// Records the events of a video output, so that tests can wait for an event.
final class EventLog: Sendable {
    private let events = Monitor<[OutputEvent]>([])
    func add(_ event: OutputEvent) { events.update { $0.append(event) } }
    var allEvents: [OutputEvent] { events.withLock { $0 } }

    /// Waits up to ten seconds for an event that `matches` accepts, and returns whether such an event arrived.
    func waitForEvent(_ matches: (OutputEvent) -> Bool) -> Bool {
        let deadline = MonotonicTime.now + 10 * MonotonicTime.nanosecondsPerSecond
        return events.wait(until: deadline) { $0.contains(where: matches) ? true : nil } ?? false
    }
}
