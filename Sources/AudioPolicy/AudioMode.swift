/// A more specific use of a program's audio within its category (AVAudioSession.Mode).
public enum AudioMode: UInt8, Sendable, CaseIterable {
    /// No special use; allowed with every category.
    case `default`
    /// Playback of films and videos.
    case moviePlayback
    /// Speech, such as a podcast. Sessions with ``AudioCategoryOptions/interruptSpokenAudioAndMixWithOthers`` interrupt
    /// a session of this mode.
    case spokenAudio
    /// Short prompts, such as those of a navigation program.
    case voicePrompt
    /// A voice call.
    case voiceChat
    /// A video call.
    case videoChat
    /// A voice call inside a game.
    case gameChat
    /// Recording of video.
    case videoRecording
    /// Measuring the audio input or output.
    case measurement

    /// Returns whether a category permits this mode.
    package func isAllowed(with category: AudioCategory) -> Bool {
        switch self {
        case .default: true
        case .moviePlayback, .voicePrompt: category == .playback
        case .spokenAudio: category == .playback || category == .playAndRecord || category == .multiRoute
        case .voiceChat, .videoChat, .gameChat: category == .playAndRecord
        case .videoRecording: category == .record || category == .playAndRecord
        case .measurement: category == .playback || category == .record || category == .playAndRecord
        }
    }
}
