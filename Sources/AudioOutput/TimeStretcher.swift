import CSonic

/// A processor that changes the speed of audio with libsonic. Used by one thread.
///
/// The output is `1 / speed` times as long as the input.
package final class TimeStretcher {
    // This object owns the libsonic stream: created in `init`, destroyed in `deinit`.
    private let stream: sonicStream
    private let channels: Int

    /// Creates a time stretcher; nil for invalid values, or if memory is exhausted.
    ///
    /// - Parameters:
    ///   - rate: The sample rate in Hz.
    ///   - speed: The speed; 2 is twice as fast.
    ///   - keepsPitch: Whether the pitch is preserved; if false, the pitch changes with the speed.
    package init?(rate: Int, channels: Int, speed: Double, keepsPitch: Bool = true) {
        guard (1000...768_000).contains(rate), (1...8).contains(channels), speed > 0,
            let stream = sonicCreateStream(Int32(rate), Int32(channels))
        else { return nil }
        self.stream = stream
        self.channels = channels
        if keepsPitch { sonicSetSpeed(stream, Float(speed)) } else { sonicSetRate(stream, Float(speed)) }
    }

    deinit { sonicDestroyStream(stream) }

    /// Converts interleaved samples, and returns the output that is available, also interleaved.
    ///
    /// - Parameter isFinal: Whether `samples` are the last samples of the stream. libsonic then returns all remaining
    ///   output.
    package func process(_ samples: ArraySlice<Float>, isFinal: Bool = false) -> [Float] {
        var samples = Array(samples)
        let frames = Int32(clamping: samples.count / channels)
        // Writing fails only if memory is exhausted; the output is then empty.
        if frames > 0 {
            _ = samples.withUnsafeMutableBufferPointer { sonicWriteFloatToStream(stream, $0.baseAddress, frames) }
        }
        if isFinal { sonicFlushStream(stream) }
        let available = max(0, Int(sonicSamplesAvailable(stream)))
        guard available > 0 else { return [] }
        return [Float](unsafeUninitializedCapacity: available * channels) { buffer, sampleCount in
            sampleCount = max(0, Int(sonicReadFloatFromStream(stream, buffer.baseAddress, Int32(available)))) * channels
        }
    }
}
