import Testing

@testable import FetchPolicy

@Suite struct FetchSchedulerTests {
    private let hour = ScenarioMachine.hour
    private let day = ScenarioMachine.day

    @Test func twoFetchesRunAtTheSameTime() {
        var machine = ScenarioMachine(programs: 7)
        machine.outcome = { _, _ in FetchOutcome(.newData, wallTime: .seconds(10)) }
        machine.send(.machineUse(true))
        machine.advance(to: 2 * hour)
        let times = machine.starts.map(\.time)
        #expect(times.count == 7)
        for time in times { #expect(times.count { $0 > time - 10 && $0 <= time } <= 2) }
    }

    @Test func theMostUsefulProgramComesFirst() {
        var machine = ScenarioMachine(programs: 5)
        machine.outcome = { program, _ in FetchOutcome(program == 3 ? .newData : .noData) }
        for program in Int64(0)..<5 { machine.open(program, at: Int(program) * 300) }
        machine.advance(to: day)
        let sessions = Dictionary(grouping: machine.starts.dropFirst(10), by: { $0.time / hour })
        #expect(!sessions.isEmpty)
        #expect(sessions.values.allSatisfy { $0.first?.program == 3 })
    }

    @Test func fetchesRunAlongWithOtherTraffic() {
        var machine = ScenarioMachine()
        machine.send(.machineUse(true))
        // The window of the first fetch lasts half an hour.
        #expect(machine.starts.isEmpty)
        machine.advance(to: 60)
        machine.send(.bytesMoved)
        #expect(machine.starts.map(\.time) == [60])
    }

    @Test func aRemovedProgramIsNotFetched() {
        var machine = ScenarioMachine(programs: 2)
        machine.scheduler.remove(0)
        machine.send(.machineUse(true))
        machine.advance(to: hour)
        #expect(machine.starts.map(\.program) == [1])
        #expect(machine.scheduler.forecast(for: 0, at: machine.time) == nil)
    }

    @Test func aSecondCompletionOfATokenIsIgnored() {
        var machine = ScenarioMachine()
        machine.send(.machineUse(true))
        machine.advance(to: hour)
        let yield = machine.scheduler.programs[0]?.fetchYield
        machine.send(.completed(token: 1, FetchOutcome(.failed)))
        #expect(machine.scheduler.programs[0]?.fetchYield == yield)
    }

    @Test func aRequestedFetchStartsAtOnceAndOnce() {
        var machine = ScenarioMachine()
        machine.outcome = { _, _ in FetchOutcome(.newData, wallTime: .seconds(10)) }
        machine.send(.requested(0))
        machine.send(.requested(0))
        #expect(machine.starts.map(\.reason) == [.requested])
        machine.advance(to: 20)
        machine.send(.requested(0))
        #expect(machine.starts.map(\.time) == [0, 20])
    }

    @Test func aRequestForAnUnknownProgramIsIgnored() {
        var machine = ScenarioMachine()
        machine.send(.requested(9))
        #expect(machine.starts.isEmpty)
    }

    @Test func aProgramThatIsStillOpenIsNotFetched() {
        var machine = ScenarioMachine()
        machine.send(.stillForeground(0))
        #expect(machine.scheduler.forecast(for: 0, at: machine.time) == .none(.inForeground))
    }

    @Test func settingsTakeEffectAtOnce() {
        var machine = ScenarioMachine()
        machine.send(.machineUse(true))
        machine.scheduler.configure(0, FetchSettings(declaresMode: true, interval: .never))
        machine.send(.bytesMoved)
        machine.advance(to: day)
        #expect(machine.starts.isEmpty)
    }

    @Test func theDelayAfterAResumeIsBetweenThirtyAndNinetySeconds() {
        for (spread, delay) in [(0.0, 30), (1, 90), (-4, 30), (9, 90)] {
            var scheduler = FetchScheduler(spread: spread)
            let settings = FetchSettings(declaresMode: true, interval: .minimum)
            scheduler.add(FetchProgram(settings: settings), id: 1)
            let start = FetchTime(bootTime: .zero, wallSeconds: 0)
            #expect(scheduler.handle(.suspended, at: start) == [.setTimer(nil)])
            let resume = start.advanced(by: .seconds(8 * 3600))
            _ = scheduler.handle(.resumed, at: resume)
            let early = resume.advanced(by: .seconds(delay - 1))
            #expect(scheduler.handle(.bytesMoved, at: early).count == 1)
            #expect(scheduler.handle(.bytesMoved, at: resume.advanced(by: .seconds(delay))).count == 2)
        }
    }

    @Test func forgettingAProgramReturnsToTheFirstRule() {
        var machine = ScenarioMachine()
        machine.openDaily(days: 0..<10, at: 13 * hour)
        machine.scheduler.forget(0)
        guard case .coldStart = machine.scheduler.forecast(for: 0, at: machine.time)?.plan?.reason else {
            Issue.record("the program is still fetched by its habits")
            return
        }
    }
}
