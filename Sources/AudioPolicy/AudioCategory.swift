/// The use of a program's audio (AVAudioSession.Category). The category determines whether the audio mixes with other
/// audio and what silences it.
public enum AudioCategory: UInt8, Sendable, CaseIterable {
    /// Audio that accompanies other audio, such as the effects of a game. Ambient audio always mixes; the silent switch
    /// and the screen lock silence it.
    case ambient
    /// Like ``ambient``, but it interrupts other audio that does not mix. The initial category.
    case soloAmbient
    /// The main audio of a program, such as films and music.
    case playback
    /// Recording without playback. Accepted for compatibility; this library does not record.
    case record
    /// Playback and recording, for calls. Only its playback is implemented.
    case playAndRecord
    /// Playback to several devices at once. Only one device is used, and Picture-in-Picture is not possible.
    case multiRoute

    /// Whether the category plays audio.
    package var hasOutput: Bool { self != .record }
    /// Whether the category records audio.
    package var hasInput: Bool { self == .record || self == .playAndRecord || self == .multiRoute }
    /// Whether the screen lock and the silent switch silence sessions of this category.
    package var isSilencedBySwitch: Bool { self == .ambient || self == .soloAmbient }
    /// Whether the option `mixWithOthers` is permitted, with which the session's audio plays together with the audio of
    /// other programs.
    package var permitsMixing: Bool { self == .playback || self == .playAndRecord || self == .multiRoute }
}
