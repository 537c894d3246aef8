import Testing

@testable import FetchSimulation

@Suite struct FreshnessRecorderTests {
    private let content: SimulatedContent

    init() {
        var random = SimulationRandom(seed: 9)
        content = SimulatedContent(kind: .hourly, dayCount: 2, random: &random)
    }

    @Test func contentIsFreshUntilItChangesAndTheIntervalHasPassed() {
        var recorder = FreshnessRecorder(content: content, minimumInterval: 900)
        let change = content.changes[3]
        #expect(!recorder.isFresh(at: change))
        _ = recorder.fetch(at: change - 600)
        #expect(recorder.isFresh(at: change - 1) && recorder.isFresh(at: change + 300))
        #expect(!recorder.isFresh(at: change + 301))
    }

    @Test func openingsAndFetchesAreCounted() {
        var recorder = FreshnessRecorder(content: content, minimumInterval: 900)
        recorder.open(at: 10)
        let change = content.changes[3]
        #expect(recorder.fetch(at: change) == (true, true))
        #expect(recorder.fetch(at: change + 600) == (true, false))
        recorder.open(at: change + 700)
        let figures = recorder.figures
        #expect(figures.openings == 2 && figures.freshOpenings == 1 && figures.freshShare == 0.5)
        #expect(figures.fetches == 2 && figures.emptyFetches == 1 && figures.earlyFetches == 1)
    }

    @Test func fetchesBeyondTheBudgetAreCounted() {
        var recorder = FreshnessRecorder(content: content, minimumInterval: 0)
        for second in 0..<10 { _ = recorder.fetch(at: second) }
        recorder.countBudgetBreaches(limit: 7)
        #expect(recorder.figures.budgetBreaches == 3)
    }

    @Test func aFailedFetchBringsNothing() {
        var random = SimulationRandom(seed: 9)
        let failing = SimulatedContent(kind: .failing, dayCount: 30, random: &random)
        var recorder = FreshnessRecorder(content: failing, minimumInterval: 900)
        let time = failing.outages[0].lowerBound
        #expect(recorder.fetch(at: time) == (false, false))
        #expect(!recorder.isFresh(at: time) && recorder.figures.failedFetches == 1)
    }

    @Test func aFixedIntervalFetchesAllDay() {
        var random = SimulationRandom(seed: 9)
        let life = SimulatedLife(person: .office, programCount: 1, dayCount: 2, random: &random)
        let figures = BaselineStrategies.fixedInterval(
            900, life: life, openings: life.openings[0], content: content, minimumInterval: 900)
        #expect(figures.fetches == 2 * 96 && figures.openings == life.openings[0].count)
        let slow = BaselineStrategies.fixedInterval(
            900, life: life, openings: [], content: content, minimumInterval: 3600)
        #expect(slow.fetches == 48)
    }

    @Test func theOracleFetchesAMinuteBeforeAnOpening() {
        var random = SimulationRandom(seed: 9)
        let life = SimulatedLife(person: .office, programCount: 1, dayCount: 2, random: &random)
        let opening = content.changes[4] + 1800
        let figures = BaselineStrategies.oracle(
            life: life, openings: [opening, opening + 600], content: content, minimumInterval: 900)
        #expect(figures.fetches == 1 && figures.freshOpenings == 2)
    }
}
