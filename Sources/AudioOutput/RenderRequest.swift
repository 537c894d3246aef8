/// The owner's requests to a renderer: play or pause, flushes and volume. A pure value.
struct RenderRequest: Equatable, Sendable {
    /// The commands of ``RenderControl`` at one time.
    struct Commands: Equatable, Sendable {
        var isPlaying = false
        /// Whether the renderer is being closed, so that it must not play any longer.
        var isClosing = false
        /// The number of requested flushes.
        var flushes = 0
        /// See ``RenderControl/gainWord``.
        var gainWord = RenderControl.unityGain
    }

    private(set) var isPlaying = false
    /// Whether a flush was requested and not started yet.
    private(set) var isFlushPending = false
    /// The number of the newest requested flush.
    private(set) var flushes = 0
    private var gainWord = RenderControl.unityGain

    /// Whether the audio must fade out.
    var wantsStop: Bool { !isPlaying || isFlushPending }

    /// Reads the commands.
    ///
    /// - Returns: The new volume (linear) and its ramp (nanoseconds); nil if it did not change.
    mutating func take(_ commands: Commands) -> (gain: Float, ramp: Int64)? {
        isPlaying = commands.isPlaying && !commands.isClosing
        if commands.flushes != flushes {
            flushes = commands.flushes
            isFlushPending = true
        }
        guard commands.gainWord != gainWord else { return nil }
        gainWord = commands.gainWord
        return RenderControl.gain(of: gainWord)
    }

    /// Records that the flush started.
    mutating func flushBegan() { isFlushPending = false }
}
