import BackgroundProtocol
import LedgerStore
import TestSupport
import Testing
import TransferPolicy

@testable import BackgroundService

/// Responses such as 404, whose body is a page and not the content.
@Suite struct TransferErrorPageTests {
    private let fixture: ServiceFixture

    init() throws { fixture = try ServiceFixture(deliversEvents: true) }

    /// Starts a transfer whose first attempt receives a part, and whose second attempt receives the head of a page.
    private func startWithPage() throws -> Transfer {
        try startWithPage(fixture) { $0.hasDirectory = false }
    }

    @discardableResult
    private func startWithPage(_ fixture: ServiceFixture, _ change: (inout TaskRequest) -> Void = { _ in }) throws
        -> Transfer
    {
        let transfer = try fixture.start("film.mkv", change)
        fixture.respond(total: 9)
        fixture.engine.write("part")
        fixture.engine.onEvent(.failed(transfer: fixture.run, EngineFailure(.network, "cut", durableLength: 4)))
        fixture.time.now += 10_000_000_000
        _ = fixture.transfers.schedule()
        fixture.respond(.errorPage, total: nil, tag: nil, status: 404)
        return transfer
    }

    /// Finishes the page of the last order.
    private func finishPage() {
        fixture.engine.write("no film", toErrorPage: true)
        fixture.engine.onEvent(.finished(transfer: fixture.run, length: 7, status: 404))
    }

    @Test("the page takes the place of the received part once it is whole")
    func aPageReplacesThePart() throws {
        let transfer = try startWithPage()
        finishPage()
        #expect(transfer.machine.state == .finished && transfer.row.progress.status == 404)
        #expect(fixture.files == ["film.mkv"])
        #expect(try fixture.scratch.text("film.mkv") == "no film")
        #expect(try fixture.sessions.ledger.eventCount(ofSession: fixture.session.row.id) == 2)
    }

    @Test func aPageThatIsCutLeavesThePartUntouched() throws {
        _ = try startWithPage()
        fixture.engine.write("no", toErrorPage: true)
        fixture.engine.onEvent(.failed(transfer: fixture.run, EngineFailure(.network, "cut", durableLength: 4)))
        fixture.time.now += 10_000_000_000
        _ = fixture.transfers.schedule()
        #expect(fixture.engine.orders.last?.held.length == 4)
        #expect(fixture.engine.orders.last?.held.validators.entityTag == "\"a\"")
    }

    @Test("a crash after the page was stored leaves neither the part nor the page under another name")
    func aCrashAfterAPageLeavesNoFile() throws {
        _ = try startWithPage()
        // The ledger stores the page before it removes the part; a copy of the part is what a crash leaves.
        let part = try #require(fixture.files.first { $0.hasPrefix(".film.mkv.") })
        finishPage()
        try run("touch", [fixture.scratch.file(part)])
        try fixture.restart()
        #expect(fixture.files == ["film.mkv"])
    }

    @Test func anErrorPageFailsATransferOfTheUser() throws {
        let fixture = try ServiceFixture()
        let transfer = try fixture.start()
        fixture.respond(.errorPageInPart, status: 404)
        fixture.engine.write("page")
        fixture.engine.onEvent(.finished(transfer: fixture.run, length: 4, status: 404))
        #expect(transfer.snapshot(now: .zero).activity.text.contains("status 404"))
        #expect(fixture.files == [])
    }

    @Test("a page of a transfer of the user that has received a part leaves no file")
    func aPageBesideAPartLeavesNoFile() throws {
        let fixture = try ServiceFixture()
        try startWithPage(fixture)
        fixture.engine.write("page", toErrorPage: true)
        fixture.engine.onEvent(.finished(transfer: fixture.run, length: 4, status: 404))
        #expect(fixture.files == [])
    }

    @Test("a page that arrives whole after its transfer was suspended does not replace the received part")
    func aPageOfASuspendedTransferIsDiscarded() throws {
        let transfer = try startWithPage()
        fixture.transfers.handle(.suspend, of: transfer)
        finishPage()
        #expect(transfer.machine.state == .paused && fixture.files == [".film.mkv.00000001.part"])
        fixture.transfers.handle(.resume, of: transfer)
        _ = fixture.transfers.schedule()
        #expect(fixture.engine.orders.last?.held.length == 4)
        fixture.respond(.rest, total: 9, status: 206)
        fixture.engine.write(" five")
        fixture.engine.onEvent(.finished(transfer: fixture.run, length: 9, status: 206))
        #expect(transfer.machine.state == .finished && fixture.files == ["film.mkv"])
        #expect(try fixture.scratch.text("film.mkv") == "part five")
        #expect(transfer.row.progress.status == 200, "the page belongs to an earlier attempt")
    }

    @Test("the part of a file that is called like the file for pages is not removed")
    func aPartWithTheNameOfAPageStays() throws {
        _ = try fixture.start("error-page")
        fixture.respond(total: 9)
        fixture.engine.write("part")
        fixture.engine.onEvent(.failed(transfer: fixture.run, EngineFailure(.network, "cut", durableLength: 4)))
        fixture.time.now += 10_000_000_000
        _ = fixture.transfers.schedule()
        #expect(fixture.files == [".error-page (2).00000001.part", ".error-page.00000001.part"])
        #expect(try fixture.scratch.text(".error-page.00000001.part") == "part")
        fixture.engine.onExit()
        #expect(fixture.files == [".error-page.00000001.part"])
    }

    @Test("a page that arrives whole after its transfer was cancelled leaves neither a file nor the transfer")
    func aPageOfACancelledTransferLeavesNoFile() throws {
        let fixture = try ServiceFixture()
        let id = try startWithPage(fixture).row.id
        fixture.transfers.handle(.cancel, of: try #require(fixture.transfers.transfers[id]))
        fixture.engine.write("page", toErrorPage: true)
        fixture.engine.onEvent(.finished(transfer: fixture.run, length: 4, status: 404))
        #expect(fixture.files == [] && fixture.transfers.transfers[id] == nil)
    }

    @Test("a page that was cut does not stay when the transfer is cancelled")
    func aCutPageIsRemoved() throws {
        let transfer = try startWithPage()
        fixture.engine.write("no", toErrorPage: true)
        fixture.engine.onEvent(.failed(transfer: fixture.run, EngineFailure(.network, "cut", durableLength: 4)))
        #expect(fixture.files.contains { $0.contains("error-page") } == false)
        fixture.transfers.handle(.cancel, of: transfer)
        #expect(fixture.files == [".film.mkv.00000001.part"])
    }
}
