import Glibc

/// A short raised-cosine fade that prevents clicks at starts and stops. The direction of the fade can change at any
/// position. For the render thread.
package struct FadeEnvelope: Sendable {
    /// The length of a fade in frames.
    package let length: Int
    /// The position within the fade, in frames: 0 is silent; at `length` samples pass unchanged.
    private var position = 0
    /// Whether the fade is a fade-in; false for a fade-out.
    package var isFadingIn = true

    package init(length: Int) { self.length = max(length, 1) }

    /// Whether audio passes unchanged: the fade-in is complete.
    package var isFadeInComplete: Bool { isFadingIn && position == length }
    /// Whether audio is silent: the fade-out is complete.
    package var isFadeOutComplete: Bool { !isFadingIn && position == 0 }
    /// The number of frames until the fade-in or fade-out is complete.
    package var framesLeft: Int { isFadingIn ? length - position : position }

    /// Restarts the fade from silence.
    package mutating func reset() { position = 0 }

    /// Returns the amplitude factor of the next frame, 0 to 1.
    package mutating func nextFactor() -> Float {
        position = isFadingIn ? min(position + 1, length) : max(position - 1, 0)
        return Float(0.5 - 0.5 * cos(Double.pi * Double(position) / Double(length)))
    }

    /// Applies the fade to interleaved samples.
    package mutating func apply(to samples: UnsafeMutablePointer<Float>, frames: Int, channels: Int) {
        if isFadeInComplete { return }
        for frame in 0..<frames {
            let factor = nextFactor()
            for i in frame * channels..<(frame + 1) * channels { samples[i] *= factor }
        }
    }
}
