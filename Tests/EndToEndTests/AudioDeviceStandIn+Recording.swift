import TestSupport

extension AudioDeviceStandIn {
    /// Waits until the simulated device has played `frames` more audio frames.
    ///
    /// - Returns: the last half second that the device has played.
    func record(frames: Int = 48_000) throws -> AudioRecording {
        let before = playedFrameCount
        let hasPlayed = Deadline.poll(for: .seconds(15), every: .milliseconds(20)) {
            playedFrameCount >= before + frames ? true : nil
        }
        if hasPlayed == nil {
            throw TestFailure("\(playedFrameCount - before) frames were played; the log ends with \(log.suffix(20))")
        }
        return AudioRecording(samples: Array(recording.samples.suffix(24_000)))
    }
}
