import Glibc

/// The health of the open device: whether it advances, keeps time, and how often it failed in a row. A pure value;
/// times are host times in nanoseconds.
struct DeviceHealth: Sendable {
    /// The constant properties of a device.
    struct Device: Equatable, Sendable {
        /// The sample rate in Hz.
        var rate: Int
        var periodFrames: Int
    }

    private let device: Device
    private let tuning: RenderTuning
    /// The number of failures in a row, without playback in between.
    private var failures = 0
    /// Whether the device failed and has not played a period since.
    private var needsProof = false
    private var lastFailureWasUnderrun = false
    /// The device frames at the start and now; nil before the first observation after a start.
    private var start: Int?
    private var taken = Int.min
    /// The host time at which the device consumed frames last.
    private var lastProgress: Int64 = 0
    /// Whether the device runs without consuming frames, so that it is no clock.
    private(set) var standsStill = false
    private var pace = PaceWatch()

    init(_ device: Device, _ tuning: RenderTuning) { (self.device, self.tuning) = (device, tuning) }

    /// Whether the device has consumed frames since it started.
    var hasMoved: Bool { start.map { taken > $0 } ?? false }

    /// Whether the device has failed or stands still, and has not played since.
    var isFaltering: Bool { needsProof || standsStill }

    /// Records a start, or the end of a pause.
    mutating func deviceStarts(now: Int64) {
        (start, taken, lastProgress, standsStill) = (nil, .min, now, false)
        pace.reset()
    }

    /// Records the number of frames that the running device has consumed in total.
    ///
    /// - Parameters:
    ///   - time: The host time of that number.
    ///   - now: The current host time.
    /// - Returns: Whether the device works again after a failure.
    /// - Throws: ``PCMFailure`` if the device has consumed no frames for ``RenderTuning/stallLimit``, or if its clock
    ///   is wrong.
    mutating func observe(taken frames: Int, time: Int64, now: Int64) throws(PCMFailure) -> Bool {
        guard frames > taken else {
            if now - lastProgress > tuning.stallLimit { throw PCMFailure(.wait, ETIMEDOUT) }
            // Long before it counts as broken it counts as no clock, and video continues without it.
            let fourPeriods = Int64(device.periodFrames) * 4_000_000_000 / Int64(max(device.rate, 1))
            if now - lastProgress > max(tuning.standLimit, fourPeriods) { standsStill = true }
            return false
        }
        let first = start ?? frames
        (start, taken, lastProgress, standsStill) = (first, frames, now, false)
        let hasRecovered = needsProof && frames - first >= device.periodFrames
        if hasRecovered {
            needsProof = false
            // After an underrun a single period is enough. Other failures may repeat between two periods, so the device
            // counts as working after a second.
            if lastFailureWasUnderrun { failures = 0 }
        }
        if frames - first >= device.rate { failures = 0 }
        let keepsTime = pace.keepsTime(frames: frames, time: time, rate: device.rate, tuning)
        if !keepsTime { throw PCMFailure(.timing, ETIME) }
        return hasRecovered
    }

    /// Records a failure.
    ///
    /// - Returns: The host time of the next recovery attempt; nil if the device is lost.
    mutating func failed(_ failure: PCMFailure, now: Int64) -> Int64? {
        needsProof = true
        lastFailureWasUnderrun = failure.isUnderrun
        failures += 1
        guard !failure.isFinal, failures <= tuning.attempts else { return nil }
        return now + (failures == 1 ? 0 : tuning.backoff << min(failures - 2, 10))
    }
}
