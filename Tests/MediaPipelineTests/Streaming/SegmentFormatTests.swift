import Testing

@testable import MediaPipeline

@Suite struct SegmentFormatTests {
    @Test(
        "the first bytes of a segment show its format",
        arguments: [
            (transportStreamStart, .transportStream), (box("styp"), .fragmentedMP4), (box("moof"), .fragmentedMP4),
            (text("WEBVTT\n\n"), .webVTT), (text("\u{FEFF}WEBVTT\n"), .webVTT),
            ([0xFF, 0xF1, 0x50, 0x80, 0, 0, 0, 0], .aac), ([0xFF, 0xFB, 0x90, 0x64, 0, 0, 0, 0], .mp3),
            ([0x0B, 0x77, 0, 0, 0, 0x40, 0, 0], .ac3), ([0x0B, 0x77, 0, 0, 0, 0x80, 0, 0], .eac3),
        ] as [([UInt8], SegmentFormat)])
    func formatIsRecognised(bytes: [UInt8], format: SegmentFormat) {
        #expect(SegmentFormat(firstBytes: bytes) == format)
    }

    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }
    private static func box(_ name: String) -> [UInt8] { [0, 0, 0, 24] + Array(name.utf8) }
    /// The first packet of a transport stream and the start of the second.
    private static var transportStreamStart: [UInt8] { [0x47] + [UInt8](repeating: 0, count: 187) + [0x47] }
    private static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    private static var damagedTransportStreamStart: [UInt8] { [0x47] + [UInt8](repeating: 0, count: 188) }

    @Test(
        "bytes that do not belong to a segment have no format",
        arguments: [
            [], [0x47], pngSignature, text("<!DOCTYPE html>"), damagedTransportStreamStart, text("#EXTM3U\n#EXT"),
        ] as [[UInt8]])
    func otherBytesHaveNoFormat(bytes: [UInt8]) { #expect(SegmentFormat(firstBytes: bytes) == nil) }

    /// Returns an ID3 tag with one frame.
    private func id3Tag(_ frame: [UInt8]) -> [UInt8] {
        let header: [UInt8] = [4, 0, 0, 0, 0, UInt8(frame.count >> 7), UInt8(frame.count & 127)]
        return Array("ID3".utf8) + header + frame
    }

    @Test func timestampOfPackedAudioIsParsed() throws {
        let owner = Array("com.apple.streaming.transportStreamTimestamp\0".utf8)
        let timestamp: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0, 1, 0x5F, 0x90], frameHeader: [UInt8] = [0, 0, 0, 53, 0, 0]
        let frame = Array("PRIV".utf8) + frameHeader + owner + timestamp
        let tag = try #require(ID3Tag(id3Tag(frame) + [0xFF, 0xF1]))
        // Only the lowest 33 bits of the timestamp are used.
        #expect(tag.size == 10 + frame.count && tag.timestamp == 0x1_0001_5F90)
    }

    @Test func incompleteTagIsRejected() {
        #expect(ID3Tag(Array(id3Tag([UInt8](repeating: 0, count: 30)).dropLast())) == nil)
        let invalidHeader: [UInt8] = [4, 0, 0, 0x80, 0, 0, 0]
        #expect(
            ID3Tag(id3Tag([]))?.timestamp == nil && ID3Tag.tagSize(atStartOf: Array("ID3".utf8) + invalidHeader) == nil)
    }
}
