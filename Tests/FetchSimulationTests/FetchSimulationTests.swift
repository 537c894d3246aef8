import TestSupport
import Testing

@testable import FetchSimulation

@Suite struct FetchSimulationTests {
    /// Five weeks of four kinds of persons, with hourly and daily content. They include the weeks in which the habits
    /// are learnt, so that the figures are lower than those of a year.
    private static let report = FetchSimulation(personCount: 4, programsPerPerson: 2, dayCount: 35, seed: 1).run()

    @Test func theLearnerIsAlmostAsFreshAsAnOracle() { #expect(Self.report.shareOfOracle >= 0.77) }

    @Test func theLearnerFetchesAQuarterAsOftenAsAFixedInterval() { #expect(Self.report.shareOfQuarterHour <= 0.25) }

    @Test func theLearnerIsFresherThanAFetchEveryFourHours() {
        #expect(Self.report.learner.freshShare > Self.report.everyFourHours.freshShare)
    }

    @Test func noStrategyIsFresherThanTheOracle() {
        let best = Self.report.oracle.freshOpenings
        for figures in [Self.report.learner, Self.report.everyFourHours, Self.report.everyQuarterHour] {
            #expect(figures.openings == Self.report.oracle.openings && figures.freshOpenings <= best)
        }
    }

    @Test func theOracleNeedsTheFewestFetches() {
        #expect(Self.report.oracle.fetches < Self.report.learner.fetches)
        #expect(Self.report.learner.fetches < Self.report.everyQuarterHour.fetches)
    }

    @Test func randomYearsNeverBreakAMinimumIntervalOrABudget() {
        var generator = SeededGenerator.printingSeed()
        let simulation = FetchSimulation(
            personCount: 3, programsPerPerson: 2, dayCount: 14, seed: generator.next())
        let report = simulation.run()
        #expect(report.learner.earlyFetches == 0 && report.learner.budgetBreaches == 0)
        #expect(report.learner.fetches > 0)
    }

    @Test func twentyProgramsShareTheirWakes() {
        let report = FetchSimulation(personCount: 1, programsPerPerson: 20, dayCount: 10, seed: 1).run()
        #expect(report.sessionsPerFetch <= 0.45)
    }

    @Test func aSeedRepeatsTheSameFigures() {
        let simulation = FetchSimulation(personCount: 2, programsPerPerson: 1, dayCount: 10, seed: 77)
        let other = FetchSimulation(personCount: 2, programsPerPerson: 1, dayCount: 10, seed: 78)
        #expect(simulation.run().learner == simulation.run().learner)
        #expect(simulation.run().text != other.run().text)
    }

    @Test func sizesAreAtLeastOne() {
        let simulation = FetchSimulation(personCount: -1, programsPerPerson: 0, dayCount: 0)
        #expect(simulation.personCount == 1 && simulation.programsPerPerson == 1 && simulation.dayCount == 1)
        #expect(simulation.run().results.count == 1)
    }

    @Test func aMovedHabitIsUsedWithinAWeek() {
        let days = SimulatedPerson.moveDay + 28
        var random = SimulationRandom(seed: 5)
        let life = SimulatedLife(person: .movedHabit, programCount: 1, dayCount: days, random: &random)
        let content = SimulatedContent(kind: .hourly, dayCount: days, random: &random)
        var person = PersonSimulation(life: life, contents: [content], minimumIntervals: [900], random: random)
        person.run()
        var result = FetchSimulation.PersonResult(person: .movedHabit, programCount: 1, dayCount: days)
        FetchSimulation(dayCount: days).addRelearning(of: person, life: life, to: &result)
        #expect((result.relearnDays.first ?? days) <= 7 && (result.unlearnDays.first ?? days) <= 7)
    }
}
