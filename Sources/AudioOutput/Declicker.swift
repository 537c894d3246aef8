/// Starts silence without a click: the last played frame decays within a few milliseconds.
///
/// Not `Sendable`: only the render thread uses ``lastFrame``, whose memory belongs to this value.
package final class Declicker {
    private let channels: Int
    /// The last played frame: one sample for each channel.
    private let lastFrame: UnsafeMutablePointer<Float>
    /// The amplitude factor from one frame to the next: -60 dB within 4 ms.
    private let decayPerFrame: Float

    package init(format: AudioFormat) {
        channels = format.channels
        lastFrame = .allocate(capacity: channels)
        lastFrame.initialize(repeating: 0, count: channels)
        decayPerFrame = 1 - 6.9 / (0.004 * Float(format.rate))
    }

    deinit { lastFrame.deallocate() }

    /// Stores the last frame of a rendered block. Silence that follows decays from this frame.
    package func storeLastFrame(_ samples: UnsafePointer<Float>, frames: Int) {
        guard frames > 0 else { return }
        lastFrame.update(from: samples + (frames - 1) * channels, count: channels)
    }

    /// Writes frames of silence that start with the decay of the last played frame.
    package func fill(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
        for channel in 0..<channels {
            var value = lastFrame[channel]
            for frame in 0..<frames {
                value = abs(value) < 1e-5 ? 0 : value * decayPerFrame
                samples[frame * channels + channel] = value
            }
            lastFrame[channel] = value
        }
    }

    /// Discards the last played frame, so that the next silence has no decay.
    package func reset() { lastFrame.update(repeating: 0, count: channels) }
}
