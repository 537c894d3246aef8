import TestSupport
import Testing

@testable import PushPolicy

@Suite struct NtfyLineTests {
    private func line(_ text: String) -> NtfyLine? { NtfyLine(Array(text.utf8)) }

    @Test func aMessageHasItsText() {
        let read = line(
            #"{"id":"hwQ2YpKdmg","time":1635528741,"event":"message","topic":"t","message":"Disk \"full\" ä"}"#)
        #expect(
            read == .message(NtfyMessage(id: "hwQ2YpKdmg", topic: "t", bytes: Array("Disk \"full\" ä".utf8))))
    }

    @Test func bytesThatAreNoTextAreBase64() {
        let read = line(#"{"id":"1","event":"message","topic":"t","message":"/wB7","encoding":"base64"}"#)
        #expect(read == .message(NtfyMessage(id: "1", topic: "t", bytes: [0xFF, 0, 0x7B])))
    }

    @Test(arguments: [
        #"{"id":"1","event":"open","topic":"t"}"#, #"{"id":"1","event":"keepalive","topic":"t"}"#,
        #"{"id":"1","event":"poll_request","topic":"t"}"#, #"{"id":"1","event":"message"}"#,
        #"{"id":"1","event":"message","topic":"t","message":"file","attachment":{"url":"https://e/a"}}"#,
    ])
    func otherEventsCarryNothing(text: String) { #expect(line(text) == .other) }

    @Test(arguments: [
        "", "<html>", "[]", "{}", #"{"id":"1"}"#, #"{"id":7,"event":"message"}"#,
        #"{"id":"1","event":"message","topic":"t","message":"?","encoding":"base64"}"#,
    ])
    func otherTextsAreNoLines(text: String) { #expect(line(text) == nil) }

    @Test(
        arguments: [
            ("", []), ("Zg==", Array("f".utf8)), ("Zg", Array("f".utf8)), ("Zm8=", Array("fo".utf8)),
            ("Zm9v", Array("foo".utf8)), ("Zm9vYg==", Array("foob".utf8)), ("+/+/", [0xFB, 0xFF, 0xBF]),
        ] as [(String, [UInt8])])
    func base64IsDecoded(text: String, bytes: [UInt8]) { #expect(Base64.decode(text) == bytes) }

    @Test(arguments: ["Z", "Zm9vY", "Zm-v", "Zg==Zg", "ä"])
    func invalidBase64IsRefused(text: String) { #expect(Base64.decode(text) == nil) }
}
