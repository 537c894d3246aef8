/// How often a program was opened in each quarter hour of one kind of day, with older days counting less.
package struct UsageHistogram: Hashable, Sendable {
    /// The factor by which a day's weight shrinks each day: half in 14 days, 2^(-1/14).
    package static let dailyDecay = 0.951_695_3

    /// The decayed number of openings in each quarter hour of the day.
    package private(set) var weights = [Double](repeating: 0, count: FetchTime.slotsPerDay)
    /// The decayed number of days on which the machine was used.
    package private(set) var dayWeight = 0.0

    package init() {}

    /// Creates a stored histogram, or nil if a value is not valid.
    package init?(weights: [Double], dayWeight: Double) {
        let range = 0.0...1000
        guard weights.count == FetchTime.slotsPerDay, weights.allSatisfy(range.contains), range.contains(dayWeight)
        else { return nil }
        self.weights = weights
        self.dayWeight = dayWeight
    }

    /// Returns the histogram of the days of both histograms.
    package static func + (first: UsageHistogram, second: UsageHistogram) -> UsageHistogram {
        var sum = first
        for slot in sum.weights.indices { sum.weights[slot] += second.weights[slot] }
        sum.dayWeight += second.dayWeight
        return sum
    }

    /// Records a day on which the machine is used.
    package mutating func addDay() { dayWeight += 1 }

    /// Records an opening.
    package mutating func addOpening(slot: Int) { weights[slot] += 1 }

    /// Lets a number of days pass.
    package mutating func decay(days: Int) {
        var factor = 1.0
        for _ in 0..<min(days, 1000) { factor *= Self.dailyDecay }
        dayWeight *= factor
        for slot in weights.indices { weights[slot] *= factor }
    }

    /// Returns the chance of an opening within the quarter hours of a peak.
    func chance(of peak: UsagePeak) -> Double { min(1, peak.slots.reduce(0) { $0 + weights[$1] } / (dayWeight + 1)) }

    /// The chance of an opening in each quarter hour. One day without openings is added, so that the first days do not
    /// count as certainty.
    package var chances: [Double] { weights.map { $0 / (dayWeight + 1) } }
}

/// A time of the day at which a program is usually opened.
package struct UsagePeak: Hashable, Sendable {
    /// The first quarter hour of the peak, 0 to 95.
    package let firstSlot: Int
    /// The number of quarter hours; a peak may pass midnight.
    package let slotCount: Int
    /// The chance of an opening within the peak on one day, 0 to 1.
    package let chance: Double
    /// The quarter hour before which a tenth of the openings fall, 0 to 95.
    package let targetSlot: Int

    package init(firstSlot: Int, slotCount: Int, chance: Double, targetSlot: Int) {
        self.firstSlot = firstSlot
        self.slotCount = slotCount
        self.chance = chance
        self.targetSlot = targetSlot
    }

    /// The quarter hours of the peak.
    package var slots: [Int] { (0..<slotCount).map { (firstSlot + $0) % FetchTime.slotsPerDay } }
}

extension UsageHistogram {
    /// The least chance of an opening within half an hour that makes a peak.
    package static let peakChance = 0.15
    /// The quarter hours on each side that are added to a quarter hour: half an hour.
    static let smoothingReach = 2
    /// The share of a peak's openings that may fall before its target.
    static let targetShare = 0.1

    /// The peaks: runs of quarter hours in which the chance of an opening within half an hour is at least
    /// ``peakChance`` and twice the mean.
    package var peaks: [UsagePeak] {
        let chances = chances
        let count = FetchTime.slotsPerDay
        let reach = Self.smoothingReach
        let smoothed = (0..<count).map { slot in
            (-reach...reach).reduce(0) { $0 + chances[(slot + $1 + count) % count] }
        }
        let threshold = max(Self.peakChance, 2 * smoothed.reduce(0, +) / Double(count))
        guard let gap = smoothed.firstIndex(where: { $0 < threshold }) else { return [] }
        var peaks: [UsagePeak] = []
        var run: [Int] = []
        // Starts after a slot that belongs to no peak, so that no peak is split at midnight.
        for slot in (gap...gap + count).map({ $0 % count }) {
            if smoothed[slot] >= threshold {
                run.append(slot)
            } else {
                if let peak = peak(of: run) { peaks.append(peak) }
                run = []
            }
        }
        return peaks.sorted { $0.targetSlot < $1.targetSlot }
    }

    private func peak(of run: [Int]) -> UsagePeak? {
        guard let first = run.first else { return nil }
        let total = run.reduce(0) { $0 + weights[$1] }
        guard total > 0 else { return nil }
        var sum = 0.0
        let target = run.first { slot in
            sum += weights[slot]
            return sum > total * Self.targetShare
        }
        return UsagePeak(
            firstSlot: first, slotCount: run.count, chance: min(1, total / (dayWeight + 1)),
            targetSlot: target ?? first)
    }
}
