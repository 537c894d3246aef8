import Testing

@testable import WireFormat

@Suite struct WireLimitsTests {
    @Test(arguments: [1, 2, 3, 4]) func truncationNeverSplitsAUnicodeScalar(_ shift: Int) throws {
        // The four values of `shift` place the length limit at each byte of a character of four bytes.
        let text = String(repeating: "x", count: shift) + String(repeating: "🎬", count: 400)
        var writer = MessageWriter()
        writer.write(text)
        var reader = MessageReader(writer.bytes)
        let readText = try reader.read(String.self)
        #expect(
            text.hasPrefix(readText) && readText.utf8.count <= WireLimits.stringBytes
                && readText.utf8.count > WireLimits.stringBytes - 4)
    }

    @Test func truncationNeverSplitsAGraphemeCluster() throws {
        let family = "👨‍👩‍👧‍👦"
        var writer = MessageWriter()
        writer.write(String(repeating: family, count: 100))
        var reader = MessageReader(writer.bytes)
        let readText = try reader.read(String.self)
        #expect(
            readText.allSatisfy { String($0) == family } && readText.count == WireLimits.stringBytes / family.utf8.count
        )
    }

    @Test func readingFromAnEmptyMessageFails() {
        var reader = MessageReader([])
        #expect(throws: MalformedMessage("an integer is cut off")) { try reader.read(UInt8.self) }
        #expect(throws: Never.self) { try MessageReader([]).expectEnd() }
    }

    @Test func readerBeginsAtTheStartOfASlice() throws {
        var reader = MessageReader([9, 9, 1, 2, 3, 4][2...])
        #expect(try reader.read(UInt32.self) == 0x0403_0201)
        try reader.expectEnd()
    }

    @Test func failedReadConsumesNoBytes() throws {
        var reader = MessageReader([7, 8])
        #expect(throws: MalformedMessage.self) { try reader.read(UInt32.self) }
        #expect(try reader.read(UInt16.self) == 0x0807)
    }

    @Test func errorStatesTheNumberOfBytesAfterTheLastValue() {
        #expect(throws: MalformedMessage("2 bytes are left over")) { try MessageReader([1, 2]).expectEnd() }
        #expect("\(MalformedMessage("x"))" == "malformed message: x")
    }

    @Test(arguments: [Int64.min, -1, 0, 1, .max]) func signedIntegersRoundTrip(_ value: Int64) throws {
        var writer = MessageWriter()
        writer.write(value)
        var reader = MessageReader(writer.bytes)
        #expect(writer.bytes.count == 8)
        #expect(try reader.read(Int64.self) == value)
    }
}
