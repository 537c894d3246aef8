/// The algorithm for the pitch of audio at rates other than 1 (AVAudioTimePitchAlgorithm).
///
/// AVFoundation's `spectral` and `lowQualityZeroLatency` have no counterpart: libsonic's algorithm keeps the pitch of
/// speech and music and is fast enough for every rate.
public enum AudioTimePitchAlgorithm: Sendable, CaseIterable {
    /// The pitch does not change.
    case timeDomain
    /// The pitch follows the rate, as with a tape.
    case varispeed

    /// Whether the pitch stays the same at rates other than 1.
    var keepsPitch: Bool { self == .timeDomain }
}
