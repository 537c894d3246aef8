import Glibc

/// A short raised-cosine fade that prevents clicks at starts and stops. It can reverse halfway. For the render thread.
package struct FadeEnvelope: Sendable {
    /// The length of a fade in frames.
    package let length: Int
    /// The position: 0 is silent, `length` is open.
    private var step = 0
    /// The target position.
    package var isOpening = true

    package init(length: Int) { self.length = max(length, 1) }

    package var isOpen: Bool { isOpening && step == length }
    package var isClosed: Bool { !isOpening && step == 0 }
    /// The number of frames until the target.
    package var framesLeft: Int { isOpening ? length - step : step }

    /// Restarts from silence.
    package mutating func reset() { step = 0 }

    /// Returns the factor of the next frame, 0 to 1.
    package mutating func next() -> Float {
        step = isOpening ? min(step + 1, length) : max(step - 1, 0)
        return Float(0.5 - 0.5 * cos(Double.pi * Double(step) / Double(length)))
    }

    /// Applies the fade to interleaved samples.
    package mutating func apply(to samples: UnsafeMutablePointer<Float>, frames: Int, channels: Int) {
        if isOpen { return }
        for frame in 0..<frames {
            let factor = next()
            for i in frame * channels..<(frame + 1) * channels { samples[i] *= factor }
        }
    }
}
