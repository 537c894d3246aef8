import BackgroundProtocol
import Testing

@testable import TransferEngine

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
}
