/// The figures of one strategy, for one program or added up for several.
package struct SimulationFigures: Hashable, Sendable {
    /// The openings of programs.
    package var openings = 0
    /// The openings at which the program showed the newest content, or content younger than its minimum interval.
    package var freshOpenings = 0
    /// The fetches.
    package var fetches = 0
    /// The fetches that succeeded and brought nothing new.
    package var emptyFetches = 0
    package var failedFetches = 0
    /// The periods in which the network was used: fetches within 5 s of each other count as one.
    package var radioSessions = 0
    /// The fetches before the minimum interval had passed.
    package var earlyFetches = 0
    /// The days of 24 hours with more wakes than the full budget permits.
    package var budgetBreaches = 0

    package init() {}

    /// The share of fresh openings, 0 to 1.
    package var freshShare: Double { openings == 0 ? 1 : Double(freshOpenings) / Double(openings) }

    package static func + (first: SimulationFigures, second: SimulationFigures) -> SimulationFigures {
        var sum = first
        sum.openings += second.openings
        sum.freshOpenings += second.freshOpenings
        sum.fetches += second.fetches
        sum.emptyFetches += second.emptyFetches
        sum.failedFetches += second.failedFetches
        sum.radioSessions += second.radioSessions
        sum.earlyFetches += second.earlyFetches
        sum.budgetBreaches += second.budgetBreaches
        return sum
    }
}
