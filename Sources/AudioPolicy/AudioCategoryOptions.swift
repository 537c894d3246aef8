/// Options of a category (AVAudioSession.CategoryOptions), with its bits. They go with the category that they were set
/// with.
public struct AudioCategoryOptions: OptionSet, Hashable, Sendable {
    /// The bits, with the numbers of AVFAudio.
    public let rawValue: UInt32
    /// Creates a set from the bits of AVFAudio.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Neither interrupts other programs nor is interrupted by them.
    public static let mixWithOthers = Self(rawValue: 0x01)
    /// Mixes, and lowers every other sound for as long as the session is active, whether or not it makes a sound
    /// itself.
    public static let duckOthers = Self(rawValue: 0x02)
    /// Permits hands-free devices for input. Has no effect, because this library does not record.
    public static let allowBluetoothHFP = Self(rawValue: 0x04)
    /// Plays on the speaker instead of the receiver. Has no effect on devices without a receiver.
    public static let defaultToSpeaker = Self(rawValue: 0x08)
    /// Mixes, but pauses spoken audio.
    public static let interruptSpokenAudioAndMixWithOthers = Self(rawValue: 0x11)
    /// Permits A2DP devices. Has no effect: the sound server decides.
    public static let allowBluetoothA2DP = Self(rawValue: 0x20)
    /// Permits AirPlay. Has no effect: there is no AirPlay.
    public static let allowAirPlay = Self(rawValue: 0x40)
    /// Continues when the microphone is muted. Has no effect, because this library does not record.
    public static let overrideMutedMicrophoneInterruption = Self(rawValue: 0x80)

    /// Those that a category does not know make the whole set illegal.
    package static func legal(with category: AudioCategory) -> Self {
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
