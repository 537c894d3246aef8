/// What is preferred in a group of options (AVPlayerMediaSelectionCriteria).
public struct PlayerMediaSelectionCriteria: Sendable, Equatable {
    /// Tags by BCP 47 or ISO 639, the most wanted first.
    public var preferredLanguages: [String]
    /// Creates criteria.
    ///
    /// - Parameter preferredLanguages: See ``preferredLanguages``.
    public init(preferredLanguages: [String]) { self.preferredLanguages = preferredLanguages }
}
