import ArgumentParser
import AudioPolicy

/// The command line options of the audio session. Names follow `AVAudioSession`.
struct SessionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Category: playback (interrupts others), ambient (mixes; the silent switch silences it) or soloAmbient "
                + "(interrupts others; the silent switch silences it).",
            valueName: "category"))
    var audioCategory = "playback"

    @Option(
        help: ArgumentHelp(
            "Mode: moviePlayback, spokenAudio (interrupt-spoken pauses it), voicePrompt or default.",
            valueName: "mode"))
    var audioMode: String?

    @Option(
        help: ArgumentHelp(
            "Options, separated by commas: mix (mixes with others), duck (lowers others), "
                + "interrupt-spoken (pauses speech, mixes with others).",
            valueName: "options"))
    var audioSessionOptions = ""

    /// The default configuration of the audio session: category `playback`, mode `moviePlayback`.
    static let defaultConfiguration: AudioConfiguration = makeConfiguration("playback", nil, "") ?? .initial

    /// The categories of audio sessions, by their names on the command line.
    private static let categories = [
        "playback": AudioCategory.playback, "ambient": .ambient, "soloAmbient": .soloAmbient,
    ]
    /// The modes of audio sessions, by their names on the command line.
    private static let modes = [
        "default": AudioMode.default, "moviePlayback": .moviePlayback, "spokenAudio": .spokenAudio,
        "voicePrompt": .voicePrompt,
    ]
    /// The options of audio session categories, by their names on the command line.
    private static let options: [String: AudioCategoryOptions] = [
        "mix": .mixWithOthers, "duck": .duckOthers, "interrupt-spoken": .interruptSpokenAudioAndMixWithOthers,
    ]

    /// Returns the audio session configuration for the names of a category, a mode and options; nil if a name is
    /// unknown or the combination is invalid.
    private static func makeConfiguration(
        _ category: String, _ mode: String?, _ optionNames: String
    ) -> AudioConfiguration? {
        guard let category = categories[category] else { return nil }
        let defaultMode: AudioMode = category == .playback ? .moviePlayback : .default
        guard let mode = mode.map({ modes[$0] }) ?? defaultMode else { return nil }
        var combinedOptions: AudioCategoryOptions = []
        for name in optionNames.split(separator: ",") {
            guard let option = options[String(name)] else { return nil }
            combinedOptions.formUnion(option)
        }
        return try? AudioConfiguration(category: category, mode: mode, options: combinedOptions)
    }

    /// The audio session configuration that the options describe. The options must be valid.
    var configuration: AudioConfiguration {
        Self.makeConfiguration(audioCategory, audioMode, audioSessionOptions) ?? Self.defaultConfiguration
    }

    /// Checks the values; throws `ValidationError` for an invalid one.
    func validateAll() throws {
        guard Self.categories[audioCategory] != nil else {
            throw ValidationError(
                "--audio-category=\(audioCategory) is not known; use playback, ambient or soloAmbient.")
        }
        guard audioMode.map({ Self.modes[$0] != nil }) ?? true else {
            throw ValidationError(
                "--audio-mode=\(audioMode ?? "") is not known; "
                    + "use default, moviePlayback, spokenAudio or voicePrompt.")
        }
        guard Self.makeConfiguration(audioCategory, audioMode, audioSessionOptions) != nil else {
            throw ValidationError(
                "--audio-category, --audio-mode and --audio-session-options conflict: "
                    + "modes and options are valid only with the category playback.")
        }
    }
}
