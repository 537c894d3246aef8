/// The use of a program's audio (AVAudioSession.Category). It decides whether the audio mixes and what silences it.
public enum AudioCategory: UInt8, Sendable, CaseIterable {
    /// Audio beside other audio, such as the effects of a game. It always mixes; the silent switch and the lock silence
    /// it.
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

    package var hasOutput: Bool { self != .record }
    package var hasInput: Bool { self == .record || self == .playAndRecord || self == .multiRoute }
    /// Whether the lock and the silent switch silence it.
    package var obeysSilentSwitch: Bool { self == .ambient || self == .soloAmbient }
    /// Whether an option can make it mix.
    package var mayMix: Bool { self == .playback || self == .playAndRecord || self == .multiRoute }
}
