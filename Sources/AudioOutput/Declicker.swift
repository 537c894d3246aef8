/// Silence that does not begin with a step: lets the last frame that was played die away within some milliseconds.
///
/// `last` is touched by the render thread only; its memory goes with its owner, so this is not `Sendable`.
package final class Declicker {
    private let channels: Int
    private let last: UnsafeMutablePointer<Float>
    /// Per frame: -60 dB within 4 ms.
    private let decay: Float

    package init(format: AudioFormat) {
        channels = format.channels
        last = .allocate(capacity: channels)
        last.initialize(repeating: 0, count: channels)
        decay = 1 - 6.9 / (0.004 * Float(format.rate))
    }

    deinit { last.deallocate() }

    /// Notes the last of the frames that are about to be played.
    package func note(_ samples: UnsafePointer<Float>, frames: Int) {
        guard frames > 0 else { return }
        last.update(from: samples + (frames - 1) * channels, count: channels)
    }

    /// Writes `frames` frames of silence, with the rest of what was before.
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

    /// Forgets what was before.
    package func reset() { last.update(repeating: 0, count: channels) }
}
