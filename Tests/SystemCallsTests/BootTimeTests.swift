import Testing

@testable import SystemCalls

@Suite struct BootTimeTests {
    @Test func bootTimeIncludesTheHostTime() {
        let hostTime = MonotonicTime.now
        #expect(BootTime.now >= hostTime)
    }

    @Test func theIdentifierOfTheStartIsAStableUUID() {
        #expect(BootTime.identifier().count == 36)
        #expect(BootTime.identifier() == BootTime.identifier())
    }
}
