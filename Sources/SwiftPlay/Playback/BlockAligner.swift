import MediaPipeline

/// Aligns the blocks of a feed with the item's time: inserts silence for gaps and cuts overlaps. A pure value.
struct BlockAligner {
    /// The part of a block to write.
    struct Aligned {
        var samples: ArraySlice<Float>
        /// The feed ends with this part.
        var isLast: Bool
    }

    /// Frames taken from the feed since the last flush, counted in the item's time regardless of the speed.
    private var taken: Int64 = 0
    /// Media time up to which the feed was taken; nil before the first block.
    private(set) var reached: Int64?
    /// The generation of the current blocks. The first block of a new generation is aligned to the sample.
    private var generation: UInt32?
    private var mustAlign = false
    /// A block that waits until the silence before it is written.
    private var held: PCMBlock?

    /// The deviation of a block's time that is not audible, seconds.
    private static let tolerance = 0.02

    /// Starts a feed, or continues one in an empty stream.
    mutating func restart() { (taken, reached, held) = (0, nil, nil) }

    /// Sets the generation of the next block. A change means another track.
    mutating func expect(_ generation: UInt32) {
        if self.generation != generation { (self.generation, mustAlign) = (generation, true) }
    }

    /// Returns and removes the block that waited for the silence before it.
    mutating func takeHeld() -> PCMBlock? { held.take() }

    /// Returns the part of `block` to write, with silence before it if there is a gap.
    ///
    /// - Parameters:
    ///   - origin: Media time of the feed's first frame.
    ///   - end: Media time at which the feed ends.
    mutating func align(_ block: PCMBlock, from origin: Int64, to end: Int64?) -> Aligned {
        let channels = max(block.channels, 1), rate = Int64(max(block.rate, 1))
        let gap = Double(block.presentationTime - time(origin, rate)) * Double(rate) / 1e9
        let tolerance = taken == 0 || mustAlign ? 0.5 : Double(rate) * Self.tolerance
        var samples = block.samples[...]
        if gap > tolerance {
            // Insert at most one second at a time and keep the block: audio may start late, and a timestamp may be
            // wrong.
            let silence = min(Int(min(gap, 1e9).rounded()), Int(rate))
            if Double(silence) < gap - tolerance { held = block }
            samples = ([Float](repeating: 0, count: silence * channels) + (held == nil ? samples : []))[...]
        } else if gap < -tolerance {
            samples = samples.dropFirst(Int(min((-gap).rounded(), Double(samples.count))) * channels)
        }
        taken += Int64(samples.count / channels)
        if !samples.isEmpty { mustAlign = false }
        let reached = time(origin, rate)
        guard let end, reached >= end else {
            self.reached = reached
            return Aligned(samples: samples, isLast: false)
        }
        // Round to the nearest sample: the end may itself have been computed from samples.
        let surplus = Int(min((Double(reached - end) * Double(rate) / 1e9).rounded(), Double(samples.count / channels)))
        self.reached = end
        held = nil
        return Aligned(samples: samples.dropLast(max(0, surplus) * channels), isLast: true)
    }

    /// Returns the media time after the taken frames; computed in two parts, so that days of audio do not overflow.
    private func time(_ origin: Int64, _ rate: Int64) -> Int64 {
        origin &+ taken / rate * 1_000_000_000 + taken % rate * 1_000_000_000 / rate
    }
}
