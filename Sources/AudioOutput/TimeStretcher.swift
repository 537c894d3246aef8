import CRubberBand

/// Makes sound last longer or shorter and keeps its pitch, with Rubber Band. One thread.
///
/// What goes in comes out `1 / speed` times as long; the delay inside is taken away, so that the first frame out is the first frame in.
package final class TimeStretcher {
    // Owned: made in `init`, freed in `deinit`.
    private let state: RubberBandState
    private let channels: Int
    /// Frames that come out before the first frame that went in.
    private var toDrop: Int

    /// - Parameters:
    ///   - rate: frames per second.
    ///   - speed: 2 = twice as fast.
    package init?(rate: Int, channels: Int, speed: Double) {
        guard rate > 0, (1...8).contains(channels), speed > 0,
            let state = rubberband_new(UInt32(rate), UInt32(channels), crubberband_options, 1 / speed, 1)
        else { return nil }
        self.state = state
        self.channels = channels
        toDrop = Int(rubberband_get_start_delay(state))
        let pad = Int(rubberband_get_preferred_start_pad(state))
        if pad > 0 { _ = process([Float](repeating: 0, count: pad * channels)[...], isFinal: false, drops: false) }
    }

    deinit { rubberband_delete(state) }

    /// Takes interleaved samples and gives what comes of them, interleaved.
    package func process(_ samples: ArraySlice<Float>, isFinal: Bool = false) -> [Float] {
        process(samples, isFinal: isFinal, drops: true)
    }

    private func process(_ samples: ArraySlice<Float>, isFinal: Bool, drops: Bool) -> [Float] {
        let frames = samples.count / channels
        var planes = [Float](repeating: 0, count: max(samples.count, 1))
        for (index, sample) in samples.enumerated() { planes[index % channels * frames + index / channels] = sample }
        planes.withUnsafeBufferPointer { buffer in
            let lines: [UnsafePointer<Float>?] = (0..<channels).map { channel in buffer.baseAddress.map { $0 + channel * frames } }
            rubberband_process(state, lines, UInt32(frames), isFinal ? 1 : 0)
        }
        return drops ? retrieve() : []
    }

    private func retrieve() -> [Float] {
        let available = Int(rubberband_available(state))
        guard available > 0 else { return [] }
        var planes = [Float](repeating: 0, count: available * channels)
        let got = planes.withUnsafeMutableBufferPointer { buffer in
            let lines: [UnsafeMutablePointer<Float>?] = (0..<channels).map { channel in buffer.baseAddress.map { $0 + channel * available } }
            return Int(rubberband_retrieve(state, lines, UInt32(available)))
        }
        let skipped = min(toDrop, got)
        toDrop -= skipped
        var result: [Float] = []
        result.reserveCapacity((got - skipped) * channels)
        for frame in skipped..<got {
            for channel in 0..<channels { result.append(planes[channel * available + frame]) }
        }
        return result
    }
}
