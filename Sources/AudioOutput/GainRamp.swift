import Glibc

/// A volume that moves to its target linearly in dB. For the render thread. The gain stays the same during pauses and
/// device errors.
package struct GainRamp: Sendable {
    /// The linear gain that counts as silence (-72 dB). A ramp to or from silence jumps between this gain and zero.
    package static let silentGain = 0.000_25
    /// The maximum linear gain, +60 dB.
    package static let maximumGain = 1000.0
    /// The duration in nanoseconds of the shortest ramp that causes no audible click.
    package static let shortestNanoseconds: Int64 = 5_000_000

    /// The linear gain of the last rendered frame.
    package private(set) var currentGain: Double
    /// The linear gain at the end of the ramp.
    package private(set) var targetGain: Double
    /// The factor by which the gain changes from one frame to the next.
    private var factorPerFrame = 1.0
    /// The number of frames until the end of the ramp.
    private var framesLeft = 0

    package init(_ gain: Double = 1) {
        targetGain = min(max(gain, 0), Self.maximumGain)
        currentGain = targetGain
    }

    /// Whether all further frames have a gain of 1, so that samples stay unchanged.
    package var isUnity: Bool { framesLeft == 0 && currentGain == 1 }

    /// Starts a ramp from the current gain to `gain` over `frames` frames.
    package mutating func setTarget(_ gain: Double, frames: Int) {
        targetGain = min(max(gain, 0), Self.maximumGain)
        framesLeft = max(frames, 1)
        currentGain = max(currentGain, Self.silentGain)
        factorPerFrame = pow(max(targetGain, Self.silentGain) / currentGain, 1 / Double(framesLeft))
    }

    /// Returns the gain of the next frame.
    package mutating func nextGain() -> Double {
        guard framesLeft > 0 else { return currentGain }
        framesLeft -= 1
        currentGain = framesLeft == 0 ? targetGain : currentGain * factorPerFrame
        return currentGain
    }

    /// Applies the gain to interleaved samples, and clips amplified samples to -1...1.
    package mutating func apply(to samples: UnsafeMutablePointer<Float>, frames: Int, channels: Int) {
        if isUnity { return }
        for frame in 0..<frames {
            let gain = Float(nextGain())
            for i in frame * channels..<(frame + 1) * channels {
                let value = samples[i] * gain
                samples[i] = gain > 1 ? min(max(value, -1), 1) : value
            }
        }
    }
}
