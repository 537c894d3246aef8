/// The playback state that the controls of a floating window show.
package struct PlaybackState: Equatable, Sendable {
    /// Whether playback is paused.
    package let isPaused: Bool
    /// The position in nanoseconds, from -``timeLimit`` to ``timeLimit``.
    package let position: Int64
    /// The duration in nanoseconds, up to ``timeLimit``; 0 if it is unknown.
    package let duration: Int64

    /// The longest time that a message may carry: 36 years in nanoseconds. Sums of a few such times, and their
    /// conversion to `Double` and back, never overflow.
    package static let timeLimit: Int64 = 1 << 60

    /// Creates a playback state. Clamps both times to ``timeLimit``, and the duration to 0 or more.
    package init(isPaused: Bool, position: Int64, duration: Int64) {
        self.isPaused = isPaused
        self.position = max(-Self.timeLimit, min(position, Self.timeLimit))
        self.duration = max(0, min(duration, Self.timeLimit))
    }
}

/// The volume state that the controls of a floating window show.
package struct AudioState: Equatable, Sendable {
    /// The perceived volume in thousandths: the cube root of the gain; 1000 is unity gain.
    package var volume: UInt16
    /// Whether the audio is muted.
    package var isMuted: Bool
    /// Creates a volume state.
    package init(volume: UInt16, isMuted: Bool) {
        self.volume = volume
        self.isMuted = isMuted
    }
}
