import SystemCalls

@testable import VideoOutput

/// Events as they come, to be waited for.
final class EventLog: Sendable {
    private let events = Monitor<[OutputEvent]>([])
    func add(_ event: OutputEvent) { events.update { $0.append(event) } }
    var all: [OutputEvent] { events.withLock { $0 } }

    /// True when such an event has come, within ten seconds.
    func has(_ matches: (OutputEvent) -> Bool) -> Bool {
        let deadline = MonotonicTime.now + 10 * MonotonicTime.nanosecondsPerSecond
        return events.wait(until: deadline) { $0.contains(where: matches) ? true : nil } ?? false
    }
}
