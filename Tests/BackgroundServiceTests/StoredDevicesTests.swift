import BackgroundProtocol
import Glibc
import LedgerStore
import TestSupport
import Testing
import TransferPolicy

@testable import BackgroundService

/// Starts of the machine that change the numbers of devices.
@Suite struct StoredDevicesTests {
    private let fixture: ServiceFixture

    init() throws { fixture = try ServiceFixture(deliversEvents: true) }

    /// The only transfer.
    private func transfer() throws -> Transfer { try #require(fixture.transfers.transfers.values.first) }

    /// Receives two durable bytes of the file that the engine receives now.
    private func receivePart() {
        fixture.respond(total: 4)
        fixture.engine.write("fi")
        fixture.engine.onEvent(.checkpoint(transfer: fixture.run, durableLength: 2))
    }

    /// Restarts the machine, after which the devices have other numbers, and the service.
    private func restartMachine() throws {
        try fixture.changeDevices()
        try fixture.restart(boot: "next boot")
    }

    @Test func aTransferContinuesWithItsBytes() throws {
        _ = try fixture.start()
        receivePart()
        try restartMachine()
        #expect(try transfer().machine.state == .queued)
        _ = fixture.transfers.schedule()
        #expect(fixture.engine.orders.last?.held.length == 2)
    }

    @Test func aPackageContinuesWithTheBytesOfItsSegment() throws {
        _ = try fixture.startPackage()
        fixture.receive()
        fixture.plan(ServiceFixture.segments)
        receivePart()
        try restartMachine()
        _ = fixture.transfers.schedule()
        #expect(fixture.engine.orders.last?.request.address == "https://example.org/1")
        #expect(fixture.engine.orders.last?.held.length == 2)
    }

    @Test func aSegmentThatWasRenamedJustBeforeTheStartIsNotRequestedAgain() throws {
        let transfer = try fixture.startPackage()
        fixture.receive()
        fixture.plan(ServiceFixture.segments)
        fixture.respond(total: 2)
        fixture.engine.write("fi")
        fixture.engine.onEvent(.checkpoint(transfer: fixture.run, durableLength: 2))
        var progress = transfer.row.progress
        progress.state = "finishing"
        try fixture.sessions.ledger.save(progress, of: transfer.row.id)
        let folder = fixture.scratch.file("film/")
        #expect(rename(folder + ".media-0.ts.00000001.part", folder + "media-0.ts") == 0)
        try restartMachine()
        _ = fixture.transfers.schedule()
        #expect(fixture.engine.orders.last?.request.address == "https://cdn.example/2")
    }

    @Test func filesOfAcknowledgedTransfersAreRemoved() throws {
        let transfer = try fixture.start()
        receivePart()
        fixture.transfers.handle(.cancel, of: transfer)
        var progress = transfer.row.progress
        progress.state = "delivered"
        try fixture.sessions.ledger.save(progress, of: transfer.row.id)
        try restartMachine()
        #expect(fixture.files == [] && fixture.transfers.transfers.isEmpty)
    }

    @Test func theNewNumbersHoldForTheNextStartOfTheService() throws {
        _ = try fixture.start()
        receivePart()
        try restartMachine()
        try fixture.restart(boot: "next boot")
        #expect(try transfer().machine.state == .queued)
    }

    @Test func anotherDeviceIsAnotherDirectoryWithoutAStartOfTheMachine() throws {
        _ = try fixture.start()
        receivePart()
        try fixture.changeDevices()
        try fixture.restart()
        #expect(try transfer().machine.state == .failed(.directoryChanged))
    }

    @Test func anotherDirectoryAtThePathIsNotUsed() throws {
        _ = try fixture.start()
        receivePart()
        try fixture.changeDevices()
        try Database(path: fixture.scratch.path + "/state/ledger.sqlite").execute("UPDATE task SET inode = inode + 1")
        try fixture.restart(boot: "next boot")
        #expect(try transfer().machine.state == .failed(.directoryChanged))
    }

    @Test func anotherFileWithTheNameOfThePartIsNotUsed() throws {
        _ = try fixture.start()
        receivePart()
        try fixture.changeDevices()
        try Database(path: fixture.scratch.path + "/state/ledger.sqlite").execute("UPDATE part SET inode = inode + 1")
        try fixture.restart(boot: "next boot")
        _ = fixture.transfers.schedule()
        #expect(fixture.engine.orders.last?.held.length == 0)
    }
}
