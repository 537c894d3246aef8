import Testing

@testable import PushPolicy

@Suite struct PushPayloadTests {
    @Test(arguments: [
        ("{\"aps\":{\"content-available\":1}}", true, false), ("{\"aps\":{\"content-available\":true}}", true, false),
        ("{\"aps\":{\"content-available\":1.0}}", true, false),
        ("{\"aps\":{\"content-available\":1,\"alert\":\"new\"}}", true, true),
        ("{\"aps\":{\"alert\":{\"title\":\"new\"}}}", false, true), ("{\"aps\":{\"sound\":\"a\"}}", false, true),
        ("{\"aps\":{\"badge\":3,\"content-available\":0}}", false, true),
        ("{\"aps\":{\"content-available\":1,\"alert\":null},\"id\":7}", true, false),
    ])
    func theMembersOfApsAreRead(_ text: String, _ isContentAvailable: Bool, _ hasAlert: Bool) throws {
        let payload = try PushPayload(json: Array(text.utf8))
        #expect(payload.isContentAvailable == isContentAvailable && payload.hasAlert == hasAlert)
        #expect(payload.isSilent == (isContentAvailable && !hasAlert) && payload.bytes == Array(text.utf8))
    }

    @Test(arguments: [
        "{}", "{\"aps\":{}}", "{\"aps\":{\"content-available\":0}}", "{\"content-available\":1}",
        "{\"aps\":{\"content-available\":\"1\"}}", "{\"aps\":[{\"content-available\":1}]}", "{\"aps\":1}",
        "{\"aps\":{\"x\":{\"alert\":1}}}",
    ])
    func aPayloadWithoutEffectIsRefused(_ text: String) {
        #expect(throws: PushPayload.Refusal.withoutEffect) { try PushPayload(json: Array(text.utf8)) }
    }

    @Test func aPayloadHasOneTo4096Bytes() throws {
        let start = Array("{\"aps\":{\"content-available\":1},\"x\":\"".utf8)
        let end = Array("\"}".utf8)
        func payload(_ count: Int) -> [UInt8] {
            start + [UInt8](repeating: 97, count: count - start.count - end.count) + end
        }
        _ = try PushPayload(json: payload(4096))
        #expect(throws: PushPayload.Refusal.tooLarge(bytes: 4097)) { try PushPayload(json: payload(4097)) }
        #expect(throws: PushPayload.Refusal.empty) { try PushPayload(json: []) }
        #expect(throws: PushPayload.Refusal.invalidJSON) { try PushPayload(json: [0x7b]) }
    }

    @Test func anOpaquePayloadKeepsAnyBytes() throws {
        let bytes = [UInt8](repeating: 0xff, count: 4096)
        let payload = try PushPayload(opaque: bytes)
        #expect(payload.bytes == bytes && payload.isSilent)
        #expect(throws: PushPayload.Refusal.tooLarge(bytes: 4097)) { try PushPayload(opaque: bytes + [0]) }
        #expect(throws: PushPayload.Refusal.empty) { try PushPayload(opaque: []) }
    }

    @Test func refusalsHaveDifferentTexts() {
        let refusals: [PushPayload.Refusal] = [.empty, .tooLarge(bytes: 5000), .invalidJSON, .withoutEffect]
        #expect(Set(refusals.map(\.text)).count == 4)
        #expect(PushPayload.Refusal.tooLarge(bytes: 5000).text.contains("5000"))
    }
}
