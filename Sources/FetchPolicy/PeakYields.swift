/// The yield of the fetches before each peak of a program.
package struct PeakYields: Hashable, Sendable {
    /// The fetches without new data, in a row, after which a peak is fetched every second day.
    package static let emptyLimit = 4

    package struct Yield: Hashable, Sendable {
        /// The fetches without new data in a row.
        package var emptyCount: Int
        /// The day of the last fetch.
        package var lastDay: LocalDay

        package init(emptyCount: Int = 0, lastDay: LocalDay) {
            self.emptyCount = min(max(emptyCount, 0), PeakYields.emptyLimit)
            self.lastDay = lastDay
        }
    }

    /// The yields by the hour of the peak's target: at most 24 entries.
    package private(set) var yields: [Int: Yield] = [:]

    package init() {}

    /// Creates stored yields.
    package init(yields: [Int: Yield]) { self.yields = yields.filter { (0..<24).contains($0.key) } }

    /// Records the result of a fetch before a peak. Failed fetches say nothing about a peak.
    /// - Parameter target: the local time of the peak in seconds since 1970.
    package mutating func handle(_ result: FetchResult, target: Int64) {
        let (hour, day) = Self.hourAndDay(of: target)
        var yield = yields[hour] ?? Yield(lastDay: day)
        yield.lastDay = day
        switch result {
        case .newData: yield.emptyCount = 0
        case .noData: yield.emptyCount = min(yield.emptyCount + 1, Self.emptyLimit)
        case .failed: return
        }
        yields[hour] = yield
    }

    /// Returns whether a peak is left out, because its last fetches brought nothing and it was fetched the day before.
    package func skipsPeak(target: Int64) -> Bool {
        let (hour, day) = Self.hourAndDay(of: target)
        guard let yield = yields[hour], yield.emptyCount >= Self.emptyLimit else { return false }
        return yield.lastDay == day.advanced(by: -1)
    }

    private static func hourAndDay(of target: Int64) -> (Int, LocalDay) {
        let day = LocalDay(containing: target)
        return (Int((target - day.start) / 3600), day)
    }
}
