/// The time limits and fade durations of the render thread, in nanoseconds unless stated otherwise.
package struct RenderTuning: Sendable {
    /// The maximum duration of audio that the ring buffer contains ahead of rendering.
    package var ringDuration: Int64 = 200_000_000
    /// The duration of the fades at starts, pauses and flushes.
    package var fadeDuration: Int64 = 6_000_000
    /// The longest queue of the device that is played to its end at a pause or flush. A longer queue is discarded at
    /// once.
    package var drainedQueueLimit: Int64 = 100_000_000
    /// The time without progress after which a running device counts as broken.
    package var stallTimeout: Int64 = 1_000_000_000
    /// The time without progress after which a running device no longer serves as the playback clock.
    package var stuckTimeout: Int64 = 100_000_000
    /// The number of consecutive recoveries, without playback in between, after which the device counts as lost.
    package var recoveryLimit = 6
    /// The delay of the next recovery after the first failed recovery; doubled after each further failure.
    package var firstRecoveryDelay: Int64 = 20_000_000
    /// The time limit of ``AudioRenderer/flush()``.
    package var flushTimeout: Int64 = 250_000_000
    /// The time limit for the remaining audio when the renderer is closed, including the fade-out.
    package var closeFadeLimit: Int64 = 150_000_000
    /// The time limit of ``AudioRenderer/close()`` for an operation of the device that does not return.
    package var closeTimeout: Int64 = 1_000_000_000
    /// The time after which an operation of the device that has not returned counts as hanging.
    package var hangTimeout: Int64 = 1_500_000_000
    /// The duration over which the speed of the device's clock is measured. If two consecutive measurements are outside
    /// of ``driftTolerance``, the device counts as broken, because video follows the device's clock.
    package var driftWindow: Int64 = 750_000_000
    /// The tolerated deviation of the device's clock from the host's clock, as a fraction: a quarter. The clock of a
    /// working device is accurate to a hundredth, but on a busy machine the device's reports may arrive late.
    package var driftTolerance = 0.25

    package init() {}
}
