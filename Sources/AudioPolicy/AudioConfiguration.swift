/// What a session says of its sound: category, mode and options that go together.
public struct AudioConfiguration: Hashable, Sendable {
    public let category: AudioCategory
    public let mode: AudioMode
    public let options: AudioCategoryOptions

    /// What every session begins with.
    public static let initial = AudioConfiguration(unchecked: .soloAmbient)

    private init(unchecked category: AudioCategory) { (self.category, mode, options) = (category, .default, []) }

    /// - Throws: ``AudioSessionErrorCode/badParam`` where mode or options are not of the category.
    public init(category: AudioCategory, mode: AudioMode = .default, options: AudioCategoryOptions = [])
        throws(AudioSessionErrorCode)
    {
        guard mode.isLegal(with: category), options.isSubset(of: .legal(with: category)) else { throw .badParam }
        (self.category, self.mode, self.options) = (category, mode, options)
    }

    // The five words that everything between two sessions follows from (section 2.2 of the policy).

    package var isMixable: Bool { category == .ambient || !options.isDisjoint(with: [.mixWithOthers, .duckOthers]) }
    package var ducks: Bool { options.contains(.duckOthers) }
    package var interruptsSpoken: Bool { options.contains(.interruptSpokenAudioAndMixWithOthers) }
    package var isSpoken: Bool { mode == .spokenAudio }
    package var hasOutput: Bool { category.hasOutput }
}
