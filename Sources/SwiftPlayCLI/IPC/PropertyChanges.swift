/// The events after which the observers of a property must read it again.
enum PropertyChanges: Sendable {
    /// The value never changes.
    case never
    /// The value changes only when the player or the program reports an event.
    case withEvents
    /// The value changes while the file plays.
    case withPlayback
}
