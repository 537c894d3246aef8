/// How sound is made faster or slower (AVAudioTimePitchAlgorithm). `spectral` and `lowQualityZeroLatency` are not offered: the one way that keeps
/// the pitch is libsonic's, which is good for speech and music and fast enough for every rate.
public enum AudioTimePitchAlgorithm: Sendable, CaseIterable {
    /// The pitch stays.
    case timeDomain
    /// The pitch follows the rate, as that of a tape.
    case varispeed

    var keepsPitch: Bool { self == .timeDomain }
}

extension PlayerItem {
    /// How its sound is played at rates other than 1. Holds at once; of an item that waits in a queue, from its own beginning on.
    public var audioTimePitchAlgorithm: AudioTimePitchAlgorithm {
        get { state.withLock { $0.pitch } }
        set {
            state.withLock { $0.pitch = newValue }
            player?.changed(.pitch)
        }
    }
}
