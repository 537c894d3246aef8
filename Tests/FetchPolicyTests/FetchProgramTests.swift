import Testing

@testable import FetchPolicy

@Suite struct FetchProgramTests {
    private let settings = FetchSettings(declaresMode: true, interval: .minimum)
    private let machine = FetchProgram.Machine()

    @Test(
        arguments: [
            (FetchSettings.Interval.never, nil), (.minimum, 900), (.atLeast(.seconds(60)), 900),
            (.atLeast(.seconds(7200)), 7200),
        ] as [(FetchSettings.Interval, Int?)])
    func theMinimumIntervalIsAtLeastAQuarterHour(_ interval: FetchSettings.Interval, _ seconds: Int?) {
        #expect(FetchSettings(interval: interval).minimumInterval == seconds.map { .seconds($0) })
    }

    @Test func nothingIsFetchedByDefault() {
        let forecast = FetchProgram(settings: FetchSettings()).forecast(at: time(0), machine: machine)
        #expect(forecast == .none(.modeNotDeclared))
        let undecided = FetchProgram(settings: FetchSettings(declaresMode: true))
        #expect(undecided.forecast(at: time(0), machine: machine) == .none(.intervalNever))
    }

    @Test func aShortAbsenceIsNotAnOpening() {
        var program = FetchProgram(settings: settings)
        for start in [0, 1000, 3000] {
            program.handleForeground(at: time(start))
            program.handleBackground(at: time(start + 200))
        }
        // The second absence lasts 800 s, the third 1800 s.
        #expect(program.history.recentOpeningCount == 2)
    }

    @Test func anOpenProgramIsNotFetched() {
        var program = FetchProgram(settings: settings)
        program.handleForeground(at: time(0))
        #expect(program.forecast(at: time(10), machine: machine) == .none(.inForeground))
        #expect(program.bucket(now: .seconds(10)) == .active)
        program.handleBackground(at: time(20))
        #expect(program.bucket(now: .seconds(20)) == .working)
    }

    @Test func aRunningFetchIsShown() {
        var program = FetchProgram(settings: settings)
        program.handleFetchStart(now: .zero)
        #expect(program.forecast(at: time(1), machine: machine) == .none(.isRunning))
    }

    @Test func theMinimumIntervalHoldsAfterAFailure() {
        var program = usedProgram()
        program.handleFetchStart(now: .zero)
        program.handleFetchEnd(
            FetchOutcome(.failed), reason: .coldStart(interval: .zero), startTime: .zero, now: .seconds(5))
        let plan = program.forecast(at: time(6), machine: machine).plan
        #expect(plan?.reason == .retry(failureCount: 1) && plan?.constraint == .minimumInterval)
        #expect(plan?.window.earliest == .seconds(900))
    }

    @Test func aUsedUpBudgetIsTheReasonForADelay() {
        var program = usedProgram()
        program.handleFetchStart(now: .zero)
        program.handleFetchEnd(
            FetchOutcome(.newData, cpuTime: .seconds(100)), reason: .coldStart(interval: .zero), startTime: .zero,
            now: .seconds(5))
        let plan = program.forecast(at: time(6), machine: machine).plan
        #expect(plan?.constraint == .budget && plan?.window.earliest == .seconds(86_400))
    }

    @Test(arguments: [(true, false), (false, true)])
    func withoutPermissionOrTheDeclaredModeNothingIsRecorded(_ declaresMode: Bool, _ permitsLearning: Bool) {
        var program = FetchProgram(settings: FetchSettings(declaresMode: declaresMode, interval: .minimum))
        program.settings.permitsLearning = permitsLearning
        program.handleForeground(at: time(0))
        program.handleMachineUse(at: time(0))
        #expect(program.history == UsageHistory())
    }

    @Test func forgettingRemovesAllHabits() {
        var program = FetchProgram(settings: settings)
        program.handleForeground(at: time(0))
        program.forget()
        #expect(program.history == UsageHistory())
    }

    @Test(arguments: [(900, 900), (2400, 1900), (-99_998_100, -99_998_100)] as [(Int64, Int64)])
    func aStoredFetchKeepsItsAgeAndOneOfTheFutureCountsAsNow(_ stored: Int64, _ lastFetch: Int64) {
        var record = FetchProgram.Record()
        (record.lastFetch, record.lastUse) = (.seconds(stored), .seconds(stored))
        let program = FetchProgram(settings: settings, record: record, isForceQuit: true, now: .seconds(1900))
        #expect(program.lastFetch == .seconds(lastFetch) && program.lastUse == .seconds(lastFetch))
        #expect(program.forecast(at: time(1900), machine: machine) == .none(.forceQuit))
    }

    @Test func aProgramIsRestoredFromItsRecord() {
        var program = usedProgram()
        program.handleFetchStart(now: .seconds(100))
        program.handleFetchEnd(
            FetchOutcome(.failed, wallTime: .seconds(3), cpuTime: .seconds(1)), reason: .peak(target: 0),
            startTime: .seconds(100), now: .seconds(103))
        let restored = FetchProgram(
            settings: settings, record: program.record, isForceQuit: false, now: .seconds(200))
        #expect(restored == program)
    }

    @Test func aProgramThatWasOpenWhenTheLedgerWasStartedIsNotOpenedAgain() {
        var program = FetchProgram(settings: settings)
        program.handleForeground(at: time(0), isOpening: false)
        #expect(program.isInForeground && program.history.recentOpeningCount == 0)
    }

    @Test("habits of years ago, of which almost nothing is left, delay a fetch and do not stop the program")
    func oldHabitsAreNoFault() {
        let day = 86_400
        var program = FetchProgram(settings: settings)
        for number in 0..<14 {
            program.handleForeground(at: time(number * day))
            program.handleBackground(at: time(number * day + 60))
        }
        for number in 1000..<1014 {
            program.handleForeground(at: time(number * day + day / 2))
            program.handleBackground(at: time(number * day + day / 2 + 60))
        }
        // Every hour is the next one at some time.
        for hour in 0..<24 {
            let plan = program.forecast(at: time(1014 * day + hour * 3600), machine: machine).plan
            #expect(plan.map { $0.window.earliest >= .seconds(1014 * day) } == true)
        }
    }

    private func usedProgram() -> FetchProgram {
        var program = FetchProgram(settings: settings)
        program.handleForeground(at: time(0))
        program.handleBackground(at: time(0))
        return program
    }

    private func time(_ seconds: Int) -> FetchTime {
        FetchTime(bootTime: .seconds(seconds), wallSeconds: 19_723 * 86_400 + Int64(seconds))
    }
}
