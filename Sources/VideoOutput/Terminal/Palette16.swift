/// The 16 ANSI colours, in the values of the Linux console and of VGA. Other terminals show similar colours.
enum Palette16 {
    /// The colours as `0xRRGGBB`.
    static let colours: [UInt32] = [
        0x000000, 0xaa0000, 0x00aa00, 0xaa5500, 0x0000aa, 0xaa00aa, 0x00aaaa, 0xaaaaaa,
        0x555555, 0xff5555, 0x55ff55, 0xffff55, 0x5555ff, 0xff55ff, 0x55ffff, 0xffffff,
    ]

    /// Two colours of the palette whose mixture is similar to an RGB colour.
    struct Mixture {
        /// The index of the first colour.
        var first: UInt8
        /// The index of the second colour.
        var second: UInt8
        /// The share of the second colour in 64ths; 0...32.
        var share: UInt8
    }

    /// The mixtures for all colours of 4 bits per channel, indexed by `0xRGB`. Computed once, in about 40 ms.
    static let mixtures: [Mixture] = {
        var candidates: [(mixture: Mixture, colour: (Int, Int, Int), penalty: Int)] = []
        for first in 0..<16 {
            for second in 0..<16 where second != first {
                let a = components(colours[first]), b = components(colours[second])
                for share in stride(from: second == (first + 1) % 16 ? 0 : 8, through: 32, by: 8) {
                    func mix(_ a: Int, _ b: Int) -> Int { (a * (64 - share) + b * share) / 64 }
                    candidates.append(
                        (
                            Mixture(first: UInt8(first), second: UInt8(second), share: UInt8(share)),
                            (mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2)),
                            // The more two colours differ, the more visible is their pattern.
                            distance(a, b) * share * (64 - share) / (64 * 64 * 4)
                        ))
                }
            }
        }
        return (0..<4096).map { index in
            let colour = ((index >> 8) * 17, (index >> 4 & 15) * 17, (index & 15) * 17)
            var bestCandidate = candidates[0], bestError = Int.max
            for candidate in candidates {
                let error = distance(colour, candidate.colour) + candidate.penalty
                if error < bestError { (bestCandidate, bestError) = (candidate, error) }
            }
            return bestCandidate.mixture
        }
    }()

    /// Returns the index of a BGRX pixel's colour at a position with a threshold of ``OrderedDither``.
    static func dithered(_ pixel: UInt32, threshold: Int32, _ mixtures: UnsafeBufferPointer<Mixture>) -> Int {
        // Distribute the error of the table's 4 bits as well: 16 thresholds are enough for the lower bits.
        let noise = UInt32(truncatingIfNeeded: threshold >> 2)
        let r = quantised(pixel >> 16 & 255, noise), g = quantised(pixel >> 8 & 255, noise)
        let mixture = mixtures[Int(r << 8 | g << 4 | quantised(pixel & 255, noise))]
        return Int(threshold < Int32(mixture.share) ? mixture.second : mixture.first)
    }

    /// Rounds a channel of 8 bits to 4 bits, up if its remainder exceeds `noise` (0...15).
    private static func quantised(_ value: UInt32, _ noise: UInt32) -> UInt32 { (value * 15 + noise * 16) / 255 }

    /// Returns the weighted squared difference of two colours. Green contributes most to brightness.
    static func distance(_ a: (Int, Int, Int), _ b: (Int, Int, Int)) -> Int {
        let r = a.0 - b.0, g = a.1 - b.1, b = a.2 - b.2
        return 3 * r * r + 4 * g * g + 2 * b * b
    }

    /// Returns the channels of `0xRRGGBB`.
    static func components(_ colour: UInt32) -> (Int, Int, Int) {
        (Int(colour >> 16 & 255), Int(colour >> 8 & 255), Int(colour & 255))
    }
}
