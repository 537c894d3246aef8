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

    @Test("only packed audio states its time in an ID3 tag, and only MP4 and WebM have unlimited timestamps")
    func propertiesOfFormats() {
        let packedAudio = SegmentFormat.allCases.filter(\.isPackedAudio)
        #expect(Set(packedAudio) == [.aac, .mp3, .ac3, .eac3])
        let unlimited = SegmentFormat.allCases.filter { !$0.timestampsWrap }
        #expect(Set(unlimited) == [.fragmentedMP4, .webM])
    }

    @Test("a transport stream is recognised by its first packet if the segment has no second one")
    func shortTransportStreamIsRecognised() {
        let packet = Array(Self.transportStreamStart.prefix(188))
        #expect(SegmentFormat(firstBytes: packet) == .transportStream)
        #expect(SegmentFormat(firstBytes: Array(packet.prefix(8))) == .transportStream)
        #expect(SegmentFormat(firstBytes: Array(packet.prefix(7))) == nil)
    }

    @Test("an ID3 tag larger than a megabyte is no tag of a segment")
    func hugeTagIsRefused() {
        func header(_ size: [UInt8]) -> [UInt8] { Array("ID3".utf8) + [4, 0, 0] + size }
        #expect(ID3Tag.tagSize(atStartOf: header([0, 0x3F, 0x7F, 0x76])) == 1 << 20)
        #expect(ID3Tag.tagSize(atStartOf: header([0, 0x3F, 0x7F, 0x77])) == nil)
        #expect(ID3Tag.tagSize(atStartOf: header([0x7F, 0x7F, 0x7F, 0x7F])) == nil)
        #expect(ID3Tag.tagSize(atStartOf: header([0, 0, 1])) == nil)
    }

    @Test("a cut-off timestamp in an ID3 tag is no timestamp")
    func cutOffTimestampIsIgnored() {
        let owner = Array("com.apple.streaming.transportStreamTimestamp\0".utf8)
        let tag = ID3Tag(id3Tag(owner + [0, 0, 0, 0, 0, 1, 2]) + [3, 4, 5])
        #expect(tag?.size == 10 + owner.count + 7 && tag?.timestamp == nil)
    }
}
