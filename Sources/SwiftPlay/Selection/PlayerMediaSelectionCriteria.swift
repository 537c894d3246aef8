/// The criteria by which a player selects an option of a group (AVPlayerMediaSelectionCriteria).
public struct PlayerMediaSelectionCriteria: Sendable, Equatable {
    /// The languages as BCP 47 or ISO 639 tags, the most preferred first.
    public var preferredLanguages: [String]
    /// Creates criteria for preferred languages.
    ///
    /// - Parameter preferredLanguages: See ``preferredLanguages``.
    public init(preferredLanguages: [String]) { self.preferredLanguages = preferredLanguages }
}
