import TestSupport

extension SoundStandIn {
    /// Waits until so many more frames have been heard.
    ///
    /// - Returns: the last half second of them.
    func hear(frames: Int = 48_000) throws -> SoundRecording {
        let before = framesHeard
        let isHeard = Deadline.poll(for: .seconds(15), every: .milliseconds(20)) {
            framesHeard >= before + frames ? true : nil
        }
        if isHeard == nil {
            throw RigError("\(framesHeard - before) frames were heard; the device saw \(log.suffix(20))")
        }
        return SoundRecording(samples: Array(heard.samples.suffix(24_000)))
    }
}
