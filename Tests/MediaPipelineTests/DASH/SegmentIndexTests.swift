import Testing

@testable import MediaPipeline
@testable import StreamPlaylists

@Suite struct SegmentIndexTests {
    /// Returns the bytes of an integer in big-endian order.
    private func bytes(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64((count - 1 - $0) * 8)) }
    }

    /// Returns a segment index box (`sidx`).
    private func box(
        version: UInt8 = 0, timescale: UInt64 = 1000, time: UInt64 = 0, offset: UInt64 = 0,
        parts: [(size: UInt64, duration: UInt64)]
    ) -> [UInt8] {
        let fieldSize = version == 0 ? 4 : 8
        var body = [version, 0, 0, 0] + bytes(1, 4) + bytes(timescale, 4)
        body += bytes(time, fieldSize) + bytes(offset, fieldSize) + bytes(0, 2) + bytes(UInt64(parts.count), 2)
        for part in parts { body += bytes(part.size, 4) + bytes(part.duration, 4) + bytes(0x9000_0000, 4) }
        return bytes(UInt64(body.count + 8), 4) + Array("sidx".utf8) + body
    }

    @Test("a segment index lists the segments of a file", arguments: [UInt8(0), 1])
    func segmentIndexListsTheSegments(version: UInt8) throws {
        let box = box(version: version, time: 500, offset: 20, parts: [(100, 2000), (50, 1000)])
        let index = try SegmentIndex(bytes(8, 4) + Array("free".utf8) + box)
        #expect(index.timescale == 1000 && index.earliestTime == 500 && index.firstOffset == 20)
        #expect(index.end == box.count + 8 && index.references.map(\.size) == [100, 50])
        var information = SegmentInformation(source: .index(try #require(ByteRange(offset: 300, length: 60))))
        (information.timescale, information.timeOffset) = (10, 5)
        let entries = try PeriodSegmentList(
            information.withUnits(of: index), duration: nil, index: index, available: nil
        ).entries
        #expect(entries.map(\.range?.offset) == [300 + box.count + 28, 300 + box.count + 128])
        #expect(entries.map(\.start) == [500, 2500])
    }

    @Test("a malformed index is refused") func malformedIndexIsRefused() {
        let validBox = box(parts: [(100, 2000)])
        for count in 0..<validBox.count {
            #expect(throws: ManifestError(.invalidIndex)) { try SegmentIndex(Array(validBox[..<count])) }
        }
        #expect(throws: ManifestError.self) { try SegmentIndex(box(timescale: 0, parts: [(100, 2000)])) }
        #expect(throws: ManifestError.self) { try SegmentIndex(box(version: 1, time: .max, parts: [(100, 2000)])) }
        var boxWithWrongSize = validBox
        boxWithWrongSize[3] = 4
        #expect(throws: ManifestError.self) { try SegmentIndex(boxWithWrongSize) }
    }

    @Test(
        "an index that is empty or refers to another index is refused",
        arguments: [[], [(UInt64(0x8000_0064), UInt64(1))]])
    func indexWithoutMediaIsRefused(parts: [(UInt64, UInt64)]) throws {
        let index = try SegmentIndex(box(parts: parts.map { ($0.0, $0.1) }))
        let information = SegmentInformation(source: .index(try #require(ByteRange(offset: 0, length: 60))))
        #expect(throws: ManifestError.self) {
            try PeriodSegmentList(information, duration: nil, index: index, available: nil)
        }
    }
}
