/// The content of one program: the times at which it changes, and at which its server fails.
package struct SimulatedContent: Sendable {
    /// A kind of content.
    package enum Kind: String, CaseIterable, Sendable {
        /// Changes once an hour.
        case hourly
        /// Changes once a day at about six.
        case daily
        /// Changes four times a day at random times.
        case random
        /// Changes ten times within two hours, about every third day.
        case bursts
        /// Never changes.
        case dead
        /// Changes hourly, and its server fails a quarter of the time.
        case failing
    }

    let kind: Kind
    /// The times of changes, in order.
    let changes: [Int]
    /// The periods in which fetches fail, in order.
    let outages: [Range<Int>]

    init(kind: Kind, dayCount: Int, random: inout SimulationRandom) {
        self.kind = kind
        let minute = Int.random(in: 0..<60, using: &random)
        let end = dayCount * 86_400
        switch kind {
        case .hourly, .failing: changes = Array(stride(from: minute * 60, to: end, by: 3600))
        case .daily:
            changes = (0..<dayCount).map { $0 * 86_400 + 6 * 3600 + Int.random(in: -600...600, using: &random) }
        case .random: changes = random.times(in: 0..<end, perDay: 4)
        case .bursts:
            changes = random.times(in: 0..<end, perDay: 0.33).flatMap { start in
                (0..<10).map { start + $0 * 720 }
            }.sorted()
        case .dead: changes = []
        }
        guard kind == .failing else {
            outages = []
            return
        }
        outages = random.times(in: 0..<end, perDay: 1).reduce(into: []) { outages, start in
            let outage = start..<start + Int.random(in: 3600...6 * 3600, using: &random)
            if outage.lowerBound > (outages.last?.upperBound ?? 0) { outages.append(outage) }
        }
    }

    /// Returns the number of changes until a time.
    func version(at time: Int) -> Int { changes.sortedPosition { $0 <= time } }

    /// Returns whether fetches fail at a time.
    func isFailing(at time: Int) -> Bool { outage(at: time) != nil }

    /// Returns the outage that contains a time, or nil.
    func outage(at time: Int) -> Range<Int>? {
        let position = outages.sortedPosition { $0.lowerBound <= time }
        guard position > 0, outages[position - 1].contains(time) else { return nil }
        return outages[position - 1]
    }
}

extension Array {
    /// Returns the number of leading elements that fulfil a condition, in an array that begins with all of them.
    func sortedPosition(where condition: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if condition(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
