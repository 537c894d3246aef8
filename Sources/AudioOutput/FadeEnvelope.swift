import Glibc

/// The short raised-cosine fade that keeps starts and stops from clicking. It can turn round halfway.
///
/// A value for the render thread.
package struct FadeEnvelope: Sendable {
    /// How many frames a whole fade takes.
    package let length: Int
    /// 0 is silent, `length` is open.
    private var step = 0
    /// Where it is going.
    package var isOpening = true

    package init(length: Int) { self.length = max(length, 1) }

    package var isOpen: Bool { isOpening && step == length }
    package var isClosed: Bool { !isOpening && step == 0 }
    /// Frames until it is open or closed.
    package var framesLeft: Int { isOpening ? length - step : step }

    /// Starts from silence.
    package mutating func reset() { step = 0 }

    /// The factor for the next frame, 0...1.
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
