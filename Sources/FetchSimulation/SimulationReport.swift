/// The result of a simulation, with its table.
package struct SimulationReport: Sendable {
    package let results: [FetchSimulation.PersonResult]
    package let seed: UInt64

    package var learner: SimulationFigures { sum(\.learner) }
    package var oracle: SimulationFigures { sum(\.oracle) }
    package var everyQuarterHour: SimulationFigures { sum(\.everyQuarterHour) }
    package var everyFourHours: SimulationFigures { sum(\.everyFourHours) }

    /// The fresh openings of the learner over those of the oracle.
    package var shareOfOracle: Double { Self.ratio(learner.freshOpenings, oracle.freshOpenings) }

    /// The fetches of the learner over those of a fetch every quarter hour.
    package var shareOfQuarterHour: Double { Self.ratio(learner.fetches, everyQuarterHour.fetches) }

    /// The times at which the network was used, over the fetches.
    package var sessionsPerFetch: Double { Self.ratio(learner.radioSessions, learner.fetches) }

    /// The most days until a moved habit was used, or nil if none moved.
    package var longestRelearning: Int? { results.flatMap(\.relearnDays).max() }

    /// The most days until the old time of a moved habit was no longer used, or nil if none moved.
    package var longestUnlearning: Int? { results.flatMap(\.unlearnDays).max() }

    /// The lines of the report: a table of persons, a table of strategies, and the main figures.
    package var text: String {
        let programCount = results.reduce(0) { $0 + $1.programCount }
        let dayCount = results.first?.dayCount ?? 0
        var lines = ["\(programCount) programs of \(results.count) persons over \(dayCount) days, seed \(seed)", ""]
        lines += Self.table(
            ["person", "openings", "fresh", "of oracle", "fetches/day", "of every 15 min", "empty"],
            rows: results.map { row(of: $0) })
        lines.append("")
        lines += Self.table(
            ["strategy", "fresh", "fetches/day", "empty", "failed"],
            rows: [
                strategyRow("learner", learner), strategyRow("every 15 min", everyQuarterHour),
                strategyRow("every 4 h", everyFourHours), strategyRow("oracle", oracle),
            ])
        lines.append("")
        lines.append("fresh at opening, over the oracle: \(Self.percent(shareOfOracle))")
        lines.append("fetches, over every 15 min: \(Self.percent(shareOfQuarterHour))")
        lines.append("radio sessions per fetch: \(Self.decimal(sessionsPerFetch))")
        lines.append("fetches before the minimum interval: \(learner.earlyFetches)")
        lines.append("fetches over the budget: \(learner.budgetBreaches)")
        if let longestRelearning, let longestUnlearning {
            lines.append("moved habit: new time used after \(longestRelearning) days or less, old time no longer used")
            lines.append("after \(longestUnlearning) days or less")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func row(of result: FetchSimulation.PersonResult) -> [String] {
        let programDays = Double(result.programCount * result.dayCount)
        return [
            result.person.rawValue, "\(result.learner.openings)", Self.percent(result.learner.freshShare),
            Self.percent(Self.ratio(result.learner.freshOpenings, result.oracle.freshOpenings)),
            Self.decimal(Double(result.learner.fetches) / programDays),
            Self.percent(Self.ratio(result.learner.fetches, result.everyQuarterHour.fetches)),
            Self.percent(Self.ratio(result.learner.emptyFetches, result.learner.fetches)),
        ]
    }

    private func strategyRow(_ name: String, _ figures: SimulationFigures) -> [String] {
        let programDays = results.reduce(0) { $0 + $1.programCount * $1.dayCount }
        return [
            name, Self.percent(figures.freshShare), Self.decimal(Double(figures.fetches) / Double(max(1, programDays))),
            Self.percent(Self.ratio(figures.emptyFetches, figures.fetches)),
            Self.percent(Self.ratio(figures.failedFetches, figures.fetches)),
        ]
    }

    private func sum(_ figures: KeyPath<FetchSimulation.PersonResult, SimulationFigures>) -> SimulationFigures {
        results.reduce(SimulationFigures()) { $0 + $1[keyPath: figures] }
    }

    private static func ratio(_ part: Int, _ whole: Int) -> Double { whole == 0 ? 1 : Double(part) / Double(whole) }

    /// Returns a share as a percentage with one decimal.
    static func percent(_ share: Double) -> String { decimal(share * 100, digits: 1) + " %" }

    /// Returns a number with a fixed number of decimals.
    static func decimal(_ number: Double, digits: Int = 2) -> String {
        let scale = digits == 1 ? 10 : 100
        let rounded = Int(number * Double(scale) + (number < 0 ? -0.5 : 0.5))
        let fraction = String(abs(rounded % scale))
        let zeros = String(repeating: "0", count: digits - fraction.count)
        return "\(rounded < 0 ? "-" : "")\(abs(rounded / scale)).\(zeros)\(fraction)"
    }

    /// Returns the lines of a Markdown table with aligned columns.
    private static func table(_ header: [String], rows: [[String]]) -> [String] {
        let widths = header.indices.map { column in ([header] + rows).map { $0[column].count }.max() ?? 0 }
        func line(_ cells: [String]) -> String {
            let padded = zip(cells, widths).enumerated().map { index, cell in
                let padding = String(repeating: " ", count: cell.1 - cell.0.count)
                return index == 0 ? cell.0 + padding : padding + cell.0
            }
            return "| " + padded.joined(separator: " | ") + " |"
        }
        let rule =
            "|"
            + widths.enumerated().map { index, width in
                String(repeating: "-", count: width + 1) + (index == 0 ? "-" : ":")
            }.joined(separator: "|") + "|"
        return [line(header), rule] + rows.map(line)
    }
}
