import BackgroundProtocol
import Foundation
import Glibc
import LedgerStore
import SystemCalls
import TestSupport
import Testing
import TransferPolicy

@testable import BackgroundService

/// Transfers whose progress cannot be stored.
@Suite struct TransferStorageTests {
    private let fixture: ServiceFixture

    init() throws { fixture = try ServiceFixture() }

    /// Continues after the next check of the disks.
    private func continueAfterCheck() {
        fixture.time.now += 31_000_000_000
        _ = fixture.transfers.schedule()
    }

    /// Returns how an ended transfer is shown in the history; nil if it has not ended.
    private func outcome(of transfer: Transfer) -> TaskSnapshot.Phase? {
        guard transfer.machine.state == .delivered else { return nil }
        return transfer.row.progress.stateNumber.flatMap { TaskSnapshot.Phase(rawValue: UInt8(clamping: $0)) }
    }

    @Test func aDownloadWhoseEndCannotBeStoredGoesOnLater() throws {
        let transfer = try fixture.start()
        fixture.respond(total: 4)
        fixture.engine.write("film")
        try fixture.setRefusesParts(true)
        fixture.engine.onEvent(.finished(transfer: fixture.run, length: 4, status: 200))
        #expect(transfer.machine.state == .waiting(.disk(errorNumber: EIO)))
        #expect(transfer.run == nil, "the engine has ended the run")
        try fixture.setRefusesParts(false)
        continueAfterCheck()
        #expect(fixture.engine.orders.map(\.held.length) == [0, 4])
    }

    @Test func aFileThatCannotBeOpenedAtTheEndIsKept() throws {
        let transfer = try fixture.start()
        let files = fixture.files
        transfer.row.destination.directory = ServiceFixture.unusableDirectory
        fixture.finish()
        #expect(transfer.machine.state == .waiting(.publication(errorNumber: ENAMETOOLONG)))
        #expect(fixture.files == files)
        #expect(try fixture.sessions.ledger.part(of: transfer.row.id)?.durable.length == 4)
        transfer.row.destination.directory = fixture.scratch.path
        continueAfterCheck()
        #expect(fixture.engine.orders.count == 1 && fixture.files == ["film.mkv"])
    }

    @Test func aFileThatCannotBeRenamedIsPublishedLaterWithoutARequest() throws {
        let database = try Database(path: fixture.scratch.path + "/state/ledger.sqlite")
        try database.execute(
            "CREATE TRIGGER refusal BEFORE UPDATE OF name ON task BEGIN SELECT RAISE(ABORT, 'full'); END")
        let transfer = try fixture.start()
        // The new file needs another name, which must be stored first.
        try run("touch", [fixture.scratch.file("film.mkv")])
        fixture.finish()
        #expect(transfer.machine.state == .waiting(.publication(errorNumber: EIO)))
        try database.execute("DROP TRIGGER refusal")
        continueAfterCheck()
        #expect(fixture.engine.orders.count == 1 && fixture.files == ["film (2).mkv", "film.mkv"])
    }

    @Test("a file that was renamed by an attempt that has failed after that is published by the next attempt")
    func aRenamedFileIsPublished() throws {
        let transfer = try fixture.start()
        transfer.row.destination.directory = ServiceFixture.unusableDirectory
        fixture.finish()
        transfer.row.destination.directory = fixture.scratch.path
        #expect(rename(fixture.scratch.file(fixture.files[0]), fixture.scratch.file("film.mkv")) == 0)
        continueAfterCheck()
        #expect(outcome(of: transfer) == .finished && fixture.files == ["film.mkv"])
    }

    @Test("a segment that was renamed by an attempt that has failed after that is not requested again")
    func aRenamedSegmentIsPublished() throws {
        let transfer = try fixture.startPackage()
        fixture.receive()
        fixture.plan(ServiceFixture.segments)
        transfer.row.destination.directory = ServiceFixture.unusableDirectory
        fixture.receive()
        transfer.row.destination.directory = fixture.scratch.path
        let folder = fixture.scratch.file("film/")
        #expect(rename(folder + ".media-0.ts.00000001.part", folder + "media-0.ts") == 0)
        continueAfterCheck()
        #expect(fixture.engine.orders.last?.request.address == "https://cdn.example/2")
        #expect(fixture.engine.orders.count == 3)
    }

    @Test("a resource that was recorded by an attempt that has failed after that is not requested again")
    func aRecordedResourceIsPublished() throws {
        let database = try Database(path: fixture.scratch.path + "/state/ledger.sqlite")
        let transfer = try fixture.startPackage()
        // The sum of the durations cannot be computed.
        try database.execute("UPDATE resource SET duration = 9223372036854775807")
        fixture.receive()
        #expect(transfer.machine.state == .waiting(.publication(errorNumber: EIO)))
        try database.execute("UPDATE resource SET duration = 0")
        continueAfterCheck()
        #expect(fixture.engine.orders.count == 1 && fixture.plans.count == 1)
    }

    @Test("a file that cannot be opened for its renaming is kept, and renamed later", arguments: [false, true])
    func aFileThatCannotBeOpenedForItsNameIsKept(isPackage: Bool) throws {
        let transfer = try isPackage ? fixture.startPackage() : fixture.start()
        let disturbance = Disturbance { transfer in
            guard transfer.machine.state == .finishing else { return }
            transfer.row.destination.directory = ServiceFixture.unusableDirectory
        }
        fixture.transfers.observer = disturbance
        if isPackage { fixture.receive() } else { fixture.finish() }
        #expect(transfer.machine.state == .waiting(.publication(errorNumber: ENAMETOOLONG)))
        fixture.transfers.observer = nil
        transfer.row.destination.directory = fixture.scratch.path
        continueAfterCheck()
        #expect(fixture.engine.orders.count == 1 && fixture.plans.count == (isPackage ? 1 : 0))
        #expect(fixture.files == [isPackage ? "film" : "film.mkv"])
    }

