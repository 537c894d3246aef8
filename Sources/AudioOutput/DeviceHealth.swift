import Glibc

/// The health of an open device: whether the device consumes samples, whether its clock is right, and how often the
/// device failed in a row. Times are host times in nanoseconds.
struct DeviceHealth: Sendable {
    /// The properties of an open device that do not change.
    struct Device: Equatable, Sendable {
        /// The sample rate in Hz.
        var rate: Int
        var periodFrames: Int
    }

    private let device: Device
    private let tuning: RenderTuning
    /// The number of failures in a row, without playback in between.
    private var failureCount = 0
    /// Whether the device failed and has not played a period since.
    private var isAwaitingRecovery = false
    /// Whether the newest failure was an underrun.
    private var lastFailureWasUnderrun = false
    /// The number of frames that the device had consumed at the first observation after a start; nil if the device was
    /// not observed since its start.
    private var consumedFramesAtStart: Int?
    /// The number of frames that the device had consumed at the newest observation; `.min` before the first.
    private var lastConsumedFrames = Int.min
    /// The host time at which the device most recently consumed frames.
    private var lastProgressTime: Int64 = 0
    /// Whether the device runs without consuming frames, so that it cannot serve as the clock.
    private(set) var isPositionStuck = false
    /// Detects that the device's clock runs at a wrong speed.
    private var driftDetector = ClockDriftDetector()

    init(_ device: Device, _ tuning: RenderTuning) { (self.device, self.tuning) = (device, tuning) }

    /// Whether the device has consumed frames since it was started.
    var hasConsumedFrames: Bool { consumedFramesAtStart.map { lastConsumedFrames > $0 } ?? false }

    /// Whether the device has failed or stopped consuming frames, and has not played since then.
    var isUnreliable: Bool { isAwaitingRecovery || isPositionStuck }

    /// Records that the device was started, or that it continues after a pause.
    mutating func recordStart(now: Int64) {
        (consumedFramesAtStart, lastConsumedFrames, lastProgressTime, isPositionStuck) = (nil, .min, now, false)
        driftDetector.reset()
    }

    /// Records the total number of frames that the running device has consumed.
    ///
    /// - Parameters:
    ///   - time: The host time at which the device had consumed that number.
    ///   - now: The current host time.
    /// - Returns: Whether the device works again after a failure.
    /// - Throws: ``PCMFailure`` if the device has consumed no frames for ``RenderTuning/stallTimeout``, or if its clock
    ///   is wrong.
    mutating func observe(consumed frames: Int, time: Int64, now: Int64) throws(PCMFailure) -> Bool {
        guard frames > lastConsumedFrames else {
            if now - lastProgressTime > tuning.stallTimeout { throw PCMFailure(.wait, ETIMEDOUT) }
            // Stop using the device as the clock long before it counts as broken, so that video playback continues.
            let fourPeriods = Int64(device.periodFrames) * 4_000_000_000 / Int64(max(device.rate, 1))
            if now - lastProgressTime > max(tuning.stuckTimeout, fourPeriods) { isPositionStuck = true }
            return false
        }
        let startFrames = consumedFramesAtStart ?? frames
        (consumedFramesAtStart, lastConsumedFrames) = (startFrames, frames)
        (lastProgressTime, isPositionStuck) = (now, false)
        let hasRecovered = isAwaitingRecovery && frames - startFrames >= device.periodFrames
        if hasRecovered {
            isAwaitingRecovery = false
            // After an underrun, one played period resets the number of failures. Other failures may recur between two
            // periods, so they are counted until the device has played for a second.
            if lastFailureWasUnderrun { failureCount = 0 }
        }
        if frames - startFrames >= device.rate { failureCount = 0 }
        let isSpeedAcceptable = driftDetector.recordAndCheck(frames: frames, time: time, rate: device.rate, tuning)
        if !isSpeedAcceptable { throw PCMFailure(.timing, ETIME) }
        return hasRecovered
    }

    /// Records a failure of the device.
    ///
    /// - Returns: The host time of the next recovery attempt; nil if the device is lost.
    mutating func recordFailure(_ failure: PCMFailure, now: Int64) -> Int64? {
        isAwaitingRecovery = true
        lastFailureWasUnderrun = failure.isUnderrun
        failureCount += 1
        guard !failure.isFinal, failureCount <= tuning.recoveryLimit else { return nil }
        return now + (failureCount == 1 ? 0 : tuning.firstRecoveryDelay << min(failureCount - 2, 10))
    }
}
