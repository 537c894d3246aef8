import BackgroundProtocol
import Glibc
import LedgerStore
import SystemCalls
import TestSupport
import Testing
import TransferPolicy

@testable import BackgroundService

@Suite struct TransferServiceTests {
    private let fixture: ServiceFixture
    private var engine: FakeEngine { fixture.engine }

    init() throws { fixture = try ServiceFixture() }

    /// Returns a failure of the engine for the last run.
    private func fail(_ kind: EngineFailure.Kind, code: Int32 = 0, retryAfter: UInt32? = nil) {
        engine.onEvent(
            .failed(
                transfer: fixture.run,
                EngineFailure(kind, "because", code: code, retryAfter: retryAfter, closesHost: retryAfter != nil)))
    }

    /// The stored row of a part file.
    private func storedPart(_ transfer: Transfer) throws -> PartRow? {
        try fixture.sessions.ledger.part(of: transfer.row.id)
    }

    @Test func aNewTransferIsSuspended() throws {
        let transfer = try fixture.create()
        _ = fixture.transfers.schedule()
        #expect(transfer.machine.state == .created && engine.commands.isEmpty && fixture.files == [])
    }

    @Test func theFirstOrderHasAnEmptyPartFile() throws {
        let transfer = try fixture.start()
        let order = try #require(engine.orders.first)
        #expect(order.held == HeldContent() && order.request.address == "https://example.org/film.mkv?token=1")
        #expect(fixture.files == [".film.mkv.00000001.part"])
        #expect(try storedPart(transfer)?.name == fixture.files.first)
    }

    @Test func aCompleteFileGetsItsFinalName() throws {
        let transfer = try fixture.start()
        fixture.finish()
        #expect(fixture.files == ["film.mkv"])
        #expect(try fixture.scratch.text("film.mkv") == "film")
        #expect(transfer.machine.state == .delivered)
    }

    @Test func anAcknowledgedTransferLeavesNoSecretsAndNoQuery() throws {
        let transfer = try fixture.start { $0.request.fields = [HeaderField("Cookie", "a")] }
        fixture.finish()
        #expect(try fixture.sessions.ledger.task(transfer.row.id)?.request.url == "https://example.org/film.mkv")
        #expect(try fixture.sessions.ledger.secrets.secret(name: transfer.secretName) == nil)
    }

    @Test func headerFieldsReachTheEngineAndNotTheDatabase() throws {
        let transfer = try fixture.start { $0.request.fields = [HeaderField("Cookie", "a", isSecret: true)] }
        #expect(engine.orders.first?.request.fields == [HeaderField("Cookie", "a", isSecret: true)])
        #expect(transfer.row.request.hasSecret)
    }

    @Test func theUserAndPasswordOfAnAddressBecomeAField() throws {
        let transfer = try fixture.start { $0.request.address = "https://user:password@example.org/film.mkv" }
        #expect(transfer.row.request.url == "https://example.org/film.mkv")
        #expect(engine.orders.first?.request.fields.first?.value == "Basic dXNlcjpwYXNzd29yZA==")
    }

    @Test func theNameThatTheServerSuggestsIsTakenWithoutItsFolder() throws {
        _ = try fixture.start()
        fixture.respond(name: "../../../etc/passwd")
        engine.write("film")
        engine.onEvent(.finished(transfer: fixture.run, length: 4, status: 200))
        #expect(fixture.files == ["passwd"])
    }

    @Test func aChosenNameIsKept() throws {
        _ = try fixture.start { $0.fileName = "mine.mkv" }
        fixture.respond(name: "theirs.mkv")
        engine.write("film")
        engine.onEvent(.finished(transfer: fixture.run, length: 4, status: 200))
        #expect(fixture.files == ["mine.mkv"])
    }

    @Test func aShortFileIsNotPublished() throws {
        let transfer = try fixture.start()
        fixture.respond(total: 4)
        engine.write("fi")
        engine.onEvent(.finished(transfer: fixture.run, length: 4, status: 200))
        #expect(transfer.machine.state != .finished && !fixture.files.contains("film.mkv"))
    }

    @Test func aCheckpointIsStoredWithItsDigest() throws {
        let transfer = try fixture.start()
        fixture.respond()
        engine.write("fi")
        engine.onEvent(.checkpoint(transfer: fixture.run, durableLength: 2))
        #expect(try storedPart(transfer)?.durable.length == 2)
        #expect(try storedPart(transfer)?.durable.digest == TailDigest.digest(Array("fi".utf8)))
    }

