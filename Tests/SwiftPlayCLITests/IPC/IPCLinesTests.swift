import Testing

@testable import SwiftPlayCLI

/// What clients read: one line of JSON for each answer and event.
@Suite struct IPCLinesTests {
    private func line(_ reply: IPCReply) -> String {
        var bytes: [UInt8] = []
        reply.encode(into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func line(_ event: IPCEvent) -> String {
        var bytes: [UInt8] = []
        event.encode(into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func anAnswerHasDataThenItsNumberThenTheError() {
        #expect(
            line(IPCReply(requestID: 7, outcome: .success(true))) == #"{"data":true,"request_id":7,"error":"success"}"#
                + "\n")
    }

    @Test func anAnswerWithoutDataLeavesItOut() {
        #expect(line(IPCReply(requestID: 0, outcome: .success(nil))) == #"{"request_id":0,"error":"success"}"# + "\n")
        #expect(
            line(IPCReply(requestID: 0, outcome: .success(.null))) == #"{"data":null,"request_id":0,"error":"success"}"#
                + "\n")
    }

    @Test(arguments: IPCError.allCases) func aFailureSaysMPVsWords(_ error: IPCError) {
        #expect(
            line(IPCReply(requestID: 1, outcome: .failure(error))) == #"{"request_id":1,"error":"\#(error.rawValue)"}"#
                + "\n")
    }

    @Test func theNumberMayBeAnyValue() {
        #expect(
            line(IPCReply(requestID: "a\nb", outcome: .success(nil))) == #"{"request_id":"a\nb","error":"success"}"#
                + "\n")
    }

    @Test func anEventKeepsTheOrderOfItsFields() {
        #expect(
            line(IPCEvent("end-file", ["reason": "eof", "playlist_entry_id": 1]))
                == #"{"event":"end-file","reason":"eof","playlist_entry_id":1}"# + "\n")
        #expect(line(IPCEvent.overflow) == #"{"event":"event-queue-overflow"}"# + "\n")
    }

    @Test func aLineHasNoOtherLineBreak() {
        let event = line(IPCEvent("client-message", ["args": ["one\ntwo\r", "\u{2028}"]]))
        #expect(event.utf8.count { $0 == 10 } == 1 && event.utf8.count { $0 == 13 } == 0)
    }
}
