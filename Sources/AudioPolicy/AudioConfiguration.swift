/// The configuration of an audio session: a valid combination of category, mode and options.
public struct AudioConfiguration: Hashable, Sendable {
    /// The use of the program's audio.
    public let category: AudioCategory
    /// The mode, a more specific use of the audio within the category.
    public let mode: AudioMode
    /// The options of the category.
    public let options: AudioCategoryOptions

    /// The configuration of a new session: category `soloAmbient`.
    public static let initial = AudioConfiguration(unchecked: .soloAmbient)

    /// Creates a configuration with the default mode and no options, which every category permits.
    private init(unchecked category: AudioCategory) { (self.category, mode, options) = (category, .default, []) }

    /// Creates a configuration.
    ///
    /// - Throws: ``AudioSessionErrorCode/badParam`` if the category does not permit the mode or the options.
    public init(category: AudioCategory, mode: AudioMode = .default, options: AudioCategoryOptions = [])
        throws(AudioSessionErrorCode)
    {
        guard mode.isAllowed(with: category), options.isSubset(of: .allowed(with: category)) else { throw .badParam }
        (self.category, self.mode, self.options) = (category, mode, options)
    }

    // The following five properties determine the effect of one session on another.

    /// Whether the audio plays together with the audio of other programs.
    package var isMixable: Bool { category == .ambient || !options.isDisjoint(with: [.mixWithOthers, .duckOthers]) }
    /// Whether other programs' audio is ducked (attenuated) while the session is active.
    package var ducksOthers: Bool { options.contains(.duckOthers) }
    /// Whether the session interrupts spoken audio of other programs.
    package var interruptsSpokenAudio: Bool { options.contains(.interruptSpokenAudioAndMixWithOthers) }
    /// Whether the audio is speech, such as a podcast.
    package var isSpoken: Bool { mode == .spokenAudio }
    /// Whether the category plays audio.
    package var hasOutput: Bool { category.hasOutput }
}
