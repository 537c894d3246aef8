import Glibc

/// The volume, moving to its target frame by frame, in equal steps of decibels: as the ear hears it, at constant speed.
///
/// A value for the render thread; it keeps its place through pauses and device errors.
package struct GainRamp: Sendable {
    /// Where silence begins (-72 dB): from here to zero, and from zero to here, the ramp steps.
    package static let floor = 0.000_25
    /// The loudest that can be asked for (+6 dB).
    package static let ceiling = 2.0
    /// Shorter ramps would click.
    package static let shortestNanoseconds: Int64 = 5_000_000

    /// The gain of the frame rendered last.
    package private(set) var current: Double
    package private(set) var target: Double
    private var factor = 1.0
    private var framesLeft = 0

    package init(_ gain: Double = 1) {
        target = min(max(gain, 0), Self.ceiling)
        current = target
    }

    /// Whether every frame of what comes is played as it is.
    package var isUnity: Bool { framesLeft == 0 && current == 1 }

    /// Sets out for `gain`, from wherever it is now, to be there after `frames` frames.
    package mutating func retarget(_ gain: Double, frames: Int) {
        target = min(max(gain, 0), Self.ceiling)
        framesLeft = max(frames, 1)
        current = max(current, Self.floor)
        factor = pow(max(target, Self.floor) / current, 1 / Double(framesLeft))
    }

    /// The gain for the next frame.
    package mutating func next() -> Double {
        guard framesLeft > 0 else { return current }
        framesLeft -= 1
        current = framesLeft == 0 ? target : current * factor
        return current
    }

    /// Applies the gain to interleaved samples, all channels of a frame alike, and keeps them within -1...1 where it
    /// amplifies.
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
