import Testing

@testable import CompositorProtocol

@Suite struct ProtocolVersionTests {
    @Test func newestCommonProtocolVersionIsChosen() {
        let (current, oldest) = (ProtocolVersion.current, ProtocolVersion.oldest)
        #expect(oldest <= current)
        #expect(ProtocolVersion.negotiate(current: current, oldest: oldest) == current)
        #expect(
            ProtocolVersion.negotiate(current: .max, oldest: 0) == current,
            "a newer program that supports the current version")
        #expect(
            ProtocolVersion.negotiate(current: .max, oldest: current + 1) == nil,
            "a newer program that does not support the current version")
        #expect(ProtocolVersion.negotiate(current: oldest - 1, oldest: 0) == nil, "a program that is too old")
        #expect(
            ProtocolVersion.negotiate(current: 0, oldest: .max) == nil,
            "a program whose oldest version exceeds its current version")
    }
}
