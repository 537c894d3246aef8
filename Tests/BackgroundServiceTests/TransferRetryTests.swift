import BackgroundProtocol
import TestSupport
import Testing
import TransferPolicy

@testable import BackgroundService

/// The times at which failed transfers are tried again.
@Suite struct TransferRetryTests {
    private let fixture: ServiceFixture

    init() throws { fixture = try ServiceFixture() }

    /// Receives a number of bytes in an attempt, which then fails.
    private func receiveAndFail(_ length: Int64, _ use: EngineResponse.Use) {
        fixture.respond(use, total: nil, tag: nil)
        fixture.engine.onEvent(.progress(transfer: fixture.run, length: length))
        fixture.engine.onEvent(.failed(transfer: fixture.run, EngineFailure(.network, "cut")))
    }

    /// Waits for longer than the longest delay, and starts the next attempt.
    private func startNextAttempt() {
        fixture.time.now += 301 * 1_000_000_000
        _ = fixture.transfers.schedule()
    }

    @Test func aNetworkFaultIsRetriedLater() throws {
        let transfer = try fixture.start()
        fixture.engine.onEvent(.failed(transfer: fixture.run, EngineFailure(.network, "cut")))
        guard case .waiting(.retry) = transfer.machine.state else { throw TestFailure("\(transfer.machine.state)") }
        #expect(fixture.transfers.schedule() != nil)
        startNextAttempt()
        #expect(fixture.engine.orders.count == 2)
    }

    @Test("a content that begins anew each time and never gets further is requested less and less often")
    func theSameBytesAreNoProgress() throws {
        let transfer = try fixture.start()
        receiveAndFail(1_000_000, .whole)
        for _ in 0..<4 {
            startNextAttempt()
            receiveAndFail(1_000_000, .restart)
        }
        #expect(transfer.retry.failureCount == 5 && fixture.engine.orders.count == 5)
        startNextAttempt()
        receiveAndFail(1_100_000, .restart)
        #expect(transfer.retry.failureCount == 1)
    }
}
