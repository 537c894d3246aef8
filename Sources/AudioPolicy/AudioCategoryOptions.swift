/// Options of an audio session's category (AVAudioSession.CategoryOptions, with its bits). Options apply only to the
/// category with which they are set.
public struct AudioCategoryOptions: OptionSet, Hashable, Sendable {
    /// The options as bits, with AVFAudio's bit numbers.
    public let rawValue: UInt32
    /// Creates a set of options from AVFAudio's bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The audio mixes: it neither interrupts other programs nor is interrupted by them.
    public static let mixWithOthers = Self(rawValue: 0x01)
    /// The audio mixes, and other programs' audio is ducked (attenuated) while the session is active.
    public static let duckOthers = Self(rawValue: 0x02)
    /// Permits hands-free devices for input. Has no effect, because this library does not record.
    public static let allowBluetoothHFP = Self(rawValue: 0x04)
    /// Plays on the loudspeaker instead of a phone's earpiece (receiver). Has no effect on devices without an earpiece.
    public static let defaultToSpeaker = Self(rawValue: 0x08)
    /// The audio mixes, but interrupts spoken audio.
    public static let interruptSpokenAudioAndMixWithOthers = Self(rawValue: 0x11)
    /// Permits A2DP devices. Has no effect: the sound server decides.
    public static let allowBluetoothA2DP = Self(rawValue: 0x20)
    /// Permits AirPlay. Has no effect: there is no AirPlay.
    public static let allowAirPlay = Self(rawValue: 0x40)
    /// Lets a session continue when the microphone is muted. Has no effect, because this library does not record.
    public static let overrideMutedMicrophoneInterruption = Self(rawValue: 0x80)

    /// Returns the options that a category permits. Other options make the configuration invalid.
    package static func allowed(with category: AudioCategory) -> Self {
        switch category {
        case .ambient, .soloAmbient: []
        case .playback, .multiRoute: [.mixWithOthers, .duckOthers, .interruptSpokenAudioAndMixWithOthers]
        case .record: [.allowBluetoothHFP, .overrideMutedMicrophoneInterruption]
        case .playAndRecord:
            [
                .mixWithOthers, .duckOthers, .interruptSpokenAudioAndMixWithOthers, .allowBluetoothHFP,
                .defaultToSpeaker, .allowBluetoothA2DP,
                .allowAirPlay, .overrideMutedMicrophoneInterruption,
            ]
        }
    }
}
