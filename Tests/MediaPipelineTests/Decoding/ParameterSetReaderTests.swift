import Testing

@testable import MediaPipeline

@Suite struct ParameterSetReaderTests {
    @Test func preventionBytesAreSkipped() {
        var reader = ParameterSetReader([0, 0, 3, 0x80, 0, 0, 1])
        reader.skipBits(16)
        #expect(reader.bit() == 1)
        // The 1 after 30 zeros: a number of 30 bits would follow.
        reader.skipNumbers(1)
        #expect(reader.bit() == nil)
    }
}