    @Test func aCheckpointBeyondTheFileIsIgnored() throws {
        let transfer = try fixture.start()
        fixture.respond()
        engine.onEvent(.checkpoint(transfer: fixture.run, durableLength: 2))
        #expect(try storedPart(transfer)?.durable.length == 0)
    }

    @Test func theNextOrderContinuesThePart() throws {
        _ = try fixture.start()
        fixture.respond(total: 4, tag: "\"tag\"")
        engine.write("fi")
        fail(.network)
        fixture.time.now += 10_000_000_000
        _ = fixture.transfers.schedule()
        let held = try #require(engine.orders.last?.held)
        #expect(held.length == 2 && held.total == 4 && held.validators.entityTag == "\"tag\"")
        #expect(engine.orders.last?.descriptors.contains(.errorPage) == true)
    }

    @Test func newContentReplacesTheStoredValidators() throws {
        let transfer = try fixture.start()
        fixture.respond(total: 4, tag: "\"old\"")
        engine.write("fi")
        engine.onEvent(.checkpoint(transfer: fixture.run, durableLength: 2))
        fixture.respond(.changedContent, total: 9, tag: "\"new\"")
        let part = try #require(try storedPart(transfer))
        #expect(part.durable.length == 0 && part.total == 9 && part.validators.entityTag == "\"new\"")
    }

    @Test func anEmptiedPartHasNoValidators() throws {
        let transfer = try fixture.start()
        fixture.respond(tag: "\"old\"")
        engine.onEvent(.emptied(transfer: fixture.run))
        #expect(try storedPart(transfer)?.validators == PartRow.Validators())
    }

    @Test func aBusyServerClosesItsHostForOtherTransfers() throws {
        _ = try fixture.start("a")
        fail(.busy, retryAfter: 100)
        let other = try fixture.start("b")
        #expect(other.machine.state == .waiting(.hostSlots) && engine.orders.count == 1)
    }

    @Test(arguments: [
        (EngineFailure.Kind.certificate, TransferFailure.certificate), (.tooManyRedirects, .tooManyRedirects),
        (.refusedRedirect, .redirectRefused), (.invalidAddress, .unsupportedURL), (.tooLarge, .tooLarge),
        (.unreadableUpload, .unreadableFile),
    ]) func permanentFailuresEndTheTransfer(_ kind: EngineFailure.Kind, _ failure: TransferFailure) throws {
        let fixture = try ServiceFixture(deliversEvents: true)
        let transfer = try fixture.start()
        fixture.engine.onEvent(.failed(transfer: fixture.run, EngineFailure(kind, "because")))
        #expect(transfer.machine.state == .failed(failure))
        #expect(transfer.snapshot(now: .zero).activity.text == "failed: because")
    }

    @Test func aFullDiskIsWaitedFor() throws {
        let transfer = try fixture.start()
        fail(.disk, code: ENOSPC)
        #expect(transfer.machine.state == .waiting(.disk(errorNumber: ENOSPC)))
        fixture.time.now += 31_000_000_000
        _ = fixture.transfers.schedule()
        #expect(engine.orders.count == 2)
    }

    @Test func anErrorOfTheDiskDiscardsTheBytesAfterTheCheckpoint() throws {
        _ = try fixture.start()
        fixture.respond(total: 8)
        engine.write("film")
        engine.onEvent(.checkpoint(transfer: fixture.run, durableLength: 4))
        engine.write("more")
        fail(.disk, code: EIO)
        #expect(try fixture.scratch.text(fixture.files[0]) == "film")
    }

    @Test("a full disk that is noticed by a synchronisation discards the bytes after the checkpoint")
    func bytesThatCouldNotBeSynchronisedAreDiscarded() throws {
        _ = try fixture.start()
        fixture.respond(total: 9)
        engine.write("film")
        engine.onEvent(.checkpoint(transfer: fixture.run, durableLength: 4))
        engine.write("holes")
        let failure = EngineFailure(.disk, "full", code: ENOSPC, durableLength: 9, mayHaveLostBytes: true)
        engine.onEvent(.failed(transfer: fixture.run, failure))
        fixture.time.now += 31_000_000_000
        _ = fixture.transfers.schedule()
        #expect(engine.orders.map(\.held.length) == [0, 4])
    }

