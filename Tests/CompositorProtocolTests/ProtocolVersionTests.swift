import Testing

@testable import CompositorProtocol

@Suite struct ProtocolVersionTests {
    @Test func newestCommonProtocolVersionIsChosen() {
        let (newest, oldest) = (ProtocolVersion.newest, ProtocolVersion.oldest)
        #expect(oldest <= newest)
        #expect(ProtocolVersion.negotiate(newest: newest, oldest: oldest) == newest)
        #expect(
            ProtocolVersion.negotiate(newest: .max, oldest: 0) == newest,
            "a newer program that supports the newest version")
        #expect(
            ProtocolVersion.negotiate(newest: .max, oldest: newest + 1) == nil,
            "a newer program that does not support the newest version")
        #expect(ProtocolVersion.negotiate(newest: oldest - 1, oldest: 0) == nil, "a program that is too old")
        #expect(
            ProtocolVersion.negotiate(newest: 0, oldest: .max) == nil,
            "a program whose oldest version exceeds its newest version")
    }
}
