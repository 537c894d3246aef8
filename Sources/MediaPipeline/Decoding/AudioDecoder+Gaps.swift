extension AudioDecoder {
    /// Emits silence up to `end` (nanoseconds on the container's clock) in place of audio that is stored too far ahead
    /// in the file. When the late audio arrives, the decoder drops what is already past, by its timestamps.
    mutating func bridge(until end: Int64, deliver: (AudioItem, UInt32) -> Bool) {
        guard let format else { return }
        if let target { nextTime = max(nextTime, target) }
        target = nil
        resampler = nil
        let frames = max(format.rate / 10, 1), end = (end - origin).boundedTime
        while nextTime < end {
            let made = block([Float](repeating: 0, count: frames * format.channels), format)
            guard deliver(.block(made), generation) else { return }
        }
    }
}
