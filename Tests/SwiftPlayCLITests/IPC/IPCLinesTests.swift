import Testing

@testable import SwiftPlayCLI

/// Tests of the lines that the server sends to its clients: one line of JSON for each reply and event.
@Suite struct IPCLinesTests {
    private func json(_ reply: IPCReply) -> String {
        var bytes: [UInt8] = []
        reply.encode(into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func json(_ event: IPCEvent) -> String {
        var bytes: [UInt8] = []
        event.encode(into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func aReplyContainsDataThenTheRequestIDThenTheError() {
        #expect(
            json(IPCReply(requestID: 7, outcome: .success(true))) == #"{"data":true,"request_id":7,"error":"success"}"#
                + "\n")
    }

    @Test func aReplyWithoutDataOmitsTheField() {
        #expect(json(IPCReply(requestID: 0, outcome: .success(nil))) == #"{"request_id":0,"error":"success"}"# + "\n")
        #expect(
            json(IPCReply(requestID: 0, outcome: .success(.null))) == #"{"data":null,"request_id":0,"error":"success"}"#
                + "\n")
    }

    @Test(arguments: IPCError.allCases) func aFailedReplyContainsTheErrorTextOfMPV(_ error: IPCError) {
        #expect(
            json(IPCReply(requestID: 1, outcome: .failure(error))) == #"{"request_id":1,"error":"\#(error.rawValue)"}"#
                + "\n")
    }

    @Test func theRequestIDMayBeAnyValue() {
        #expect(
            json(IPCReply(requestID: "a\nb", outcome: .success(nil))) == #"{"request_id":"a\nb","error":"success"}"#
                + "\n")
    }

    @Test func anEventKeepsTheOrderOfItsFields() {
        #expect(
            json(IPCEvent("end-file", ["reason": "eof", "playlist_entry_id": 1]))
                == #"{"event":"end-file","reason":"eof","playlist_entry_id":1}"# + "\n")
        #expect(json(IPCEvent.overflow) == #"{"event":"event-queue-overflow"}"# + "\n")
    }

    @Test func aLineContainsOneLineBreak() {
        let event = json(IPCEvent("client-message", ["args": ["one\ntwo\r", "\u{2028}"]]))
        #expect(event.utf8.count { $0 == 10 } == 1 && event.utf8.count { $0 == 13 } == 0)
    }
}
