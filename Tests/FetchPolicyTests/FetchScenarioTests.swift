import Testing

@testable import FetchPolicy

@Suite struct FetchScenarioTests {
    private static let day = ScenarioMachine.day
    private static let hour = ScenarioMachine.hour
    private var day: Int { Self.day }
    private var hour: Int { Self.hour }
    private let noon = ScenarioMachine.hour * 12 + 1800...ScenarioMachine.hour * 12 + 3300
    private let evening = ScenarioMachine.hour * 18 + 1800...ScenarioMachine.hour * 18 + 3300

    @Test(arguments: [(false, FetchSettings.Interval.minimum), (true, .never), (false, .never)])
    func aProgramThatDoesNotOptInIsNeverFetched(_ declaresMode: Bool, _ interval: FetchSettings.Interval) {
        var machine = ScenarioMachine(interval: interval, declaresMode: declaresMode)
        machine.openDaily(days: 0..<365, at: 13 * hour)
        #expect(machine.starts.isEmpty)
    }

    @Test func aDailyHabitIsFetchedJustBeforeItsTime() {
        var machine = ScenarioMachine()
        machine.openDaily(days: 0..<20, at: 13 * hour)
        #expect(machine.days(10..<20, withFetchIn: noon) >= 9)
    }

    @Test func aMovedHabitIsUsedWithinAWeekAndTheOldTimeIsForgotten() {
        var machine = ScenarioMachine()
        machine.openDaily(days: 0..<28, at: 13 * hour)
        machine.openDaily(days: 28..<42, at: 19 * hour)
        #expect(machine.days(21..<28, withFetchIn: noon) == 7)
        #expect(machine.days(35..<42, withFetchIn: evening) >= 6)
        #expect(machine.scheduler.programs[0]?.history.peaks(on: machine.time.day).map(\.targetSlot) == [76])
        #expect(machine.starts.filter { $0.time >= 35 * day }.allSatisfy { !noon.contains($0.secondOfDay) })
    }

    @Test func aFeedWithoutNewContentIsFetchedSeldomUntilItChanges() {
        var machine = ScenarioMachine()
        // The feed changes after two weeks.
        machine.outcome = { _, time in FetchOutcome(time < 14 * Self.day ? .noData : .newData) }
        let openings = (0..<14 * 16).map { $0 / 16 * day + (7 + $0 % 16) * hour }
        for opening in openings { machine.open(at: opening) }
        let deadYield = machine.scheduler.programs[0]?.fetchYield
        #expect(deadYield?.interval(minimum: .seconds(900)) == FetchYield.longestInterval)
        var liveYield = deadYield ?? FetchYield()
        for _ in 0..<3 { liveYield.handle(FetchOutcome(.newData)) }
        #expect(liveYield.interval(minimum: .seconds(900)) == .seconds(900))
    }

    @Test func aSleepingMachineFetchesNothingAndThenEverythingInOneSession() {
        var machine = ScenarioMachine(programs: 12, interval: .atLeast(.seconds(2 * 3600)))
        for dayNumber in 0..<14 {
            for program in Int64(0)..<12 { machine.open(program, at: dayNumber * day + 8 * hour + Int(program) * 300) }
        }
        machine.advance(to: 14 * day)
        machine.send(.suspended)
        let startCount = machine.starts.count
        // All programs are opened between 8:00 and 9:00.
        let resumeTime = 14 * day + 8 * hour + 2100
        machine.advance(to: resumeTime)
        #expect(machine.starts.count == startCount)
        machine.send(.resumed)
        machine.advance(to: resumeTime + 600)
        let session = machine.starts.dropFirst(startCount)
        #expect(Set(session.map(\.program)).count == 12 && session.count == 12)
        #expect(session.allSatisfy { (30...120).contains($0.time - resumeTime) })
        #expect(zip(session, session.dropFirst()).allSatisfy { $1.time - $0.time <= 7 })
    }

    @Test func aReturnedNetworkIsUsedAfterADelay() {
        var machine = ScenarioMachine()
        machine.openDaily(days: 0..<14, at: 13 * hour)
        machine.advance(to: 14 * day)
        machine.send(.network(isOnline: false, isMetered: false))
        let startCount = machine.starts.count
        // The window of the fetch passes without a network.
        machine.advance(to: 14 * day + 13 * hour - 120)
        #expect(machine.starts.count == startCount)
        #expect(machine.scheduler.forecast(for: 0, at: machine.time) == FetchForecast.none(.offline))
        machine.send(.network(isOnline: true, isMetered: false))
        machine.advance(to: 14 * day + 13 * hour)
        let delay = (machine.starts.last?.time ?? 0) - (14 * day + 13 * hour - 120)
        #expect(machine.starts.count == startCount + 1 && (30...91).contains(delay))
    }

