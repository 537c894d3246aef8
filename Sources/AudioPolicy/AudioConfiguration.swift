/// A valid combination of category, mode and options.
public struct AudioConfiguration: Hashable, Sendable {
    public let category: AudioCategory
    public let mode: AudioMode
    public let options: AudioCategoryOptions

    /// The initial configuration.
    public static let initial = AudioConfiguration(unchecked: .soloAmbient)

    private init(unchecked category: AudioCategory) { (self.category, mode, options) = (category, .default, []) }

    /// Creates a configuration.
    ///
    /// - Throws: ``AudioSessionErrorCode/badParam`` if the category does not permit the mode or the options.
    public init(category: AudioCategory, mode: AudioMode = .default, options: AudioCategoryOptions = [])
        throws(AudioSessionErrorCode)
    {
        guard mode.isLegal(with: category), options.isSubset(of: .legal(with: category)) else { throw .badParam }
        (self.category, self.mode, self.options) = (category, mode, options)
    }

    // The five properties that decide everything between two sessions.

    package var isMixable: Bool { category == .ambient || !options.isDisjoint(with: [.mixWithOthers, .duckOthers]) }
    package var ducks: Bool { options.contains(.duckOthers) }
    package var interruptsSpoken: Bool { options.contains(.interruptSpokenAudioAndMixWithOthers) }
    package var isSpoken: Bool { mode == .spokenAudio }
    package var hasOutput: Bool { category.hasOutput }
}
