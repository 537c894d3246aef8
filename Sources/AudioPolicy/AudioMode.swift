/// A finer word on a category (AVAudioSession.Mode).
public enum AudioMode: UInt8, Sendable, CaseIterable {
    case `default`
    case moviePlayback
    /// Speech that cannot be followed when it is lowered: it is paused instead, by prompts that ask for that.
    case spokenAudio
    /// Short prompts, as of a navigation.
    case voicePrompt
    case voiceChat
    case videoChat
    case gameChat
    case videoRecording
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
