import Testing

@testable import FetchSimulation

@Suite struct SimulationReportTests {
    @Test(
        arguments: [
            (0.0, "0.00"), (1, "1.00"), (0.005, "0.01"), (12.346, "12.35"), (-0.5, "-0.50"), (-3.25, "-3.25"),
        ] as [(Double, String)])
    func numbersHaveTwoDecimals(_ number: Double, _ text: String) {
        #expect(SimulationReport.decimal(number) == text)
    }

    @Test func sharesArePercentages() {
        #expect(SimulationReport.percent(0.8549) == "85.5 %")
        #expect(SimulationReport.percent(1) == "100.0 %")
    }

    @Test func theReportHasARowForEachPersonAndStrategy() {
        let text = FetchSimulation(personCount: 3, programsPerPerson: 1, dayCount: 7, seed: 2).run().text
        let lines = text.split(separator: "\n")
        #expect(lines.first == "3 programs of 3 persons over 7 days, seed 2")
        for name in ["office", "nightOwl", "shifts", "learner", "every 15 min", "every 4 h", "oracle"] {
            #expect(lines.count { $0.hasPrefix("| \(name) ") } == 1)
        }
        let rows = lines.filter { $0.hasPrefix("| office") || $0.hasPrefix("| person") }
        #expect(Set(rows.map(\.count)).count == 1)
        #expect(text.contains("fresh at opening, over the oracle: ") && !text.contains("moved habit"))
    }

    @Test func figuresAddUp() {
        var first = SimulationFigures()
        first.openings = 2
        first.freshOpenings = 1
        first.fetches = 3
        var second = first
        second.failedFetches = 4
        let sum = first + second
        #expect(sum.openings == 4 && sum.freshOpenings == 2 && sum.fetches == 6 && sum.failedFetches == 4)
        #expect(SimulationFigures().freshShare == 1)
    }
}
