/// The requests of the controlling threads to a renderer: play or pause, flushes and volume. A value type.
struct RenderRequest: Equatable, Sendable {
    /// A snapshot of the commands in ``RenderControl``.
    struct Commands: Equatable, Sendable {
        var isPlaying = false
        /// Whether the renderer is being closed, so that it must not play any longer.
        var isClosing = false
        /// The number of requested flushes, which is also the sequence number of the newest one.
        var requestedFlushCount = 0
        /// The volume command as one word (``RenderControl/packedGainCommand``).
        var packedGainCommand = RenderControl.packedUnityGain
    }

    /// Whether audio should play: playback was requested, and the renderer is not being closed.
    private(set) var isPlaying = false
    /// Whether a flush was requested and not started yet.
    private(set) var isFlushPending = false
    /// The sequence number of the newest requested flush.
    private(set) var newestFlushNumber = 0
    /// The volume command that was applied most recently, as one word.
    private var packedGainCommand = RenderControl.packedUnityGain

    /// Whether the audio must fade out, because of a pause, a flush or closing.
    var requiresStop: Bool { !isPlaying || isFlushPending }

    /// Applies new commands.
    ///
    /// - Returns: The new volume (linear) and its ramp (nanoseconds); nil if it did not change.
    mutating func apply(_ commands: Commands) -> (gain: Float, ramp: Int64)? {
        isPlaying = commands.isPlaying && !commands.isClosing
        if commands.requestedFlushCount != newestFlushNumber {
            newestFlushNumber = commands.requestedFlushCount
            isFlushPending = true
        }
        guard commands.packedGainCommand != packedGainCommand else { return nil }
        packedGainCommand = commands.packedGainCommand
        return RenderControl.gain(of: packedGainCommand)
    }

    /// Records that the pending flush has started.
    mutating func didBeginFlush() { isFlushPending = false }
}
