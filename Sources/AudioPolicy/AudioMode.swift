/// A more specific use within a category (AVAudioSession.Mode).
public enum AudioMode: UInt8, Sendable, CaseIterable {
    /// No special use; legal with every category.
    case `default`
    /// Playback of films and videos.
    case moviePlayback
    /// Speech, such as a podcast. Prompts that request it interrupt speech instead of lowering it.
    case spokenAudio
    /// Short prompts, such as those of a navigation program.
    case voicePrompt
    /// A call with voice.
    case voiceChat
    /// A call with video.
    case videoChat
    /// A call inside a game.
    case gameChat
    /// Recording of video.
    case videoRecording
    /// Measuring the audio input or output.
    case measurement

    package func isLegal(with category: AudioCategory) -> Bool {
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
