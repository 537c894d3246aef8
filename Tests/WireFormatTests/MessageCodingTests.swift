import Testing

@testable import WireFormat

@Suite struct MessageCodingTests {
    /// Returns whether `read` refuses the bytes as malformed.
    private func isMalformed<Value>(_ bytes: [UInt8], _ read: (inout MessageReader) throws(MalformedMessage) -> Value)
        -> Bool
    {
        var reader = MessageReader(bytes)
        do throws(MalformedMessage) {
            _ = try read(&reader)
            return false
        } catch { return true }
    }

    @Test func integersAreLittleEndianAndRoundTrip() throws {
        var writer = MessageWriter()
        writer.write(UInt32(0x0102_0304))
        #expect(writer.bytes == [4, 3, 2, 1])
        writer.write(Int64.min)
        writer.write(UInt16.max)
        writer.write(true)
        writer.write(Int32(-2))
        var reader = MessageReader(writer.bytes)
        #expect(try reader.read(UInt32.self) == 0x0102_0304)
        #expect(try reader.read(Int64.self) == .min)
        #expect(try reader.read(UInt16.self) == .max)
        #expect(try reader.read(Bool.self))
        #expect(try reader.read(Int32.self) == -2)
        try reader.expectEnd()
    }

    @Test(arguments: ["", "a", "Grüße 🎬", String(repeating: "x", count: WireLimits.stringBytes)]) func stringsRoundTrip(
        _ text: String
    ) throws {
        var writer = MessageWriter()
        writer.write(text)
        var reader = MessageReader(writer.bytes)
        #expect(try reader.read(String.self) == text)
        try reader.expectEnd()
    }

    @Test func longStringIsTruncatedAtACharacter() throws {
        var writer = MessageWriter()
        writer.write(String(repeating: "🎬", count: 1000))
        var reader = MessageReader(writer.bytes)
        #expect(try reader.read(String.self) == String(repeating: "🎬", count: WireLimits.stringBytes / 4))
    }

    @Test func truncatedValuesAreMalformed() {
        for count in 0..<8 {
            #expect(
                isMalformed([UInt8](repeating: 1, count: count)) { reader throws(MalformedMessage) in
                    try reader.read(UInt64.self)
                }
            )
        }
        #expect(isMalformed([5]) { reader throws(MalformedMessage) in try reader.read(String.self) })
        #expect(
            isMalformed([5, 0, 65, 66, 67, 68]) { reader throws(MalformedMessage) in try reader.read(String.self) })
    }

    @Test func longTextsRoundTripWithoutTruncation() throws {
        let text = String(repeating: "ü", count: 5000)
        var writer = MessageWriter()
        writer.writeText(text)
        var reader = MessageReader(writer.bytes)
        #expect(try reader.readText(limit: 10_000) == text)
        try reader.expectEnd()
    }

    @Test func aTextBeyondTheLimitIsMalformed() {
        var writer = MessageWriter()
        writer.writeText("abc")
        #expect(isMalformed(writer.bytes) { reader throws(MalformedMessage) in try reader.readText(limit: 2) })
        #expect(
            isMalformed(Array(writer.bytes.dropLast())) { reader throws(MalformedMessage) in
                try reader.readText(limit: 3)
            })
    }

    @Test(arguments: [nil, 7] as [UInt32?]) func optionalValuesRoundTrip(_ value: UInt32?) throws {
        var writer = MessageWriter()
        writer.writeOptional(value) { $0.write($1) }
        var reader = MessageReader(writer.bytes)
        #expect(
            try reader.readOptional { reader throws(MalformedMessage) in try reader.read(UInt32.self) } == value)
        try reader.expectEnd()
    }

    @Test func anOverlongStringIsMalformed() {
        let length = UInt16(WireLimits.stringBytes + 1)
        let bytes = [UInt8(length & 255), UInt8(length >> 8)] + [UInt8](repeating: 65, count: Int(length))
        #expect(isMalformed(bytes) { reader throws(MalformedMessage) in try reader.read(String.self) })
    }

    @Test func invalidUTF8IsMalformed() {
        for bytes: [UInt8] in [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80]] {
            #expect(
                isMalformed([UInt8(bytes.count), 0] + bytes) { reader throws(MalformedMessage) in
                    try reader.read(String.self)
                },
                "\(bytes)")
        }
    }

    @Test func onlyZeroAndOneAreValidBooleans() {
        #expect(!isMalformed([0]) { reader throws(MalformedMessage) in try reader.read(Bool.self) })
        for byte in 2...255 as ClosedRange<UInt8> {
            #expect(isMalformed([byte]) { reader throws(MalformedMessage) in try reader.read(Bool.self) })
        }
    }

    @Test func bytesAfterTheLastValueAreMalformed() {
        #expect(isMalformed([1]) { reader throws(MalformedMessage) in try reader.expectEnd() })
        #expect(!isMalformed([]) { reader throws(MalformedMessage) in try reader.expectEnd() })
    }

    @Test func everyStrictPrefixOfAMessageIsMalformed() throws {
        var writer = MessageWriter()
        writer.write(UInt16(7))
        writer.write("Grüße")
        writer.write(true)
        writer.write(Int64.min)
        func read(_ reader: inout MessageReader) throws(MalformedMessage) {
            _ = try reader.read(UInt16.self)
            _ = try reader.read(String.self)
            _ = try reader.read(Bool.self)
            _ = try reader.read(Int64.self)
            try reader.expectEnd()
        }
        for count in writer.bytes.indices {
            #expect(isMalformed(Array(writer.bytes[..<count]), read), "\(count) bytes")
        }
        #expect(!isMalformed(writer.bytes, read) && isMalformed(writer.bytes + [0], read))
    }

    @Test func aStringMayBeginWithACombiningCharacter() throws {
        var writer = MessageWriter()
        writer.write("e")
        writer.write("\u{301}x")
        var reader = MessageReader(writer.bytes)
        #expect(try Array(reader.read(String.self).unicodeScalars) == ["e"])
        #expect(try Array(reader.read(String.self).unicodeScalars) == ["\u{301}", "x"])
    }
}
