/// The durations of the render thread, in nanoseconds unless stated otherwise.
package struct RenderTuning: Sendable {
    /// The maximum lead of the producer.
    package var ringLength: Int64 = 200_000_000
    /// The duration of fades at starts, pauses and flushes.
    package var fade: Int64 = 6_000_000
    /// The longest queue that a pause or flush waits for. With a longer queue it cuts.
    package var longestPlayOut: Int64 = 100_000_000
    /// The time without progress after which a running device counts as broken.
    package var stallLimit: Int64 = 1_000_000_000
    /// The time without progress after which a running device is no clock.
    package var standLimit: Int64 = 100_000_000
    /// The number of recoveries without playback in between after which the device is lost.
    package var attempts = 6
    /// The delay after the first failed recovery; it doubles each time.
    package var backoff: Int64 = 20_000_000
    /// The time limit of ``AudioRenderer/flush()``.
    package var flushLimit: Int64 = 250_000_000
    /// The time limit for the end of audio at a close, including the fade.
    package var lastSound: Int64 = 150_000_000
    /// The time limit of ``AudioRenderer/close()`` for a device call that does not return.
    package var closeLimit: Int64 = 1_000_000_000
    /// The duration of a device call after which it counts as hanging.
    package var hangLimit: Int64 = 1_500_000_000
    /// The window in which the device's clock is measured. After two consecutive windows outside of ``paceTolerance``
    /// the device counts as broken, because video follows its clock.
    package var paceWindow: Int64 = 750_000_000
    /// A quarter. A working device is accurate to a hundredth, but a busy machine can make it look late for a moment.
    package var paceTolerance = 0.25

    package init() {}
}
