import BackgroundProtocol
import TestSupport
import Testing
import TransferPolicy

@testable import BackgroundService

/// Transfers while network and power change.
@Suite struct TransferConditionsTests {
    private let fixture: ServiceFixture

    init() throws { fixture = try ServiceFixture() }

    private func apply(_ change: (inout MachineConditions) -> Void) {
        var conditions = fixture.transfers.conditions
        change(&conditions)
        fixture.transfers.handle(conditions)
        _ = fixture.transfers.schedule()
    }

    /// Starts a transfer that the system may put off.
    private func startDiscretionary() throws -> Transfer {
        fixture.session.configuration.isDiscretionary = true
        return try fixture.start()
    }

    @Test func aDiscretionaryTransferStopsOnAMeteredNetworkAndGoesOn() throws {
        let transfer = try startDiscretionary(), run = fixture.run
        apply { $0.isMetered = true }
        #expect(transfer.machine.state == .waiting(.metered))
        #expect(fixture.engine.commands.last == .stop(transfer: run))
        fixture.engine.onEvent(.stopped(transfer: run, durableLength: 0))
        apply { $0.isMetered = false }
        #expect(fixture.engine.orders.count == 2)
    }

    @Test func anotherTransferUsesAMeteredNetworkIfItsSessionAllowsIt() throws {
        let transfer = try fixture.start()
        apply { $0.isMetered = true }
        #expect(transfer.run != nil)
        fixture.session.configuration.allowsExpensiveNetworkAccess = false
        apply { _ in }
        #expect(transfer.machine.state == .waiting(.metered))
    }

    @Test(
        arguments: [
            (.offline, .network), (.limited, .network), (.portal, .portal),
        ] as [(MachineConditions.Connectivity, WaitingReason)])
    func everyTransferWaitsForTheNetwork(connectivity: MachineConditions.Connectivity, reason: WaitingReason) throws {
        let transfer = try fixture.start()
        apply { $0.connectivity = connectivity }
        #expect(transfer.machine.state == .waiting(reason))
    }

    @Test func aDiscretionaryTransferWaitsForPower() throws {
        let transfer = try startDiscretionary()
        apply { $0.power = .battery(percent: 15) }
        #expect(transfer.machine.state == .waiting(.power))
    }

    @Test func aSignInPageThatTheSystemDoesNotReportIsRequestedAgainLater() throws {
        let transfer = try fixture.start()
        fixture.engine.onEvent(.failed(transfer: fixture.run, EngineFailure(.portal, "a page", durableLength: 0)))
        _ = fixture.transfers.schedule()
        guard case .waiting(.signInPage(let end)) = transfer.machine.state else {
            throw TestFailure("the transfer does not wait: \(transfer.machine.state)")
        }
        #expect(fixture.engine.orders.count == 1)
        #expect(transfer.snapshot(now: .zero).activity.text.contains("sign-in page"))
        fixture.time.now = end.clampedNanoseconds + 1
        _ = fixture.transfers.schedule()
        #expect(fixture.engine.orders.count == 2)
    }

    @Test func theReturnOfTheNetworkEndsThePauseAfterAFailure() throws {
        let transfer = try fixture.start()
        fixture.engine.onEvent(.failed(transfer: fixture.run, EngineFailure(.network, "no route", durableLength: 0)))
        guard case .waiting(.retry) = transfer.machine.state else {
            throw TestFailure("the transfer does not wait: \(transfer.machine.state)")
        }
        apply { $0.isMetered = true }
        #expect(fixture.engine.orders.count == 1)
        apply { $0.connectivity = .offline }
        apply { $0.connectivity = .full }
        #expect(fixture.engine.orders.count == 2)
    }
}
