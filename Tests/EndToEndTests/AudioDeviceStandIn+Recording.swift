import TestSupport

extension AudioDeviceStandIn {
    /// Waits until the simulated device has played `frameCount` more audio frames.
    ///
    /// - Returns: the last half second that the device has played.
    func record(frameCount: Int = 48_000) throws -> AudioRecording {
        let expectedCount = playedFrameCount + frameCount
        let hasPlayed = Deadline.poll(for: .seconds(15), every: .milliseconds(20)) {
            playedFrameCount >= expectedCount ? true : nil
        }
        if hasPlayed == nil {
            throw TestFailure("\(playedFrameCount) of \(expectedCount) frames were played; log: \(log.suffix(20))")
        }
        return AudioRecording(samples: Array(recording.samples.suffix(24_000)))
    }
}
