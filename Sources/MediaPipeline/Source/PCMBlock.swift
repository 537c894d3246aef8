/// A block of decoded audio.
package struct PCMBlock: Sendable {
    /// The interleaved samples, in the range -1…1.
    package var samples: [Float]
    /// The number of channels.
    package var channels: Int
    /// The sample rate: audio frames per second.
    package var rate: Int
    /// The presentation timestamp of the first frame on the item's timeline, in nanoseconds.
    package var presentationTime: Int64
    /// The number of the seek after which the block was decoded.
    package var generation: UInt32
    /// The number of samples per channel.
    package var frameCount: Int { samples.count / max(channels, 1) }
}
