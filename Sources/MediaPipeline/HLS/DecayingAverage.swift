import Glibc

/// An exponentially weighted moving average of samples that have different weights.
///
/// The average is corrected for the samples that are missing at the start: after one sample, it is the value of that
/// sample.
struct DecayingAverage: Sendable, Equatable {
    /// The weight after which an older sample counts half, in seconds.
    let halfLife: Double
    /// The weighted sum of all samples, in the unit of the samples.
    private var weightedSum = 0.0
    /// The total weight of all samples, from 0 before the first sample towards 1. Dividing by the total weight corrects
    /// the average for the samples that are missing at the start.
    private var totalWeight = 0.0

    /// Creates an average without samples.
    ///
    /// - Parameter halfLife: The half-life in seconds; with a value that is not positive, the average is the last
    ///   sample.
    init(halfLife: Double) { self.halfLife = halfLife }

    /// The average; nil before the first sample.
    var value: Double? { totalWeight > 0 ? weightedSum / totalWeight : nil }

    /// Adds a sample. Ignores values that are negative or not finite, and weights that are not positive or not finite.
    ///
    /// - Parameter weight: The weight in seconds.
    mutating func add(_ value: Double, weight: Double) {
        guard value.isFinite, value >= 0, weight.isFinite, weight > 0 else { return }
        let retainedShare = halfLife > 0 ? exp2(-weight / halfLife) : 0
        weightedSum = value * (1 - retainedShare) + weightedSum * retainedShare
        totalWeight = 1 - retainedShare + totalWeight * retainedShare
    }
}
