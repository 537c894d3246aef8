import Glibc

/// The volume, which moves to its target linearly in dB. For the render thread; it keeps its state across pauses and
/// device errors.
package struct GainRamp: Sendable {
    /// The gain that counts as silence, -72 dB. Between it and zero the ramp jumps.
    package static let floor = 0.000_25
    /// The maximum gain, +6 dB.
    package static let ceiling = 2.0
    /// The shortest ramp without a click.
    package static let shortestNanoseconds: Int64 = 5_000_000

    /// The gain of the last rendered frame.
    package private(set) var current: Double
    package private(set) var target: Double
    private var factor = 1.0
    private var framesLeft = 0

    package init(_ gain: Double = 1) {
        target = min(max(gain, 0), Self.ceiling)
        current = target
    }

    /// Whether all later frames have a gain of 1.
    package var isUnity: Bool { framesLeft == 0 && current == 1 }

    /// Starts a ramp from the current gain to `gain` over `frames` frames.
    package mutating func retarget(_ gain: Double, frames: Int) {
        target = min(max(gain, 0), Self.ceiling)
        framesLeft = max(frames, 1)
        current = max(current, Self.floor)
        factor = pow(max(target, Self.floor) / current, 1 / Double(framesLeft))
    }

    /// Returns the gain of the next frame.
    package mutating func next() -> Double {
        guard framesLeft > 0 else { return current }
        framesLeft -= 1
        current = framesLeft == 0 ? target : current * factor
        return current
    }

    /// Applies the gain to interleaved samples, and clips amplified samples to -1...1.
    package mutating func apply(to samples: UnsafeMutablePointer<Float>, frames: Int, channels: Int) {
        if isUnity { return }
        for frame in 0..<frames {
            let gain = Float(next())
            for i in frame * channels..<(frame + 1) * channels {
                let value = samples[i] * gain
                samples[i] = gain > 1 ? min(max(value, -1), 1) : value
            }
        }
    }
}
