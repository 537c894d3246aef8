import BackgroundProtocol
import Glibc
import LedgerStore
import SystemCalls
import TestSupport
import Testing
import TransferPolicy

@testable import BackgroundService

/// Starts of the service after a crash at any step.
@Suite struct TransferRecoveryTests {
    private let fixture: ServiceFixture

    init() throws { fixture = try ServiceFixture(deliversEvents: true) }

    /// The only transfer.
    private func transfer() throws -> Transfer { try #require(fixture.transfers.transfers.values.first) }

    @Test func aRunningTransferIsQueuedWithItsBytes() throws {
        _ = try fixture.start()
        fixture.respond(total: 4)
        fixture.engine.write("fi")
        try fixture.restart()
        #expect(try transfer().machine.state == .queued)
        _ = fixture.transfers.schedule()
        #expect(fixture.engine.orders.last?.held.length == 2)
    }

    @Test(
        "a delay ends with a start of the machine, whose boot time begins again",
        arguments: [
            EngineFailure(.network, "lost"), EngineFailure(.portal, "a sign-in page"),
        ])
    func aDelayOfTheLastBootIsOver(_ failure: EngineFailure) throws {
        let transfer = try fixture.start()
        fixture.engine.onEvent(.failed(transfer: fixture.run, failure))
        func hasDelay(_ transfer: Transfer) -> Bool {
            if case .waiting(let reason) = transfer.machine.state { reason.end != nil } else { false }
        }
        #expect(hasDelay(transfer))
        try fixture.restart()
        #expect(hasDelay(try self.transfer()))
        fixture.time.now = 20_000_000_000
        try fixture.restart(boot: "next boot")
        _ = fixture.transfers.schedule()
        #expect(fixture.engine.orders.count == 1)
    }

    @Test("bytes that do not belong to the stored validators are discarded, also without a start of the machine")
    func bytesOfAnotherContentAreDiscarded() throws {
        _ = try fixture.start()
        fixture.respond(total: 8)
        fixture.engine.write("film")
        fixture.engine.onEvent(.failed(transfer: fixture.run, EngineFailure(.network, "lost", durableLength: 4)))
        // The engine has emptied the part for another content, and the service was killed before it read that.
        let part = try #require(fixture.engine.parts.last)
        #expect(ftruncate(part.raw, 0) == 0)
        fixture.engine.write("news!")
        fixture.time.now += 600_000_000_000
        try fixture.restart()
        _ = fixture.transfers.schedule()
        #expect(fixture.engine.orders.last?.held == HeldContent())
    }

    @Test func aSuspendedTransferStaysSuspended() throws {
        let transfer = try fixture.start()
        fixture.transfers.handle(.suspend, of: transfer)
        try fixture.restart()
        #expect(try self.transfer().machine.state == .paused)
    }

    @Test func aLostPartFileBeginsAnew() throws {
        _ = try fixture.start()
        fixture.respond(total: 4)
        #expect(unlink(fixture.scratch.file(fixture.files[0])) == 0)
        try fixture.restart()
        _ = fixture.transfers.schedule()
        #expect(fixture.engine.orders.last?.held == HeldContent())
    }

    @Test("a part whose row was not stored, and an error page of a run that has crashed, are removed")
    func partsWithoutARowAreRemoved() throws {
        let transfer = try fixture.start()
        let id = transfer.row.id, kept = fixture.files
        let directory = try DirectoryDescriptor(opening: fixture.scratch.path)
        for base in ["film (2).mkv", "film (3).mkv", "error-page", "error-page (2)"] {
            _ = try directory.create(FileNamePolicy.partName(for: base, taskID: id))
        }
        // The part of another service's transfer.
        let other = FileNamePolicy.partName(for: "film.mkv", taskID: id + 1)
        _ = try directory.create(other)
        try fixture.restart()
        #expect(fixture.files == (kept + [other]).sorted())
    }

    @Test("a part file that cannot be checked now keeps its bytes and its row, and is checked again later")
    func aPartThatCannotBeCheckedIsKept() throws {
        let id = try fixture.start().row.id
        fixture.respond(total: 8)
        fixture.engine.write("film")
        fixture.engine.onEvent(.checkpoint(transfer: fixture.run, durableLength: 4))
        let files = fixture.files, part = try fixture.sessions.ledger.part(of: id)
        try fixture.store(directory: ServiceFixture.unusableDirectory)
        try fixture.restart()
        _ = fixture.transfers.schedule()
        #expect(try transfer().machine.state == .queued)
        #expect(try transfer().snapshot(now: .zero).activity.text.hasPrefix("waiting for the disk"))
        #expect(fixture.engine.orders.isEmpty && fixture.files == files)
        #expect(try fixture.sessions.ledger.part(of: id) == part)
        try transfer().row.destination.directory = fixture.scratch.path
        fixture.time.now += 31_000_000_000
        _ = fixture.transfers.schedule()
        #expect(fixture.engine.orders.map(\.held.length) == [4])
    }

    @Test("the service does not wake up for an engine that no transfer can use yet")
    func anUncheckedTransferNeedsNoEngine() throws {
        _ = try fixture.start()
        try fixture.store(directory: ServiceFixture.unusableDirectory)
        try fixture.restart()
        fixture.engine.isRunning = false
        let time = try #require(fixture.transfers.schedule())
        #expect(time >= fixture.time.now + 1_000_000_000)
    }

    @Test("a complete file that cannot be checked after a start is published once it can be, also without its digest")
    func aCompleteFileIsPublishedAfterItsCheck() throws {
        let transfer = try fixture.start { $0.digest = ContentDigest([UInt8](repeating: 1, count: 32)) }
        transfer.row.destination.directory = ServiceFixture.unusableDirectory
        fixture.finish()
        try fixture.store(directory: ServiceFixture.unusableDirectory)
        try fixture.restart()
        let waiting = TransferState.waiting(.publication(errorNumber: ENAMETOOLONG))
        fixture.time.now += 31_000_000_000
        _ = fixture.transfers.schedule()
        #expect(try self.transfer().machine.state == waiting)
        try self.transfer().row.destination.directory = fixture.scratch.path
        fixture.transfers.handle(.waitEnded, of: try self.transfer())
        #expect(fixture.files != ["film.mkv"], "the file was not checked")
        fixture.time.now += 31_000_000_000
        _ = fixture.transfers.schedule()
        #expect(try self.transfer().machine.state == .finished && fixture.files == ["film.mkv"])
        #expect(fixture.engine.orders.isEmpty)
    }

    @Test func aReplacedDirectoryEndsTheTransfer() throws {
        let transfer = try fixture.start()
        try fixture.sessions.ledger.transaction { () throws(DatabaseError) in }
        transfer.row.destination.identity = FileIdentity(device: 1, inode: 1)
        fixture.engine.onExit()
        _ = fixture.transfers.schedule()
        #expect(transfer.machine.state == .failed(.directoryChanged))
    }

    @Test func aFileThatWasRenamedJustBeforeTheCrashIsFinished() throws {
        let transfer = try fixture.start()
        fixture.finish()
        // The state before the last transaction: the file has its final name, and no event is stored.
        var progress = transfer.row.progress
        (progress.state, progress.ended) = ("finishing", nil)
        try fixture.sessions.ledger.save(progress, of: transfer.row.id)
        _ = try fixture.sessions.ledger.acknowledge(session: fixture.session.row.id, through: 2)
        try fixture.restart()
        #expect(try self.transfer().machine.state == .finished)
        #expect(fixture.sessions.eventCount(of: fixture.session) == 2)
        #expect(fixture.files == ["film.mkv"])
    }

    @Test func aCompletePartIsPublishedAfterTheCrash() throws {
        let transfer = try fixture.start()
        fixture.respond(total: 4)
        fixture.engine.write("film")
        fixture.engine.onEvent(.checkpoint(transfer: fixture.run, durableLength: 4))
        var progress = transfer.row.progress
        progress.state = "finishing"
        try fixture.sessions.ledger.save(progress, of: transfer.row.id)
        try fixture.restart()
        #expect(try self.transfer().machine.state == .finished)
        #expect(fixture.files == ["film.mkv"])
    }

    /// Receives all bytes, and restarts the service before it has read the end of the run.
    private func restartBeforeTheEnd(status: UInt16 = 200, _ change: (inout TaskRequest) -> Void = { _ in }) throws {
        _ = try fixture.start("film.mkv", change)
        fixture.respond(status < 400 ? .whole : .errorPageInPart, total: 4, status: status)
        fixture.engine.write("film")
        fixture.engine.onEvent(.checkpoint(transfer: fixture.run, durableLength: 4))
        try fixture.restart()
        _ = fixture.transfers.schedule()
    }

    @Test func aPartWithAllBytesIsPublishedWithoutARequest() throws {
        try restartBeforeTheEnd()
        #expect(try transfer().machine.state == .finished)
        #expect(fixture.engine.orders.isEmpty && fixture.files == ["film.mkv"])
    }

    @Test func anErrorPageWithAllBytesIsNotPublished() throws {
        try restartBeforeTheEnd(status: 404)
        #expect(fixture.engine.orders.count == 1 && fixture.files != ["film.mkv"])
    }

    @Test func anEmptyPartIsNotPublishedWithoutARequest() throws {
        _ = try fixture.start()
        fixture.respond(total: 0)
        try fixture.restart()
        _ = fixture.transfers.schedule()
        #expect(fixture.engine.orders.count == 1 && fixture.files != ["film.mkv"])
    }

    @Test func aPartWhoseDigestWasNotComparedIsNotPublished() throws {
        try restartBeforeTheEnd { $0.digest = ContentDigest([UInt8](repeating: 1, count: 32)) }
        #expect(fixture.engine.orders.map(\.held.length) == [4] && fixture.files != ["film.mkv"])
    }

    @Test func unreadEventsKeepTheirFile() throws {
        _ = try fixture.start { $0.hasDirectory = true }
        fixture.finish()
        try fixture.restart()
        #expect(fixture.sessions.eventCount(of: fixture.session) == 2 && fixture.files == ["film.mkv"])
    }

    @Test("a transfer whose last event was acknowledged just before the crash ends")
    func anAcknowledgedTransferEndsAfterTheCrash() throws {
        let transfer = try fixture.start { $0.hasDirectory = true }
        fixture.finish()
        _ = try fixture.sessions.ledger.acknowledge(session: fixture.session.row.id, through: 2)
        try fixture.restart()
        #expect(fixture.transfers.transfers.isEmpty && fixture.files == ["film.mkv"])
        #expect(try fixture.sessions.ledger.part(of: transfer.row.id) == nil)
    }

    @Test func aTransferWithOneUnreadEventIsKeptAfterTheCrash() throws {
        _ = try fixture.start()
        fixture.finish()
        _ = try fixture.sessions.ledger.acknowledge(session: fixture.session.row.id, through: 1)
        try fixture.restart()
        #expect(try transfer().machine.state == .finished)
    }

    @Test func filesOfAcknowledgedTransfersAreRemovedAfterTheCrash() throws {
        let transfer = try fixture.start()
        fixture.respond(total: 4)
        fixture.transfers.handle(.cancel, of: transfer)
        var progress = transfer.row.progress
        progress.state = "delivered"
        try fixture.sessions.ledger.save(progress, of: transfer.row.id)
        #expect(fixture.files.count == 1)
        try fixture.restart()
        #expect(fixture.files == [] && fixture.transfers.transfers.isEmpty)
    }

    @Test func theTimeLimitGoesOnWhileTheServiceDoesNotRun() throws {
        _ = try fixture.start()
        fixture.time.now += 7 * 86_400 * 1_000_000_000 - 5
        try fixture.restart()
        #expect(try transfer().deadline == fixture.time.now + 5)
    }

    @Test func oldHistoryIsForgotten() throws {
        let transfer = try fixture.start()
        fixture.finish()
        _ = try fixture.sessions.ledger.acknowledge(session: fixture.session.row.id, through: 2)
        fixture.transfers.handle(.acknowledge, of: transfer)
        fixture.time.wall += 8 * 86_400 * 1_000_000_000
        try fixture.restart()
        _ = fixture.transfers.schedule()
        #expect(try fixture.sessions.ledger.task(transfer.row.id) == nil)
    }
}
