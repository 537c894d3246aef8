/// What the owner of a renderer has asked for last: to play or not, flushes, and a volume. A pure value.
struct RenderRequest: Equatable, Sendable {
    /// The commands as ``RenderControl`` holds them at one moment.
    struct Commands: Equatable, Sendable {
        var isPlaying = false
        /// The renderer is being closed: whatever it was told before, it is not to play any longer.
        var isClosing = false
        /// The number of flushes that were asked for so far.
        var flushes = 0
        /// As ``RenderControl/gainWord``.
        var gainWord = RenderControl.unityGain
    }

    private(set) var isPlaying = false
    /// A flush was asked for and not begun yet.
    private(set) var isFlushPending = false
    /// The number of the newest flush that was asked for.
    private(set) var flushes = 0
    private var gainWord = RenderControl.unityGain

    /// Whether what sounds has to fade out.
    var wantsStop: Bool { !isPlaying || isFlushPending }

    /// Takes in the commands.
    ///
    /// - Returns: the volume (linear) and its ramp (nanoseconds) where another one was asked for; nil: it stays.
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

    /// The flush has begun: from here on the stream is new.
    mutating func flushBegan() { isFlushPending = false }
}
