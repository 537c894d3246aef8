/// Does the device take samples at the speed it was opened for? A pure value.
struct PaceWatch {
    private var since: (frames: Int, time: Int64)?
    private var strikes = 0

    /// Looks anew: the device begins.
    mutating func reset() { (since, strikes) = (nil, 0) }

    /// Takes in that the device had taken `frames` at host time `time`.
    ///
    /// - Returns: false once it was off by more than the tolerance in two windows one after the other.
    mutating func keepsTime(frames: Int, time: Int64, rate: Int, _ tuning: RenderTuning) -> Bool {
        guard let since else {
            self.since = (frames, time)
            return true
        }
        let elapsed = time - since.time
        guard elapsed >= tuning.paceWindow else { return true }
        self.since = (frames, time)
        // A window that is much too long says that this process did not run.
        guard elapsed < tuning.paceWindow &* 2 else { return true }
        let ratio = Double(frames - since.frames) * 1e9 / (Double(rate) * Double(elapsed))
        strikes = abs(ratio - 1) > tuning.paceTolerance ? strikes + 1 : 0
        return strikes < 2
    }
}
