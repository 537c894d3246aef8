/// Detects a device that consumes samples at a wrong speed. A pure value.
struct PaceWatch {
    private var since: (frames: Int, time: Int64)?
    private var strikes = 0

    /// Restarts the measurement, because the device starts.
    mutating func reset() { (since, strikes) = (nil, 0) }

    /// Records the number of frames that the device has consumed at a host time.
    ///
    /// - Returns: False if the speed was outside the tolerance in two consecutive windows.
    mutating func keepsTime(frames: Int, time: Int64, rate: Int, _ tuning: RenderTuning) -> Bool {
        guard let since else {
            self.since = (frames, time)
            return true
        }
        let elapsed = time - since.time
        guard elapsed >= tuning.paceWindow else { return true }
        self.since = (frames, time)
        // A window that is much too long means that this process did not run.
        guard elapsed < tuning.paceWindow &* 2 else { return true }
        let ratio = Double(frames - since.frames) * 1e9 / (Double(rate) * Double(elapsed))
        strikes = abs(ratio - 1) > tuning.paceTolerance ? strikes + 1 : 0
        return strikes < 2
    }
}
