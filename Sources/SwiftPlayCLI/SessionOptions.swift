import ArgumentParser
import AudioPolicy

/// The options of the audio session. Names follow `AVAudioSession`.
struct SessionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What the sound is for: playback (takes others' place), ambient (mixes, silenced by the silent switch) "
                + "or soloAmbient.",
            valueName: "category"))
    var audioCategory = "playback"

    @Option(
        help: ArgumentHelp(
            "moviePlayback, spokenAudio (paused by prompts rather than lowered), voicePrompt or default.",
            valueName: "mode"))
    var audioMode: String?

    @Option(
        help: ArgumentHelp(
            "How it gets on with others, with commas: mix (plays beside them), duck (lowers them), interrupt-spoken (pauses speech, mixes).",
            valueName: "options"))
    var audioSessionOptions = ""

    /// The default configuration: category `playback`, mode `moviePlayback`.
    static let usual: AudioConfiguration = made("playback", nil, "") ?? .initial

    private static let categories = [
        "playback": AudioCategory.playback, "ambient": .ambient, "soloAmbient": .soloAmbient,
    ]
    private static let modes = [
        "default": AudioMode.default, "moviePlayback": .moviePlayback, "spokenAudio": .spokenAudio,
        "voicePrompt": .voicePrompt,
    ]
    private static let options: [String: AudioCategoryOptions] = [
        "mix": .mixWithOthers, "duck": .duckOthers, "interrupt-spoken": .interruptSpokenAudioAndMixWithOthers,
    ]

    private static func made(_ category: String, _ mode: String?, _ words: String) -> AudioConfiguration? {
        guard let category = categories[category] else { return nil }
        let usual: AudioMode = category == .playback ? .moviePlayback : .default
        guard let mode = mode.map({ modes[$0] }) ?? usual else { return nil }
        var all: AudioCategoryOptions = []
        for word in words.split(separator: ",") {
            guard let option = options[String(word)] else { return nil }
            all.formUnion(option)
        }
        return try? AudioConfiguration(category: category, mode: mode, options: all)
    }

    var configuration: AudioConfiguration { Self.made(audioCategory, audioMode, audioSessionOptions) ?? Self.usual }

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
        guard Self.made(audioCategory, audioMode, audioSessionOptions) != nil else {
            throw ValidationError(
                "--audio-category, --audio-mode and --audio-session-options do not go together: modes and the options mix, duck and interrupt-spoken are of playback."
            )
        }
    }
}
