import MediaPipeline

/// Lines the blocks of a feed up with the item's time: silence where there is a gap, a cut where they overlap. A pure
/// value.
struct BlockAligner {
    /// What of a block is to be written.
    struct Aligned {
        var samples: ArraySlice<Float>
        /// The feed is over with it.
        var isLast: Bool
    }

    /// Frames taken from the feed since the last flush: the item's own time, whatever the speed.
    private var taken: Int64 = 0
    /// Media time of the feed at which what was taken ends; nil before the first block.
    private(set) var reached: Int64?
    /// The generation that blocks come from. The first block of another one is lined up to the sample.
    private var generation: UInt32?
    private var mustAlign = false
    /// A block whose silence before it is still being written.
    private var held: PCMBlock?

    /// Frames by which a block may be off before that is heard: 20 ms.
    private static let tolerance = 0.02

    /// Begins a feed, or goes on with one in an empty stream.
    mutating func restart() { (taken, reached, held) = (0, nil, nil) }

    /// A block comes from another track than the one before it, or does not.
    mutating func expect(_ generation: UInt32) {
        if self.generation != generation { (self.generation, mustAlign) = (generation, true) }
    }

    /// The block that waited for the silence before it.
    mutating func takeHeld() -> PCMBlock? { held.take() }

    /// - Parameters:
    ///   - origin: media time of the feed's first frame.
    ///   - end: media time at which the feed is over.
    mutating func align(_ block: PCMBlock, from origin: Int64, to end: Int64?) -> Aligned {
        let channels = max(block.channels, 1), rate = Int64(max(block.rate, 1))
        let gap = Double(block.presentationTime - time(origin, rate)) * Double(rate) / 1e9
        let tolerance = taken == 0 || mustAlign ? 0.5 : Double(rate) * Self.tolerance
        var samples = block.samples[...]
        if gap > tolerance {
            // A second at most at once, and the block after the last: sound may begin late, and a stamp may lie.
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
        // Rounded to the nearest sample, for a time that came of samples.
        let surplus = Int(min((Double(reached - end) * Double(rate) / 1e9).rounded(), Double(samples.count / channels)))
        self.reached = end
        held = nil
        return Aligned(samples: samples.dropLast(max(0, surplus) * channels), isLast: true)
    }

    /// The media time behind what was taken; in two parts, so that days of sound do not overflow.
    private func time(_ origin: Int64, _ rate: Int64) -> Int64 {
        origin &+ taken / rate * 1_000_000_000 + taken % rate * 1_000_000_000 / rate
    }
}