    @Test("a part file that cannot be opened now is kept; a directory that can never be opened ends the transfer")
    func aPartThatCannotBeOpenedIsKept() throws {
        let transfer = try fixture.start()
        fixture.respond(total: 8)
        fixture.engine.write("film")
        fixture.engine.onEvent(.failed(transfer: fixture.run, EngineFailure(.network, "cut", durableLength: 4)))
        let row = transfer.row, part = transfer.part
        // No process may write to this file.
        let directory = try DirectoryDescriptor(opening: "/proc/sys/kernel")
        transfer.row.destination.directory = "/proc/sys/kernel"
        transfer.row.destination.identity = try directory.identity()
        transfer.part?.name = "ostype"
        transfer.part?.total = nil
        continueAfterCheck()
        #expect(transfer.machine.state == .waiting(.disk(errorNumber: EACCES)))
        (transfer.row.destination, transfer.part) = (row.destination, part)
        continueAfterCheck()
        #expect(fixture.engine.orders.map(\.held.length) == [0, 4])
        fixture.engine.onEvent(.failed(transfer: fixture.run, EngineFailure(.network, "cut", durableLength: 4)))
        transfer.row.destination.directory = ServiceFixture.unusableDirectory
        continueAfterCheck()
        #expect(outcome(of: transfer) == .failed)
    }

    @Test func aStartForWhichThePartCannotBeStoredIsRepeated() throws {
        try fixture.setRefusesParts(true)
        let transfer = try fixture.start()
        #expect(transfer.machine.state == .waiting(.disk(errorNumber: EIO)) && fixture.engine.orders.isEmpty)
        try fixture.setRefusesParts(false)
        continueAfterCheck()
        #expect(fixture.engine.orders.count == 1)
    }

    @Test func anUploadWaitsForAFileThatCannotBeOpenedNow() throws {
        let path = fixture.scratch.file("upload")
        try Data("film".utf8).write(to: URL(fileURLWithPath: path))
        // Until the lease is returned, an attempt to open the file fails with EWOULDBLOCK, and the holder gets SIGIO.
        let lease: Int32 = 1024, holder = try FileDescriptor(opening: path, flags: O_RDWR)
        signal(SIGIO, SIG_IGN)
        #expect(fcntl(holder.raw, lease, Int32(F_WRLCK)) == 0)
        let transfer = try fixture.start { $0.upload = path }
        #expect(transfer.machine.state == .waiting(.disk(errorNumber: EWOULDBLOCK)))
        #expect(fcntl(holder.raw, lease, Int32(F_UNLCK)) == 0)
        continueAfterCheck()
        #expect(fixture.engine.orders.map(\.descriptors) == [[.part, .upload]])
    }

    @Test func anUploadWithoutItsFileFails() throws {
        let fixture = try ServiceFixture(deliversEvents: true)
        let transfer = try fixture.start { $0.upload = fixture.scratch.file("missing") }
        #expect(transfer.machine.state == .failed(.unreadableFile))
        #expect(fixture.engine.orders.isEmpty)
    }

    @Test func anEmptiedPartThatCannotBeStoredEndsTheRun() throws {
        let transfer = try fixture.start()
        fixture.respond(total: 8)
        fixture.engine.write("film")
        try fixture.setRefusesParts(true)
        fixture.engine.onEvent(.emptied(transfer: fixture.run))
        #expect(transfer.machine.state == .waiting(.disk(errorNumber: EIO)))
        #expect(fixture.engine.commands.last == .stop(transfer: fixture.run))
        #expect(transfer.part?.validators == PartRow.Validators())
    }

    @Test func aCancellationThatCannotBeStoredIsNotReplaced() throws {
        let transfer = try fixture.start()
        fixture.respond(total: 8)
        try fixture.setRefusesStates(true)
        #expect(!fixture.transfers.attempt(.cancel, of: transfer))
        fixture.transfers.handle(.suspend, of: transfer)
        fixture.engine.onEvent(
            .failed(transfer: fixture.run, EngineFailure(.disk, "full", code: ENOSPC, durableLength: 0)))
        #expect(fixture.transfers.deferredInputs[transfer.row.id]?.inputs.count == 2)
        try fixture.setRefusesStates(false)
        continueAfterCheck()
        #expect(transfer.machine.state == .delivered && fixture.files == [])
    }

    @Test func theHistoryIsRemovedAfterAWeekWithoutANewStart() throws {
        _ = try fixture.start()
        fixture.finish()
        let week: Int64 = 7 * 86_400 * 1_000_000_000
        func history() throws -> Int {
            try fixture.sessions.ledger.lastTasks(inState: "delivered", session: nil, limit: 10).count
        }
        #expect(try history() == 1)
        (fixture.time.now, fixture.time.wall) = (fixture.time.now + week, fixture.time.wall + week)
        _ = fixture.transfers.schedule()
        #expect(try history() == 1)
        (fixture.time.now, fixture.time.wall) = (fixture.time.now + week, fixture.time.wall + week)
        _ = fixture.transfers.schedule()
        #expect(try history() == 0)
    }
}

/// Calls a closure for each change of a transfer, before the actions that belong to it.
private final class Disturbance: TransferObserver {
    private let action: (Transfer) -> Void

    init(_ action: @escaping (Transfer) -> Void) { self.action = action }

    func transferDidChange(_ transfer: Transfer) { action(transfer) }
    func transferDidProgress(_ transfer: Transfer) {}
    func transferDidResume(_ transfer: Transfer, at offset: Int64) {}
}
