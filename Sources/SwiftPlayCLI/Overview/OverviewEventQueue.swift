import VideoOutput

/// The events of the overview's window that the main thread has not taken. A pure value.
struct OverviewEventQueue: Equatable, Sendable {
    /// The most events that wait. Further input of the user is dropped; the other events are few.
    static let limit = 1024

    private var events: [OverviewWindow.Event] = []

    /// Appends an event. Only the last position of the pointer matters: it replaces the one before.
    mutating func append(_ event: OverviewWindow.Event) {
        if case .output(.pointer(.moved)) = event, case .output(.pointer(.moved))? = events.last {
            events.removeLast()
        }
        guard events.count < Self.limit || !Self.isInput(event) else { return }
        // One redrawing is enough.
        if case .output(.redrawNeeded) = event, events.contains(event) { return }
        events.append(event)
    }

    /// Returns all events, and removes them.
    mutating func take() -> [OverviewWindow.Event] {
        defer { events = [] }
        return events
    }

    private static func isInput(_ event: OverviewWindow.Event) -> Bool {
        switch event {
        case .output(.key), .output(.pointer), .activated: true
        default: false
        }
    }
}
