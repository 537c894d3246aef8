/// Silence without a step: the last played frame decays within some milliseconds.
///
/// Not `Sendable`: only the render thread uses `last`, whose memory belongs to this value.
package final class Declicker {
    private let channels: Int
    private let last: UnsafeMutablePointer<Float>
    /// The decay per frame: -60 dB within 4 ms.
    private let decay: Float

    package init(format: AudioFormat) {
        channels = format.channels
        last = .allocate(capacity: channels)
        last.initialize(repeating: 0, count: channels)
        decay = 1 - 6.9 / (0.004 * Float(format.rate))
    }

    deinit { last.deallocate() }

    /// Stores the last of the next frames.
    package func note(_ samples: UnsafePointer<Float>, frames: Int) {
        guard frames > 0 else { return }
        last.update(from: samples + (frames - 1) * channels, count: channels)
    }

    /// Writes frames of silence that start with the decay.
    package func fill(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
        for channel in 0..<channels {
            var value = last[channel]
            for frame in 0..<frames {
                value = abs(value) < 1e-5 ? 0 : value * decay
                samples[frame * channels + channel] = value
            }
            last[channel] = value
        }
    }

    /// Forgets the last frame.
    package func reset() { last.update(repeating: 0, count: channels) }
}
