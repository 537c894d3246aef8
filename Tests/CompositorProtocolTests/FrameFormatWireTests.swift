import SharedFrames
import Testing
import WireFormat

@testable import CompositorProtocol

@Suite struct FrameFormatWireTests {
    /// Returns the encoding of ``MessageSamples/format()``.
    private func encodedFormat() throws -> [UInt8] {
        var writer = MessageWriter()
        try MessageSamples.format().write(to: &writer)
        return writer.bytes
    }

    /// Decodes a frame format; throws if bytes are left over.
    private func read(_ bytes: [UInt8]) throws(MalformedMessage) -> FrameFormat {
        var reader = MessageReader(bytes)
        let format = try FrameFormat(from: &reader)
        try reader.expectEnd()
        return format
    }

    /// Returns the encoding of ``MessageSamples/format()``, in which `replacement` replaces the bytes at `offset`.
    private func encodedFormat(changedAt offset: Int, _ replacement: [UInt8]) throws -> [UInt8] {
        var bytes = try encodedFormat()
        bytes.replaceSubrange(offset..<offset + replacement.count, with: replacement)
        return bytes
    }

    @Test("A format survives encoding with all attributes")
    func frameFormatRoundTripsWithAllAttributes() throws {
        #expect(try read(encodedFormat()) == MessageSamples.format())
    }

    @Test("An unknown pixel format is malformed")
    func unknownPixelFormatIsMalformed() throws {
        let unknownFormat = UInt16(PixelFormat.descriptors.count)
        let bytes = try encodedFormat(changedAt: 0, [UInt8(unknownFormat & 255), UInt8(unknownFormat >> 8)])
        #expect(throws: MalformedMessage("an unknown pixel format")) { try read(bytes) }
    }

    @Test("A count of planes beyond the largest is refused before the planes are read")
    func tooManyPlanesAreRefusedBeforeTheyAreRead() throws {
        let bytes = try encodedFormat(changedAt: 10, [6])
        #expect(throws: MalformedMessage("too many planes")) { try read(bytes) }
    }

    @Test(
        "A picture without pixels, or one that is too large, is malformed",
        arguments: [[0, 0, 0, 0], [1, 64, 0, 0]] as [[UInt8]])
    func emptyOrOversizedPictureIsMalformed(_ dimensionBytes: [UInt8]) throws {
        for offset in [2, 6] {
            let bytes = try encodedFormat(changedAt: offset, dimensionBytes)
            #expect(throws: MalformedMessage("a picture has planes that are out of bounds")) { try read(bytes) }
        }
    }

    @Test("Rows that overlap are malformed")
    func overlappingRowsAreMalformed() throws {
        let bytes = try encodedFormat(changedAt: 15, [127, 2, 0, 0])
        #expect(throws: MalformedMessage("a picture has planes that are out of bounds")) { try read(bytes) }
    }

    @Test("An unknown orientation is malformed")
    func unknownOrientationIsMalformed() throws {
        let bytes = try encodedFormat(changedAt: encodedFormat().count - 9, [8])
        #expect(throws: MalformedMessage("an unknown orientation")) { try read(bytes) }
    }

    @Test("A crop that leaves no pixels is malformed")
    func cropWithoutVisiblePixelsIsMalformed() throws {
        // The crop of the sample format leaves one of 640 columns. The larger left crop removes that column, too.
        let bytes = try encodedFormat(changedAt: encodedFormat().count - 8, [2, 0])
        #expect(throws: MalformedMessage("a picture's crop leaves no visible pixels")) { try read(bytes) }
    }

    @Test("A format that is cut off anywhere is malformed")
    func truncatedFrameFormatIsMalformed() throws {
        let bytes = try encodedFormat()
        for length in bytes.indices {
            #expect(throws: MalformedMessage.self, "\(length) bytes") { try read(Array(bytes.prefix(length))) }
        }
    }
}
