/// How sound is made faster or slower (AVAudioTimePitchAlgorithm). `spectral` and `lowQualityZeroLatency` are not
/// offered: the one way that keeps the pitch is libsonic's, which is good for speech and music and fast enough for
/// every rate.
public enum AudioTimePitchAlgorithm: Sendable, CaseIterable {
    /// The pitch stays.
    case timeDomain
    /// The pitch follows the rate, as that of a tape.
    case varispeed

    var keepsPitch: Bool { self == .timeDomain }
}
