import CALSA

/// The sample formats that are requested from a device, the best first, and the conversion to them.
package enum SampleFormat: CaseIterable, Sendable {
    case float32, int32, int16

    /// ALSA's constant for this sample format, in the byte order of this machine.
    package var alsaFormat: snd_pcm_format_t {
        switch self {
        case .float32: SND_PCM_FORMAT_FLOAT
        case .int32: SND_PCM_FORMAT_S32
        case .int16: SND_PCM_FORMAT_S16
        }
    }

    /// The size of a sample in bytes.
    package var byteCount: Int { self == .int16 ? 2 : 4 }

    /// Converts samples, which are clipped to -1...1; NaN becomes silence. Does not allocate.
    package func convert(_ samples: UnsafePointer<Float>, count: Int, into target: UnsafeMutableRawPointer) {
        switch self {
        case .float32:
            let floatSamples = target.bindMemory(to: Float.self, capacity: count)
            for i in 0..<count { floatSamples[i] = Self.clipped(samples[i]) }
        case .int32:
            for i in 0..<count {
                let value = (Double(Self.clipped(samples[i])) * 2_147_483_647).rounded()
                target.storeBytes(of: Int32(value), toByteOffset: i * 4, as: Int32.self)
            }
        case .int16:
            for i in 0..<count {
                let value = (Self.clipped(samples[i]) * 32767).rounded()
                target.storeBytes(of: Int16(value), toByteOffset: i * 2, as: Int16.self)
            }
        }
    }

    /// Returns a sample clipped to -1...1; 0 for NaN.
    private static func clipped(_ value: Float) -> Float {
        value.isNaN ? 0 : min(max(value, -1), 1)
    }
}
