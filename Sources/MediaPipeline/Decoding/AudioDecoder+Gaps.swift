extension AudioDecoder {
    /// Gives silence up to `end` (nanoseconds of the container's clock) in place of sound that lies too far on in the
    /// file. When the sound comes late, its stamps tell how much of it is past.
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
