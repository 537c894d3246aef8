extension AudioDecoder {
    /// Delivers silence up to `end` (nanoseconds on the container's clock), because the file stores the audio far
    /// behind the video of the same time. When the decoder reaches that audio, it delivers it with its own timestamps,
    /// and the player drops the part whose time has passed.
    mutating func fillGap(until end: Int64, deliver: (DecodedAudio, UInt32) -> Bool) {
        guard let format else { return }
        if let seekTarget { nextTime = max(nextTime, seekTarget) }
        seekTarget = nil
        resampler = nil
        let frames = max(format.rate / 10, 1), end = (end - itemOrigin).boundedTime
        while nextTime < end {
            let silence = makeBlock([Float](repeating: 0, count: frames * format.channels), format)
            guard deliver(.block(silence), generation) else { return }
        }
    }
}
