import MediaPipeline

/// Aligns the decoded blocks of an item's audio with the item's time: inserts silence for gaps and cuts overlaps. A
/// pure value.
struct BlockAligner {
    /// The part of a decoded block to write to the device.
    struct AlignedPart {
        /// The interleaved samples, with inserted silence and without overlaps.
        var samples: ArraySlice<Float>
        /// Whether the item's audio ends with this part.
        var isLast: Bool
    }

    /// The number of audio frames taken from decoded blocks since the last flush, counted at the recorded speed.
    private var takenFrameCount: Int64 = 0
    /// The media time up to which the item's audio was aligned; nil before the first block.
    private(set) var alignedEndTime: Int64?
    /// The generation (number of the seek or track selection) of the current blocks. The first block of a new
    /// generation is aligned to the exact sample.
    private var generation: UInt32?
    /// Whether the next block is aligned to the exact sample, without tolerance.
    private var isAlignmentPending = false
    /// A decoded block that is written after the silence before it; nil if no block waits.
    private var waitingBlock: PCMBlock?

    /// The largest deviation of a block's timestamp, in seconds, that is ignored because it is not audible.
    private static let tolerance = 0.02

    /// Prepares for the first block of an item's audio, or for a new device that continues this audio.
    mutating func restart() { (takenFrameCount, alignedEndTime, waitingBlock) = (0, nil, nil) }

    /// Sets the generation (number of the seek or track selection) of the next block. After a change, the next block
    /// belongs to another track and is aligned exactly.
    mutating func setGeneration(_ generation: UInt32) {
        if self.generation != generation { (self.generation, isAlignmentPending) = (generation, true) }
    }

    /// Returns and removes the block that waited for the silence before it.
    mutating func takeWaitingBlock() -> PCMBlock? { waitingBlock.take() }

    /// Returns the part of `block` to write, with silence before it if there is a gap.
    ///
    /// - Parameters:
    ///   - origin: The media time of the first frame of the item's audio.
    ///   - end: The media time at which the item's audio ends; nil for the end of its source.
    mutating func align(_ block: PCMBlock, from origin: Int64, to end: Int64?) -> AlignedPart {
        let channels = max(block.channels, 1), rate = Int64(max(block.rate, 1))
        let gap = Double(block.presentationTime - endTime(origin, rate)) * Double(rate) / 1e9
        let tolerance = takenFrameCount == 0 || isAlignmentPending ? 0.5 : Double(rate) * Self.tolerance
        var samples = block.samples[...]
        if gap > tolerance {
            // Insert at most one second at a time and keep the block: audio may start late, and a timestamp may be
            // wrong.
            let silentFrameCount = min(Int(min(gap, 1e9).rounded()), Int(rate))
            if Double(silentFrameCount) < gap - tolerance { waitingBlock = block }
            samples =
                ([Float](repeating: 0, count: silentFrameCount * channels) + (waitingBlock == nil ? samples : []))[...]
        } else if gap < -tolerance {
            samples = samples.dropFirst(Int(min((-gap).rounded(), Double(samples.count))) * channels)
        }
        takenFrameCount += Int64(samples.count / channels)
        if !samples.isEmpty { isAlignmentPending = false }
        let alignedEndTime = endTime(origin, rate)
        guard let end, alignedEndTime >= end else {
            self.alignedEndTime = alignedEndTime
            return AlignedPart(samples: samples, isLast: false)
        }
        // Round to the nearest sample: the end may itself have been computed from samples.
        let surplusFrameCount = Int(
            min((Double(alignedEndTime - end) * Double(rate) / 1e9).rounded(), Double(samples.count / channels)))
        self.alignedEndTime = end
        waitingBlock = nil
        return AlignedPart(samples: samples.dropLast(max(0, surplusFrameCount) * channels), isLast: true)
    }

    /// Returns the media time at the end of the frames taken so far. Whole seconds and the remainder are computed
    /// separately, so that the product does not overflow after days of audio.
    private func endTime(_ origin: Int64, _ rate: Int64) -> Int64 {
        origin &+ takenFrameCount / rate * 1_000_000_000 + takenFrameCount % rate * 1_000_000_000 / rate
    }
}
