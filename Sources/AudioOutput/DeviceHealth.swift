import Glibc

/// How well the open device works: whether it moves, whether it keeps time, and how often it failed in a row. A pure
/// value; times are host nanoseconds.
struct DeviceHealth: Sendable {
    /// What is to be known of a device that does not change.
    struct Device: Equatable, Sendable {
        /// Frames a second.
        var rate: Int
        var periodFrames: Int
    }

    private let device: Device
    private let tuning: RenderTuning
    /// Failures in a row, without a sound in between.
    private var failures = 0
    /// The device failed, and has not played for a period since.
    private var needsProof = false
    private var lastFailureWasUnderrun = false
    /// Device frames that it had taken when it started, and has taken; nil until it was observed after a start.
    private var start: Int?
    private var taken = Int.min
    /// Host time at which it took frames last.
    private var lastProgress: Int64 = 0
    /// It runs and takes nothing: it is no clock.
    private(set) var standsStill = false
    private var pace = PaceWatch()

    init(_ device: Device, _ tuning: RenderTuning) { (self.device, self.tuning) = (device, tuning) }

    /// The device has taken frames since it started.
    var hasMoved: Bool { start.map { taken > $0 } ?? false }

    /// It has failed or stands still, and has not played since.
    var isFaltering: Bool { needsProof || standsStill }

    /// The device starts, or goes on after a pause.
    mutating func deviceStarts(now: Int64) {
        (start, taken, lastProgress, standsStill) = (nil, .min, now, false)
        pace.reset()
    }

    /// Takes in that the running device has taken `frames` of what it was given, over its life.
    ///
    /// - Parameters:
    ///   - time: the host time at which that was so.
    ///   - now: the host time now.
    /// - Returns: whether it works again after a failure.
    /// - Throws: ``PCMFailure`` when it counts as broken: it has taken nothing for ``RenderTuning/stallLimit``, or its
    ///   clock is wrong.
    mutating func observe(taken frames: Int, time: Int64, now: Int64) throws(PCMFailure) -> Bool {
        guard frames > taken else {
            if now - lastProgress > tuning.stallLimit { throw PCMFailure(.wait, ETIMEDOUT) }
            // Long before it counts as broken it counts as no clock: the picture goes on without it.
            let fourPeriods = Int64(device.periodFrames) * 4_000_000_000 / Int64(max(device.rate, 1))
            if now - lastProgress > max(tuning.standLimit, fourPeriods) { standsStill = true }
            return false
        }
        let first = start ?? frames
        (start, taken, lastProgress, standsStill) = (first, frames, now, false)
        let hasRecovered = needsProof && frames - first >= device.periodFrames
        if hasRecovered {
            needsProof = false
            // After an underrun that is all there is to know; what fails in another way may do so again and again
            // between two periods, and is believed after a second.
            if lastFailureWasUnderrun { failures = 0 }
        }
        if frames - first >= device.rate { failures = 0 }
        let keepsTime = pace.keepsTime(frames: frames, time: time, rate: device.rate, tuning)
        if !keepsTime { throw PCMFailure(.timing, ETIME) }
        return hasRecovered
    }

    /// The device failed at `now`.
    ///
    /// - Returns: the host time of the next attempt to bring it back; nil: it counts as lost.
    mutating func failed(_ failure: PCMFailure, now: Int64) -> Int64? {
        needsProof = true
        lastFailureWasUnderrun = failure.isUnderrun
        failures += 1
        guard !failure.isFinal, failures <= tuning.attempts else { return nil }
        return now + (failures == 1 ? 0 : tuning.backoff << min(failures - 2, 10))
    }
}
