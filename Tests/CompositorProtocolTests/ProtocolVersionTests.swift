import Testing

@testable import CompositorProtocol

@Suite struct ProtocolVersionTests {
    @Test func newestCommonVersionIsChosen() {
        let (current, oldest) = (ProtocolVersion.current, ProtocolVersion.oldest)
        #expect(oldest <= current)
        #expect(ProtocolVersion.agree(current: current, oldest: oldest) == current)
        #expect(ProtocolVersion.agree(current: .max, oldest: 0) == current, "a newer program that still speaks ours")
        #expect(ProtocolVersion.agree(current: .max, oldest: current + 1) == nil, "one that does not")
        #expect(ProtocolVersion.agree(current: oldest - 1, oldest: 0) == nil, "one that is too old")
        #expect(ProtocolVersion.agree(current: 0, oldest: .max) == nil, "one that contradicts itself")
    }
}
