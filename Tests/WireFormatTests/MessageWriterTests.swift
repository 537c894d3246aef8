import Testing

@testable import WireFormat

@Suite struct MessageWriterTests {
    /// Returns the bytes that `write` writes.
    private func bytes(_ write: (inout MessageWriter) -> Void) -> [UInt8] {
        var writer = MessageWriter()
        write(&writer)
        return writer.bytes
    }

    @Test("Negative integers are in two's complement")
    func negativeIntegersAreInTwosComplement() {
        #expect(bytes { $0.write(Int16(-2)) } == [0xFE, 0xFF] && bytes { $0.write(Int8.min) } == [0x80])
    }

    @Test("A boolean is one byte, 0 or 1")
    func booleanIsOneByte() {
        #expect(bytes { $0.write(false) } == [0] && bytes { $0.write(true) } == [1])
    }

    @Test("A string is preceded by its length in bytes, not in characters")
    func stringIsPrecededByItsLengthInBytes() {
        #expect(bytes { $0.write("") } == [0, 0])
        #expect(bytes { $0.write("aä") } == [3, 0, 0x61, 0xC3, 0xA4])
        #expect(bytes { $0.write("a\0b") } == [3, 0, 0x61, 0, 0x62], "a zero byte does not end the string")
    }

    @Test("A string of one character that exceeds the limit becomes empty")
    func characterThatExceedsTheLimitBecomesAnEmptyString() {
        let character = "e" + String(repeating: "\u{301}", count: WireLimits.stringBytes)
        #expect(character.count == 1)
        #expect(bytes { $0.write(character) } == [0, 0])
    }

    @Test("Values follow each other without padding")
    func valuesFollowEachOtherWithoutPadding() {
        let message = bytes {
            $0.write(UInt8(1))
            $0.write(UInt32(2))
            $0.write("x")
            $0.write(true)
        }
        #expect(message == [1, 2, 0, 0, 0, 1, 0, 0x78, 1])
    }
}
