import Foundation
import SystemCalls
import TestSupport
import Testing

@testable import MediaPipeline

/// Tests of WebVTT subtitles in Matroska files, as mkvmerge stores them.
@Suite struct WebVTTTests {
    @Test func aWebVTTTrackInMatroskaIsDecoded() throws {
        let path = NSTemporaryDirectory() + "webvtt-\(UUID().uuidString).mkv"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let subtitlePath = path + ".srt"
        defer { try? FileManager.default.removeItem(atPath: subtitlePath) }
        try Data(
            "1\n00:00:01,000 --> 00:00:02,500\nFirst line\n\n2\n00:00:03,000 --> 00:00:04,000\nSecond <i>line</i>\n"
                .utf8
        )
        .write(to: URL(fileURLWithPath: subtitlePath))
        let subRipPath = path + ".plain.mkv"
        defer { try? FileManager.default.removeItem(atPath: subRipPath) }
        // The file has no index, and its elements state no lengths, so the test may insert bytes into the header.
        let child = try ChildProcess(
            Products.systemProgram("ffmpeg"),
            [
                "-v", "error", "-i", Fixtures.path("silent.mp4"), "-i", subtitlePath, "-map", "0:v", "-map", "1",
                "-c:v", "copy", "-c:s", "srt",
                "-f", "matroska", "-live", "1", subRipPath,
            ])
        #expect(try child.waitForExit(within: .seconds(30)).isSuccess, "\(child.errors.text)")
        try Data(Self.withSubRipDeclaredAsWebVTT(Array(Data(contentsOf: URL(fileURLWithPath: subRipPath))))).write(
            to: URL(fileURLWithPath: path))
        let reader = try MediaReader(path)
        let info = try reader.outcome().get()
        let track = try #require(info.tracks.first { $0.kind == .subtitle })
        #expect(track.codec == "webvtt" && track.isPlayable)
        try reader.source.selectSubtitles(track.id, generation: 1)
        var texts: [String] = [], times: [Int64] = []
        let deadline = Deadline.after(.seconds(20))
        while texts.count < 2, MonotonicTime.now < deadline {
            // Remove the decoded frames, because the source reads further packets only while its queues have space.
            while reader.source.video.popIfAny() != nil {}
            guard
                case .events(let events)? = reader.source.subtitles(.primary).pop(
                    until: Deadline.after(.milliseconds(20)))
            else { continue }
            for event in events {
                guard case .text(let text) = event.content else { continue }
                texts.append(text)
                times += [event.start, event.end].map { $0 / 1_000_000 }
            }
        }
        #expect(
            texts.count == 2 && texts.first?.hasSuffix("First line") == true
                && texts.last?.contains("Second {\\i1}line") == true, "\(texts)")
        #expect(times == [1000, 2500, 3000, 4000])
    }

    /// Returns a Matroska file in which the SubRip track is declared as WebVTT.
    private static func withSubRipDeclaredAsWebVTT(_ bytes: [UInt8]) throws -> [UInt8] {
        let subRipCodec = [0x86, 0x80 | 11] + Array("S_TEXT/UTF8".utf8), tracksID: [UInt8] = [0x16, 0x54, 0xae, 0x6b]
        let codecPrivate = Array("WEBVTT\n".utf8)
        let codecPrivateElement: [UInt8] = [0x63, 0xa2, UInt8(0x80 | codecPrivate.count)] + codecPrivate
        let webVTTCodec = [0x86, 0x80 | 13] + Array("S_TEXT/WEBVTT".utf8) + codecPrivateElement
        // The seek head contains the same ID earlier, so search for the last occurrence.
        let tracksStart = try #require(bytes.indices.prefix(4096).last { bytes[$0...].starts(with: tracksID) })
        let tracks = content(at: tracksStart, idLength: tracksID.count, in: bytes)
        var entries: [UInt8] = [], elementStart = tracks.lowerBound
        while elementStart < tracks.upperBound {
            let id = bytes[elementStart], range = content(at: elementStart, idLength: 1, in: bytes)
            var body = Array(bytes[range])
            if let codecIndex = body.indices.first(where: { body[$0...].starts(with: subRipCodec) }) {
                body.replaceSubrange(codecIndex..<codecIndex + subRipCodec.count, with: webVTTCodec)
            }
            // Drop the checksum element (0xbf), which is no longer valid.
            if id != 0xbf { entries += [id] + sizeField(body.count) + body }
            elementStart = range.upperBound
        }
        return bytes[..<tracksStart] + tracksID + sizeField(entries.count) + entries + bytes[tracks.upperBound...]
    }

    /// Returns the byte range of the content of the Matroska element that begins at byte `elementStart`.
    private static func content(at elementStart: Int, idLength: Int, in bytes: [UInt8]) -> Range<Int> {
        let sizeStart = elementStart + idLength, sizeFieldWidth = bytes[sizeStart].leadingZeroBitCount + 1
        let field = bytes[sizeStart..<sizeStart + sizeFieldWidth].reduce(0) { $0 << 8 | Int($1) }
        let count = field & ((1 << (7 * sizeFieldWidth)) - 1)
        return sizeStart + sizeFieldWidth..<sizeStart + sizeFieldWidth + count
    }

    /// Returns a byte count as the length field of a Matroska element, in five bytes.
    private static func sizeField(_ count: Int) -> [UInt8] { [0x08] + [24, 16, 8, 0].map { UInt8(count >> $0 & 255) } }
}