    @Test func suspendingStopsTheRunAndKeepsThePart() throws {
        let transfer = try fixture.start()
        fixture.transfers.handle(.suspend, of: transfer)
        #expect(engine.commands.last == .stop(transfer: fixture.run))
        #expect(transfer.machine.state == .paused && fixture.files.count == 1)
    }

    @Test func aTransferDoesNotStartAgainBeforeItsRunHasStopped() throws {
        let transfer = try fixture.start()
        fixture.transfers.handle(.suspend, of: transfer)
        fixture.transfers.handle(.resume, of: transfer)
        _ = fixture.transfers.schedule()
        #expect(engine.orders.count == 1)
        engine.onEvent(.stopped(transfer: fixture.run, durableLength: 0))
        _ = fixture.transfers.schedule()
        #expect(engine.orders.count == 2)
    }

    @Test func cancellingRemovesThePartAfterTheRunHasStopped() throws {
        let transfer = try fixture.start()
        let run = fixture.run
        fixture.transfers.handle(.cancel, of: transfer)
        #expect(fixture.files.count == 1)
        engine.onEvent(.stopped(transfer: run, durableLength: 0))
        #expect(fixture.files == [])
    }

    @Test func reportsOfUnknownRunsHaveNoEffect() throws {
        let transfer = try fixture.start()
        engine.onEvent(.finished(transfer: 99, length: 4, status: 200))
        engine.onEvent(.progress(transfer: 99, length: 4))
        #expect(transfer.machine.state == .connecting && transfer.received == 0)
    }

    @Test func afterACrashOfTheEngineTheTransferStartsAgain() throws {
        let transfer = try fixture.start()
        engine.onExit()
        #expect(transfer.machine.state == .queued && transfer.run == nil)
        _ = fixture.transfers.schedule()
        #expect(engine.orders.count == 2)
    }

    @Test func anEngineThatExitsDuringTheOrderLosesNoTransfer() throws {
        let transfer = try fixture.create()
        fixture.transfers.handle(.resume, of: transfer)
        engine.isRunning = false
        _ = fixture.transfers.schedule()
        #expect(transfer.machine.state == .queued)
    }

    @Test func onlyEightTransfersRunAndFourOfAHost() throws {
        for number in 0..<6 { _ = try fixture.start("a\(number)") }
        #expect(engine.orders.count == 4)
        for number in 0..<6 {
            _ = try fixture.start("b\(number)") { $0.request.address = "https://other.org/\(number)" }
        }
        #expect(engine.orders.count == 8)
    }

    @Test func anEndedTransferMakesRoom() throws {
        for number in 0..<5 { _ = try fixture.start("a\(number)") }
        fixture.finish()
        _ = fixture.transfers.schedule()
        #expect(engine.orders.count == 5)
    }

    @Test func theTimeLimitEndsATransfer() throws {
        let fixture = try ServiceFixture(deliversEvents: true)
        let transfer = try fixture.start()
        fixture.time.now += 7 * 86_400 * 1_000_000_000
        _ = fixture.transfers.schedule()
        #expect(transfer.machine.state == .failed(.resourceTimeout))
    }

    @Test func aTransferDoesNotBeginBeforeItsTime() throws {
        let transfer = try fixture.start { $0.earliestBegin = 5_010_000_000_000 }
        guard case .waiting(.time) = transfer.machine.state else { throw TestFailure("\(transfer.machine.state)") }
        fixture.time.now += 11_000_000_000
        fixture.time.wall += 11_000_000_000
        _ = fixture.transfers.schedule()
        #expect(engine.orders.count == 1)
    }

    @Test func quirksOfAHostReachTheNextOrder() throws {
        engine.onEvent(.quirksObserved(host: "example.org", .hasNoRanges))
        _ = try fixture.start()
        #expect(engine.orders.first?.quirks == .hasNoRanges)
    }

    @Test func aPlainAddressNeedsThePermissionOfTheSession() {
        #expect(throws: ClientEvent.Refusal.self) {
            try fixture.start { $0.request.address = "http://example.org/" }
        }
    }

    @Test func theHistoryKnowsTheLengthOfAFile() throws {
        let transfer = try fixture.start()
        fixture.finish("film")
        #expect(try fixture.sessions.ledger.task(transfer.row.id)?.progress.bytes == 4)
    }
}
