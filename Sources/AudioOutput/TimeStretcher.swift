import CSonic

/// Makes sound last longer or shorter, with libsonic. One thread.
///
/// What goes in comes out `1 / speed` times as long.
package final class TimeStretcher {
    // Owned: made in `init`, freed in `deinit`.
    private let stream: sonicStream
    private let channels: Int

    /// - Parameters:
    ///   - rate: frames per second.
    ///   - speed: 2 = twice as fast.
    ///   - keepsPitch: false: as a tape that runs faster, by resampling.
    package init?(rate: Int, channels: Int, speed: Double, keepsPitch: Bool = true) {
        guard (1000...768_000).contains(rate), (1...8).contains(channels), speed > 0,
            let stream = sonicCreateStream(Int32(rate), Int32(channels))
        else { return nil }
        self.stream = stream
        self.channels = channels
        if keepsPitch { sonicSetSpeed(stream, Float(speed)) } else { sonicSetRate(stream, Float(speed)) }
    }

    deinit { sonicDestroyStream(stream) }

    /// Takes interleaved samples and gives what comes of them, interleaved.
    ///
    /// - Parameter isFinal: nothing follows: what is inside comes out.
    package func process(_ samples: ArraySlice<Float>, isFinal: Bool = false) -> [Float] {
        var samples = Array(samples)
        let frames = Int32(clamping: samples.count / channels)
        // Its only failure is a lack of memory, in which nothing comes out.
        if frames > 0 {
            _ = samples.withUnsafeMutableBufferPointer { sonicWriteFloatToStream(stream, $0.baseAddress, frames) }
        }
        if isFinal { sonicFlushStream(stream) }
        let available = max(0, Int(sonicSamplesAvailable(stream)))
        guard available > 0 else { return [] }
        return [Float](unsafeUninitializedCapacity: available * channels) { buffer, used in
            used = max(0, Int(sonicReadFloatFromStream(stream, buffer.baseAddress, Int32(available)))) * channels
        }
    }
}
