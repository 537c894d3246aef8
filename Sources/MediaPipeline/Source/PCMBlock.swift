/// A block of sound: `frameCount` frames of interleaved 32-bit floats in -1...1.
package struct PCMBlock: Sendable {
    package var samples: [Float]
    package var channels: Int
    /// Frames per second.
    package var rate: Int
    /// Presentation timestamp of the first frame on the item's timeline, nanoseconds.
    package var presentationTime: Int64
    package var generation: UInt32
    package var frameCount: Int { samples.count / max(channels, 1) }
}
