/// What a program's sound is for (AVAudioSession.Category). Decides whether it mixes, and what silences it.
public enum AudioCategory: UInt8, Sendable, CaseIterable {
    /// Sound beside other sound: effects, a game. Always mixes; the silent switch and the lock silence it.
    case ambient
    /// As ``ambient``, but it takes the place of what does not mix. A session has this one until it says otherwise.
    case soloAmbient
    /// Films and music: what the user came for.
    case playback
    /// Recording without playback. Accepted for compatibility; this library does not record.
    case record
    /// Playback and recording, for calls. Only its playback is implemented.
    case playAndRecord
    /// Playback to several devices at once. Only one device is used, and Picture-in-Picture is not possible.
    case multiRoute

    package var hasOutput: Bool { self != .record }
    package var hasInput: Bool { self == .record || self == .playAndRecord || self == .multiRoute }
    /// Heard only while the screen is unlocked and the silent switch is off.
    package var obeysSilentSwitch: Bool { self == .ambient || self == .soloAmbient }
    /// May be made to mix by an option.
    package var mayMix: Bool { self == .playback || self == .playAndRecord || self == .multiRoute }
}
