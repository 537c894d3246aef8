import BackgroundProtocol
import FetchPolicy
import Glibc
import TestSupport
import Testing
import WireFormat

@testable import BackgroundService

/// Fetches by the service, with clocks that the test sets.
@Suite struct WakeServiceFetchTests {
    private let fixture: WakeFixture
    private let day = WakeFixture.day, hour: Int64 = 3600

    init() throws { fixture = try WakeFixture() }

    /// Opens the program on a number of days at a time of the day, and plays the time between.
    private func open(days: Range<Int64>, at time: Int64) throws {
        for number in days {
            try fixture.run(until: number * day + time)
            try fixture.open()
        }
    }

    /// Connects the running program in the background, and requests a fetch.
    private func requestFetch(_ socket: MessageSocket) throws -> Int64 {
        try #require(try fixture.send(.control(program: WakeFixture.name, .fetch), from: socket).fetches.first)
    }

    // MARK: Schedule

    @Test func aProgramIsFetchedBeforeItIsUsuallyOpened() throws {
        try open(days: 0..<20, at: 13 * hour)
        let window = 12 * hour + 1800...12 * hour + 55 * 60
        let days = Set(fixture.fetchTimes.filter { window.contains($0 % day) }.map { $0 / day }).filter { $0 >= 10 }
        #expect(days.count >= 9)
    }

    @Test(arguments: [(BackgroundModes.remoteNotification, 0), (.known, nil)] as [(BackgroundModes, Int64?)])
    func aProgramThatDoesNotAskForFetchesIsNeverStarted(_ modes: BackgroundModes, _ interval: Int64?) throws {
        for number in Int64(0)..<20 {
            try fixture.run(until: number * day + 13 * hour)
            fixture.disconnect(try fixture.connect(modes: modes, interval: interval))
        }
        #expect(fixture.starter.processes.isEmpty)
    }

