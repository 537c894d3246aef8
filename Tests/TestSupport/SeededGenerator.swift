import Foundation

/// A random number generator (SplitMix64) whose output depends only on the seed, on every machine.
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    /// Returns a generator with a random seed and prints the seed. Set `SWIFTPLAY_TEST_SEED` to that seed to repeat a
    /// test.
    package static func printingSeed(test: String = #function) -> SeededGenerator {
        let givenSeed = ProcessInfo.processInfo.environment["SWIFTPLAY_TEST_SEED"].flatMap { UInt64($0) }
        let seed = givenSeed ?? .random(in: .min ... .max)
        print("\(test): SWIFTPLAY_TEST_SEED=\(seed)")
        return SeededGenerator(seed: seed)
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
