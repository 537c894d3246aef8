import BackgroundProtocol
import Glibc
import LedgerStore
import TestSupport
import Testing
import TransferPolicy

@testable import BackgroundService

/// Downloads that their program cancels with resume data, and continues.
@Suite struct TransferResumeDataTests {
    private let fixture: ServiceFixture

    init() throws { fixture = try ServiceFixture(deliversEvents: true) }

    /// Starts a download of four bytes, of which two arrive.
    private func startWithPart() throws -> Transfer {
        let transfer = try fixture.start { $0.hasDirectory = false }
        fixture.respond(total: 4)
        fixture.engine.write("fi")
        fixture.engine.onEvent(.progress(transfer: fixture.run, length: 2))
        return transfer
    }

    /// Cancels a download with resume data; the engine stops then.
    private func setAside(_ transfer: Transfer) throws -> ResumeToken {
        try fixture.transfers.setAside(transfer)
        fixture.engine.onEvent(.stopped(transfer: fixture.run, durableLength: 2))
        return ResumeToken(task: transfer.row.id, address: transfer.row.request.url)
    }

    private func takeBack(_ token: ResumeToken, isInBackground: Bool = false) throws -> Transfer {
        try fixture.transfers.takeBack(token, in: fixture.session, isInBackground: isInBackground)
    }

    @Test("a download continues at its last byte, also after a crash of the service, without an event of the cancel")
    func aDownloadContinuesAtItsLastByte() throws {
        let token = try setAside(startWithPart())
        #expect(fixture.transfers.transfers[token.task]?.machine.state == .paused)
        try fixture.restart()
        #expect(fixture.transfers.transfers[token.task]?.isSetAside == true)
        let transfer = try takeBack(token)
        #expect(transfer.machine.state == .paused && !transfer.isSetAside && transfer.received == 2)
        fixture.transfers.handle(.resume, of: transfer)
        _ = fixture.transfers.schedule()
        #expect(fixture.engine.orders.last?.held.length == 2)
        #expect(try fixture.sessions.ledger.eventCount(ofSession: fixture.session.row.id) == 0)
    }

    @Test("both commands may be repeated, as after a lost answer")
    func repeatedCommandsHaveNoEffect() throws {
        let transfer = try startWithPart()
        let token = try setAside(transfer)
        try fixture.transfers.setAside(transfer)
        #expect(try takeBack(token) === transfer)
        #expect(try takeBack(token) === transfer)
        #expect(!transfer.isSetAside)
    }

    @Test func aDownloadWithoutBytesCannotContinue() throws {
        let transfer = try fixture.start { $0.hasDirectory = false }
        #expect(throws: ClientEvent.Refusal.self) { try fixture.transfers.setAside(transfer) }
        #expect(transfer.machine.state == .connecting && !transfer.isSetAside)
    }

    @Test func aDownloadFromAServerWithoutRangesCannotContinue() throws {
        let transfer = try startWithPart()
        transfer.part?.isResumable = false
        #expect(throws: ClientEvent.Refusal.self) { try fixture.transfers.setAside(transfer) }
    }

    @Test func aDownloadWhoseFileWaitsForItsNameCannotContinue() throws {
        let transfer = try startWithPart()
        fixture.engine.write("lm")
        transfer.row.destination.directory = ServiceFixture.unusableDirectory
        fixture.engine.onEvent(.finished(transfer: fixture.run, length: 4, status: 200))
        #expect(transfer.machine.state == .waiting(.publication(errorNumber: ENAMETOOLONG)))
        let refusal = ClientEvent.Refusal(.invalid, "the transfer has no bytes with which it could continue")
        #expect(throws: refusal) { try fixture.transfers.setAside(transfer) }
        #expect(!transfer.isSetAside)
    }

    @Test("the data of another record, of another address and of a download that has ended are refused")
    func wrongDataAreRefused() throws {
        let transfer = try startWithPart()
        let token = try setAside(transfer)
        for wrong in [
            ResumeToken(task: token.task + 1, address: transfer.row.request.url),
            ResumeToken(task: token.task, address: "https://example.org/other.mkv"),
        ] {
            #expect(throws: ClientEvent.Refusal.self) { try takeBack(wrong) }
        }
        fixture.transfers.handle(.resume, of: try takeBack(token))
        #expect(throws: ClientEvent.Refusal.self) { try takeBack(token) }
    }

    @Test("the bytes are removed without an event when the time limit of the download has passed")
    func theTimeLimitRemovesTheBytes() throws {
        let transfer = try startWithPart()
        let token = try setAside(transfer)
        #expect(fixture.files.count == 1)
        fixture.time.now = transfer.deadline
        _ = fixture.transfers.schedule()
        #expect(fixture.files.isEmpty && fixture.transfers.transfers[token.task] == nil)
        #expect(try fixture.sessions.ledger.eventCount(ofSession: fixture.session.row.id) == 0)
        #expect(throws: ClientEvent.Refusal.self) { try takeBack(token) }
    }

    @Test("a download that is continued in the background waits for the delay of its program, like a new one")
    func aDownloadThatContinuesInTheBackgroundIsHeldBack() throws {
        let token = try setAside(startWithPart())
        fixture.session.client.relaunch.handleStart(now: fixture.transfers.clock.time)
        let transfer = try takeBack(token, isInBackground: true)
        #expect(transfer.relaunchDelayEnd != nil)
    }
}
