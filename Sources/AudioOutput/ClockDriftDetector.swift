/// Detects a device that consumes samples at a wrong speed.
struct ClockDriftDetector {
    /// The start of the current measurement: the number of frames consumed until then, and the host time.
    private var windowStart: (frames: Int, time: Int64)?
    /// The number of consecutive measurements in which the speed was outside the tolerance.
    private var driftingMeasurementCount = 0

    /// Restarts the measurement. Called when the device starts.
    mutating func reset() { (windowStart, driftingMeasurementCount) = (nil, 0) }

    /// Records the number of frames that the device has consumed at a host time.
    ///
    /// - Returns: Whether the speed is acceptable; false if it was outside the tolerance in two consecutive
    ///   measurements of ``RenderTuning/driftWindow``.
    mutating func recordAndCheck(frames: Int, time: Int64, rate: Int, _ tuning: RenderTuning) -> Bool {
        guard let windowStart else {
            self.windowStart = (frames, time)
            return true
        }
        let elapsed = time - windowStart.time
        guard elapsed >= tuning.driftWindow else { return true }
        self.windowStart = (frames, time)
        // If a measurement lasts much too long, this process did not run for a while, so the result is not valid.
        guard elapsed < tuning.driftWindow &* 2 else { return true }
        let ratio = Double(frames - windowStart.frames) * 1e9 / (Double(rate) * Double(elapsed))
        driftingMeasurementCount = abs(ratio - 1) > tuning.driftTolerance ? driftingMeasurementCount + 1 : 0
        return driftingMeasurementCount < 2
    }
}