    @Test func habitsSurviveARestartOfTheService() throws {
        try open(days: 0..<14, at: 13 * hour)
        let history = fixture.wakes.scheduler.programs.values.first?.history
        try fixture.restart()
        let restored = fixture.wakes.scheduler.programs.values.first?.history
        #expect(
            restored?.recentDays == history?.recentDays
                && restored?.text == "weekdays about 13:00; weekends about 13:00")
        #expect(restored?.recentOpeningCount == 14)
    }

    @Test func aRestartOfTheServiceCausesNoSecondFetch() throws {
        try open(days: 0..<14, at: 13 * hour)
        try fixture.run(until: 14 * day + 12 * hour)
        let count = fixture.fetchTimes.count
        try fixture.run(until: 14 * day + 12 * hour + 3000)
        #expect(fixture.fetchTimes.count == count + 1)
        try fixture.restart()
        try fixture.run(until: 14 * day + 13 * hour)
        #expect(fixture.starter.processes.isEmpty)
    }

    @Test func aFetchThatTheServiceDidNotSurviveIsNotRepeatedAtOnce() throws {
        let socket = try fixture.connect(presence: .background)
        _ = try requestFetch(socket)
        try fixture.restart()
        #expect(fixture.wakes.wakes.isEmpty)
        fixture.advance(by: 899)
        #expect(fixture.starter.processes.isEmpty)
        #expect(fixture.wakes.scheduler.programs.values.first?.lastFetch != nil)
    }

    @Test func forgettingRemovesTheHabitsDurably() throws {
        try open(days: 0..<5, at: 13 * hour)
        let socket = try fixture.connect(presence: .background)
        #expect(try fixture.send(.control(program: WakeFixture.name, .forget), from: socket).count == 1)
        try fixture.restart()
        #expect(fixture.wakes.scheduler.programs.values.first?.history.text == "never opened")
    }

    @Test func anOpenProgramIsNotOpenedAgainByARestartOfTheService() throws {
        try fixture.connect()
        fixture.advance(by: 10 * hour)
        try fixture.restart()
        try fixture.connect(presence: .open)
        let program = fixture.wakes.scheduler.programs.values.first
        #expect(program?.isInForeground == true && program?.history.recentOpeningCount == 1)
    }

    // MARK: Wakes

    @Test func aRunningProgramIsFetchedOverItsConnection() throws {
        let socket = try fixture.connect(presence: .background)
        let token = try requestFetch(socket)
        let answers = try fixture.send(.completeFetch(token: token, .newData), from: socket)
        #expect(answers.contains { if case .fetched(_, .newData, 0) = $0 { true } else { false } })
        #expect(fixture.starter.processes.isEmpty && fixture.wakes.wakes.isEmpty)
    }

    @Test func aStartedProgramReceivesTheFetchWhenItConnects() throws {
        try fixture.open()
        fixture.wakes.send(.requested(try #require(fixture.program).id))
        #expect(fixture.starter.processes.count == 1)
        let socket = try fixture.connect(isBackgroundStart: true, presence: .background)
        #expect(fixture.wakes.wakes.first?.isSent == true)
        fixture.disconnect(socket)
        // The process still runs, and its time is limited until it has exited.
        #expect(fixture.wakes.wakes.count == 1)
        fixture.starter.exit()
        #expect(fixture.wakes.wakes.isEmpty)
        #expect(fixture.wakes.scheduler.programs.values.first?.fetchYield.failureCount == 1)
    }

    @Test("a started program that does not complete is asked to finish, terminated and killed")
    func aProgramThatHangsIsStopped() throws {
        try fixture.open()
        fixture.wakes.send(.requested(try #require(fixture.program).id))
        let socket = try fixture.connect(isBackgroundStart: true, presence: .background)
        let process = try #require(fixture.starter.running)
        fixture.advance(by: 24)
        #expect(!fixture.received(socket).contains(.wakeExpires))
        fixture.advance(by: 1)
        #expect(fixture.received(socket).contains(.wakeExpires) && process.signals.isEmpty)
        fixture.advance(by: 5)
        #expect(process.signals == [SIGTERM])
        fixture.advance(by: 2)
        #expect(process.signals == [SIGTERM, SIGKILL])
        fixture.starter.exit()
        // The next fetch waits as after six failures.
        let program = try #require(fixture.wakes.scheduler.programs.values.first)
        #expect(program.fetchYield.failureCount == 6 && program.fetchYield.failureDelay >= .seconds(1920))
    }

    @Test("a program that exits after one wake is started again for another one, unless it completes none")
    func aWakeThatTheProgramHasNotReadIsSentToANewProcess() throws {
        try fixture.open()
        try fixture.push("a")
        let socket = try fixture.connect(isBackgroundStart: true, presence: .background)
        fixture.wakes.send(.requested(try #require(fixture.program).id))
        try fixture.send(.completeNotification(id: try #require(try fixture.stored.first).id, .newData), from: socket)
        fixture.disconnect(socket)
        fixture.starter.exit()
        #expect(fixture.starter.processes.count == 2 && fixture.wakes.wakes.count == 1)
        fixture.starter.exit()
        #expect(fixture.starter.processes.count == 2 && fixture.wakes.wakes.isEmpty)
    }

    @Test func aProgramOfTheUserIsNotStopped() throws {
        let socket = try fixture.connect(presence: .background)
        _ = try requestFetch(socket)
        fixture.advance(by: 25)
        #expect(fixture.received(socket) == [.wakeExpires])
        fixture.advance(by: 5)
        #expect(fixture.wakes.wakes.isEmpty)
    }

    @Test func aProgramThatTheUserOpensMeanwhileIsNotStopped() throws {
        try fixture.open()
        fixture.wakes.send(.requested(try #require(fixture.program).id))
        let socket = try fixture.connect(isBackgroundStart: true, presence: .background)
        try fixture.send(.setPresence(.opened), from: socket)
        fixture.advance(by: 40)
        #expect(fixture.starter.processes.first?.signals == [])
    }

    @Test func aSuspendedMachineStopsNoProgram() throws {
        try fixture.open()
        fixture.wakes.send(.requested(try #require(fixture.program).id))
        try fixture.connect(isBackgroundStart: true, presence: .background)
        fixture.services.time.suspended = 100 * 1_000_000_000
        fixture.advance(by: 110)
        #expect(fixture.starter.processes.first?.signals == [] && fixture.wakes.wakes.count == 1)
    }

    @Test func aSecondCompletionIsIgnored() throws {
        let socket = try fixture.connect(presence: .background)
        let token = try requestFetch(socket)
        for result in [WakeResult.newData, .failed] {
            try fixture.send(.completeFetch(token: token, result), from: socket)
        }
        #expect(fixture.wakes.scheduler.programs.values.first?.fetchYield.failureCount == 0)
    }

    @Test func aTokenOfAnEarlierRunOfTheServiceMatchesNoFetch() throws {
        let token = try requestFetch(try fixture.connect(presence: .background))
        try fixture.restart()
        let socket = try fixture.connect(presence: .background)
        _ = try requestFetch(socket)
        try fixture.send(.completeFetch(token: token, .newData), from: socket)
        #expect(fixture.wakes.wakes.count == 1)
    }

    @Test func theCostBelongsToTheBudget() throws {
        try fixture.open()
        fixture.wakes.send(.requested(try #require(fixture.program).id))
        fixture.starter.running?.cpuTime = 3_000_000_000
        fixture.advance(by: 2)
        fixture.starter.exit()
        let wake = fixture.wakes.scheduler.programs.values.first?.budget.wakes.last
        #expect(wake?.cpuTime == .seconds(3) && wake?.wallTime == .seconds(2))
        try fixture.restart()
        #expect(fixture.wakes.scheduler.programs.values.first?.budget.wakes.last == wake)
    }

    @Test func aProgramWhoseProcessorTimeIsUsedUpIsNotFetched() throws {
        try open(days: 0..<3, at: 13 * hour)
        for _ in 0..<4 {
            fixture.wakes.send(.requested(try #require(fixture.program).id))
            fixture.starter.running?.cpuTime = 20_000_000_000
            fixture.starter.exit()
        }
        let text = try #require(fixture.wakes.snapshots().first).nextFetch
        #expect(text.contains("its budget for 24 hours is used up"), "\(text)")
    }

    @Test func aRefusedStartCountsAsAFailure() throws {
        try fixture.open()
        fixture.starter.refusesStarts = true
        fixture.wakes.send(.requested(try #require(fixture.program).id))
        #expect(fixture.wakes.wakes.isEmpty)
        #expect(fixture.wakes.scheduler.programs.values.first?.fetchYield.failureCount == 1)
        #expect(fixture.wakes.fetches.timer != nil)
    }

    @Test func aSecondRequestIsRefusedWhileTheFirstRuns() throws {
        let socket = try fixture.connect(presence: .background)
        _ = try requestFetch(socket)
        let answers = try fixture.send(.control(program: WakeFixture.name, .fetch), from: socket)
        #expect(answers.contains { if case .refused(_, let refusal) = $0 { refusal.code == .busy } else { false } })
    }

    @Test func furtherProgramsAreRefused() throws {
        try fixture.open()
        for number in 0..<WakeService.programLimit {
            fixture.wakes.programs[-1 - Int64(number)] = fixture.program
        }
        var description = ProgramDescription(name: "other", launchArguments: [])
        description.modes = .known
        let client = try fixture.services.sessions.register(description, processID: getpid())
        let connection = ClientConnection(socket: try MessageSocket.pair().1, processID: getpid())
        let refusal = #expect(throws: ClientEvent.Refusal.self) {
            try fixture.wakes.handleHello(description, client, connection)
        }
        #expect(refusal?.code == .limit)
    }

    @Test func anUnknownProgramIsRefused() throws {
        let socket = try fixture.connect()
        let answers = try fixture.send(.control(program: "other", .fetch), from: socket)
        #expect(answers.contains { if case .refused(_, let refusal) = $0 { refusal.code == .unknown } else { false } })
    }

    @Test func aProgramThatTheUserHasClosedForGoodIsNotFetched() throws {
        try open(days: 0..<14, at: 13 * hour)
        try fixture.quit()
        let count = fixture.fetchTimes.count
        try fixture.run(until: 20 * day)
        #expect(fixture.fetchTimes.count == count)
        try fixture.restart()
        #expect(fixture.wakes.snapshots().first?.isForceQuit == true)
        try fixture.open()
        #expect(fixture.wakes.snapshots().first?.isForceQuit == false)
    }

    @Test(
        "closing a program without background modes cancels its transfers, unless their files belong to the user",
        arguments: [true, false])
    func aProgramWithoutModesCanBeClosed(deliversEvents: Bool) throws {
        fixture.services.session.configuration.deliversEvents = deliversEvents
        let transfer = try fixture.services.create()
        let socket = try fixture.connect()
        let answers = try fixture.send(.control(program: "test", .quit), from: socket)
        #expect(answers.contains { if case .done = $0 { true } else { false } })
        #expect((transfer.snapshot(now: .zero).activity.phase == .cancelled) == deliversEvents)
        #expect(transfer.session.client.relaunch.isForceQuit)
    }

    @Test("the fetch of a process that an earlier run of the service has started ends with its connection")
    func aConnectedProcessThatExitsEndsItsFetch() throws {
        try fixture.open()
        let socket = try fixture.connect(isBackgroundStart: true, presence: .background)
        _ = try requestFetch(socket)
        #expect(fixture.wakes.hasWork)
        fixture.disconnect(socket)
        #expect(!fixture.wakes.hasWork)
    }
}
