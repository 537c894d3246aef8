/// The times by which the render thread lives, in nanoseconds where nothing else is said.
package struct RenderTuning: Sendable {
    /// PCM that the producer can be ahead of the device.
    package var ringLength: Int64 = 200_000_000
    /// Length of the fades at starts, pauses and flushes.
    package var fade: Int64 = 6_000_000
    /// A pause or a flush fades out and lets the device play what it has if that takes no longer; else it cuts.
    package var longestPlayOut: Int64 = 100_000_000
    /// How long a running device may take nothing before it counts as broken.
    package var stallLimit: Int64 = 1_000_000_000
    /// How long it may take nothing before it is no clock any more.
    package var standLimit: Int64 = 100_000_000
    /// Recoveries in a row, without a sound in between, before the device counts as lost.
    package var attempts = 6
    /// Wait after the first failed recovery; doubles each time.
    package var backoff: Int64 = 20_000_000
    /// How long ``AudioRenderer/flush()`` waits at most.
    package var flushLimit: Int64 = 250_000_000
    /// How long a device that is closed in the middle of sound may take for its end, the fade included.
    package var lastSound: Int64 = 150_000_000
    /// How long ``AudioRenderer/close()`` waits for a device call that does not return.
    package var closeLimit: Int64 = 1_000_000_000
    /// How long the render thread may be in one call of the device before it counts as hung.
    package var hangLimit: Int64 = 1_500_000_000
    /// A device whose clock is wrong by ``paceTolerance`` in two of these one after the other counts as broken: the
    /// picture goes by that clock.
    package var paceWindow: Int64 = 750_000_000
    /// A quarter. No device that works is off by a hundredth; a busy machine can make one look late for a moment.
    package var paceTolerance = 0.25

    package init() {}
}
