/// A block of audio: `frameCount` frames of interleaved 32-bit floats in -1...1.
package struct PCMBlock: Sendable {
    package var samples: [Float]
    package var channels: Int
    /// The sample rate: audio frames per second.
    package var rate: Int
    /// The presentation timestamp of the first frame on the item's timeline, in nanoseconds.
    package var presentationTime: Int64
    package var generation: UInt32
    package var frameCount: Int { samples.count / max(channels, 1) }
}
