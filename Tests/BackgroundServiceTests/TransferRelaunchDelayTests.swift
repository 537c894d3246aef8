import BackgroundProtocol
import SystemCalls
import TestSupport
import Testing
import TransferPolicy

@testable import BackgroundService

/// Transfers that a program creates after the service has started it.
@Suite struct TransferRelaunchDelayTests {
    private let fixture: ServiceFixture

    init() throws {
        fixture = try ServiceFixture()
        fixture.session.client.relaunch.handleStart(now: .nanoseconds(fixture.time.now))
        fixture.sessions.save(fixture.session.client)
    }

    /// Creates and resumes a transfer of the started program.
    private func start() throws -> Transfer {
        let transfer = try fixture.create(isInBackground: true)
        fixture.transfers.handle(.resume, of: transfer)
        _ = fixture.transfers.schedule()
        return transfer
    }

    private func advance(by seconds: Int64) -> Int64? {
        fixture.time.now += seconds * 1_000_000_000
        fixture.time.wall += seconds * 1_000_000_000
        return fixture.transfers.schedule()
    }

    @Test func aTransferOfAStartedProgramWaitsForTheDelay() throws {
        let transfer = try start()
        let end = Duration.nanoseconds(fixture.time.now) + .seconds(60)
        #expect(transfer.machine.state == .waiting(.relaunchDelay(until: end)) && fixture.engine.orders.isEmpty)
        #expect(
            transfer.snapshot(now: end - .seconds(40)).activity.text
                == "begins in 40 s, or when the program is opened")
        _ = advance(by: 59)
        #expect(fixture.engine.orders.isEmpty)
        _ = advance(by: 1)
        #expect(fixture.engine.orders.count == 1)
    }

    @Test func theServiceWakesAtTheEndOfTheDelay() throws {
        _ = try start()
        #expect(advance(by: 0) == fixture.time.now + 60_000_000_000)
    }

    @Test func openingTheProgramEndsTheDelay() throws {
        _ = try start()
        _ = try fixture.sessions.register(ProgramDescription(name: "test"), processID: 0)
        _ = fixture.transfers.schedule()
        #expect(fixture.engine.orders.count == 1)
    }

    @Test("a transfer whose delay has ended starts when the engine can be started, not at the end of the delay")
    func theServiceWakesWhenTheEngineCanBeStarted() throws {
        _ = try start()
        _ = try fixture.sessions.register(ProgramDescription(name: "test"), processID: 0)
        // The former engine has not exited yet.
        fixture.engine.isRunning = false
        fixture.engine.nextStart = MonotonicTime.now + 20_000_000
        let time = try #require(fixture.transfers.schedule())
        #expect(time <= fixture.time.now + 20_000_000 && fixture.engine.orders.isEmpty)
        fixture.engine.isRunning = true
        _ = fixture.transfers.schedule()
        #expect(fixture.engine.orders.count == 1)
    }

    @Test func theDelaySurvivesARestartOfTheService() throws {
        _ = try start()
        try fixture.restart()
        _ = advance(by: 59)
        #expect(fixture.engine.orders.isEmpty)
        _ = advance(by: 2)
        #expect(fixture.engine.orders.count == 1)
    }

    @Test func aTransferOfAnOpenProgramDoesNotWait() throws {
        _ = try fixture.start()
        #expect(fixture.engine.orders.count == 1)
    }

    @Test func closingAProgramForGoodCancelsItsTransfers() throws {
        fixture.session.configuration.deliversEvents = true
        let waiting = try start(), running = try fixture.start("other")
        fixture.transfers.cancelAll(of: fixture.session.client)
        #expect(waiting.machine.state.isTerminal)
        #expect(fixture.engine.commands.contains(.stop(transfer: fixture.run)))
        fixture.engine.onEvent(.stopped(transfer: fixture.run, durableLength: 0))
        #expect(running.machine.state.isTerminal)
        // The program learns of it when it is opened.
        for transfer in [waiting, running] { fixture.transfers.handle(.acknowledge, of: transfer) }
        #expect(fixture.files == [])
    }
}