    @Test(arguments: [3600, -3600, -8 * 3600])
    func localHabitsMoveWithTheZone(_ change: Int) {
        var machine = ScenarioMachine()
        machine.openDaily(days: 0..<14, at: 13 * hour)
        machine.advance(to: 14 * day + 2 * hour)
        machine.utcOffset = change
        machine.send(.clockChanged)
        // The person opens the program at 13:00 of the new local time.
        machine.openDaily(days: 14..<21, at: 13 * hour - change)
        let served = machine.starts.filter { $0.time > 14 * day && noon.contains($0.secondOfDay) }
        #expect(served.count >= 6)
        #expect((machine.shortestInterval() ?? 0) >= 900)
    }

    @Test(arguments: [86_400, -86_400, 40 * 86_400, -400 * 86_400])
    func aWallClockThatIsSetNeverBreaksTheMinimumInterval(_ shift: Int) {
        var machine = ScenarioMachine(interval: .atLeast(.seconds(2 * 3600)))
        for opening in 0..<14 * 12 { machine.open(at: opening / 12 * day + (8 + opening % 12) * hour) }
        for round in 0..<20 {
            machine.wallShift = round % 2 == 0 ? shift : 0
            machine.send(.clockChanged)
            machine.open(at: machine.now + 1700)
        }
        machine.advance(to: machine.now + 5 * day)
        #expect((machine.shortestInterval() ?? 0) >= 2 * hour)
    }

    @Test func aProgramThatUsesTooMuchTimeOfTheProcessorIsStoppedByItsBudget() {
        var machine = ScenarioMachine()
        machine.outcome = { _, _ in FetchOutcome(.newData, cpuTime: .seconds(10)) }
        for opening in 0..<10 * 14 { machine.open(at: opening / 14 * day + (8 + opening % 14) * hour) }
        for dayNumber in 1..<10 {
            let count = machine.starts.count { $0.time / day == dayNumber }
            #expect(count > 0 && count <= 7)
        }
        let forecast = machine.scheduler.forecast(for: 0, at: machine.time)
        #expect(forecast?.plan != nil)
    }

    @Test func failuresDoNotCountAsFetchesWithoutNewData() {
        var machine = ScenarioMachine()
        machine.openDaily(days: 0..<7, at: 13 * hour)
        let steps = machine.scheduler.programs[0]?.fetchYield.stepCount
        machine.outcome = { _, _ in FetchOutcome(.failed) }
        machine.openDaily(days: 7..<10, at: 13 * hour)
        #expect(machine.scheduler.programs[0]?.fetchYield.stepCount == steps)
        #expect((machine.scheduler.programs[0]?.fetchYield.failureCount ?? 0) > 3)
    }

    @Test func aRestartOfTheLedgerCausesNoSecondFetch() {
        var machine = ScenarioMachine()
        machine.openDaily(days: 0..<14, at: 13 * hour)
        machine.advance(to: 14 * day + 13 * hour - 200)
        guard let last = machine.starts.last, let program = machine.scheduler.programs[0] else {
            Issue.record("no fetch")
            return
        }
        #expect(noon.contains(last.secondOfDay))
        let restored = FetchProgram(
            settings: program.settings, record: program.record, isForceQuit: false, now: .seconds(machine.now))
        machine.scheduler = FetchScheduler(spread: 0)
        machine.scheduler.add(restored, id: 0)
        machine.send(.timer)
        machine.advance(to: 14 * day + 13 * hour - 10)
        #expect(machine.starts.last == last)
    }

    @Test func aForceQuitProgramIsFetchedOnlyAfterItsNextOpening() {
        var machine = ScenarioMachine()
        machine.openDaily(days: 0..<14, at: 13 * hour)
        machine.send(.forceQuit(0))
        let startCount = machine.starts.count
        machine.advance(to: 20 * day)
        #expect(machine.starts.count == startCount)
        machine.openDaily(days: 20..<22, at: 13 * hour)
        #expect(machine.starts.count > startCount)
    }

    @Test func aNewProgramIsFetchedEveryFourHoursWhileTheMachineIsUsed() {
        var machine = ScenarioMachine()
        machine.open(at: 0)
        machine.advance(to: day)
        #expect((4...6).contains(machine.starts.count))
        machine.send(.machineUse(false))
        let startCount = machine.starts.count
        machine.advance(to: 3 * day)
        #expect(machine.starts.count == startCount)
    }

    @Test func twoWeeksOfHolidayEndTheFetchesAndTheFirstOpeningsBringThemBack() {
        var machine = ScenarioMachine()
        machine.openDaily(days: 0..<28, at: 13 * hour)
        machine.send(.machineUse(false))
        machine.advance(to: 42 * day)
        machine.send(.machineUse(true))
        machine.openDaily(days: 42..<49, at: 13 * hour)
        #expect(machine.days(43..<49, withFetchIn: noon) >= 5)
    }
}
