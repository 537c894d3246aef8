import BackgroundProtocol
import Glibc
import SystemCalls
import TestSupport
import Testing
import WireFormat

@testable import TransferEngine
@testable import TransferPolicy

@Suite struct EngineOutputTests {
    /// Returns the event of a response with a status.
    private func response(_ status: UInt16) -> EngineEvent {
        .response(transfer: 1, EngineResponse(status: status, use: .whole, address: "https://example.org/"))
    }

    @Test func anEventThatTheLedgerRejectsIsAFailureOfItsTransfer() throws {
        try EngineOutput.check(response(200))
        let text = "the server sent a response that cannot be handled: an invalid status"
        #expect(throws: EngineFailure(.badResponse, text)) { try EngineOutput.check(response(999)) }
    }

    @Test("a response that the ledger would reject is not reported, and changes no file")
    func anInvalidResponseChangesNoFile() throws {
        let directory = try TemporaryDirectory()
        let file = try TestFile(directory.file("part"), Array("film".utf8))
        let part = SharedDescriptor(try FileDescriptor(opening: directory.file("part"), flags: O_RDWR))
        let (transfer, ledger) = try EngineTransfer.continuing(part, heldLength: 4)
        transfer.exchange.head = ReplyHead(status: 999, fields: [])
        #expect(throws: EngineFailure.self) { try transfer.beginBody(BodyPlan(use: .restart)) }
        #expect(try file.content == Array("film".utf8))
        if case .message(let message) = ledger.receive() { Issue.record("\(message.bytes)") }
    }
}
