/// The random numbers of a simulation (SplitMix64), which depend only on the seed.
struct SimulationRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    /// Returns whether an event of a probability happens.
    mutating func happens(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }

    /// Returns a number of the normal distribution with mean 0 and deviation 1, as a sum of uniform numbers.
    mutating func normal() -> Double {
        (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &self) }
    }

    /// Returns random times of a period, in order, at a mean rate.
    mutating func times(in period: Range<Int>, perDay: Double) -> [Int] {
        let step = 300
        let probability = perDay * Double(step) / 86_400
        return stride(from: period.lowerBound, to: period.upperBound, by: step).compactMap { start in
            happens(probability) ? start + Int.random(in: 0..<step, using: &self) : nil
        }
    }
}
