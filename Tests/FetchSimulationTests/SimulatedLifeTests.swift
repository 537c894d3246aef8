import Testing

@testable import FetchSimulation

@Suite struct SimulatedLifeTests {
    @Test(arguments: SimulatedPerson.allCases) func openingsAreInOrderAndOnlyWhileTheMachineIsAwake(
        _ person: SimulatedPerson
    ) {
        let life = life(person, days: 60)
        #expect(life.openings.count == 2 && life.openings.allSatisfy { $0.count > 30 })
        for openings in life.openings {
            #expect(zip(openings, openings.dropFirst()).allSatisfy { $1 - $0 >= 1200 })
            #expect(openings.allSatisfy { opening in life.awakePeriods.contains { $0.contains(opening) } })
        }
        #expect(zip(life.events, life.events.dropFirst()).allSatisfy { $0.time <= $1.time })
    }

    @Test func aHolidayHasNoOpenings() {
        let life = life(.holiday, days: 130)
        for period in SimulatedPerson.holidays.prefix(1) {
            let days = life.openings.joined().map { $0 / 86_400 }
            #expect(!days.contains { period.dropLast().contains($0) } && days.contains { period.upperBound < $0 })
        }
    }

    @Test func aLaptopSleepsForSixteenHoursADay() {
        let awakeSeconds = life(.laptop, days: 20).awakePeriods.reduce(0) { $0 + $1.count }
        #expect(awakeSeconds == 20 * 8 * 3600)
    }

    @Test func summerTimeMovesTheLocalTime() {
        let life = life(.office, days: 300)
        let day = 86_400
        #expect(life.utcOffset(at: 0) == 3600)
        #expect(life.utcOffset(at: SimulatedPerson.summerDays.lowerBound * day + day / 2) == 7200)
        #expect(life.utcOffset(at: SimulatedPerson.summerDays.upperBound * day + day / 2) == 3600)
        #expect(life.events.count { $0.event == .zone } == 2)
    }

    @Test func aTravellerLivesInAnotherZone() {
        let life = life(.traveller, days: 200)
        let offset = life.utcOffset(at: SimulatedPerson.travelDays.lowerBound * 86_400 + 86_400)
        #expect(offset == 7200 - 8 * 3600)
        #expect(life.utcOffset(at: SimulatedPerson.travelDays.upperBound * 86_400 + 86_400) == 7200)
    }

    @Test func everyOpenedProgramIsClosed() {
        let events = life(.irregular, days: 20).events
        for program in 0..<2 {
            #expect(events.count { $0.event == .open(program) } == events.count { $0.event == .close(program) })
        }
    }

    private func life(_ person: SimulatedPerson, days: Int) -> SimulatedLife {
        var random = SimulationRandom(seed: 3)
        return SimulatedLife(person: person, programCount: 2, dayCount: days, random: &random)
    }
}
