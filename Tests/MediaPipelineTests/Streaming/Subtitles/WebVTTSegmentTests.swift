import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct WebVTTSegmentTests {
    /// A second in nanoseconds.
    private static let second: Int64 = 1_000_000_000

    /// Parses a WebVTT segment.
    private func parse(_ text: String) throws -> WebVTTSegment { try WebVTTSegment(Array(text.utf8)) }

    @Test("the times and the lines of cues are parsed; names, settings, comments and styles are ignored")
    func cuesAreParsed() throws {
        let segment = try parse(
            """
            WEBVTT - a title
            X-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:01.500

            NOTE
            00:00 is no time

            STYLE
            ::cue { color: red }

            first
            00:01.000 --> 00:02.500 line:80% align:start
            One
            <i>Two</i>

            01:00:00.000 --> 1000:00:00.000
            Three
            00:05,25-->00:06
            Four
            """)
        #expect(segment.map == .init(cueTime: 1_500_000_000, streamTime: 900_000))
        #expect(
            segment.cues == [
                WebVTTCue(start: Self.second, end: 2_500_000_000, text: "One\n<i>Two</i>"),
                WebVTTCue(start: 3600 * Self.second, end: 3_600_000 * Self.second, text: "Three"),
                WebVTTCue(start: 5_250_000_000, end: 6 * Self.second, text: "Four"),
            ])
    }

    @Test("lines may end with LF, CR or CRLF", arguments: ["\n", "\r", "\r\n"])
    func linesEndWithLFOrCROrCRLF(end: String) throws {
        let lines = ["WEBVTT", "X-TIMESTAMP-MAP=LOCAL:00:00.000,MPEGTS:1", "", "00:00.000 --> 00:01.000", "A", "B"]
        let segment = try parse(lines.joined(separator: end))
        #expect(segment.cues == [WebVTTCue(start: 0, end: Self.second, text: "A\nB")])
        #expect(segment.map == .init(cueTime: 0, streamTime: 1))
    }

    @Test(
        "a malformed cue is ignored, and its lines are not added to another cue",
        arguments: [
            "00:02.000 --> 00:01.000", "00:01.000 --> 00:01.000", "1 --> 2", "00:-1.000 --> 00:01.000", "-->",
            "00:01.000 -->", "0:0:0:1.000 --> 00:02.000", "00:01.000 --> 9999999:00:00.000", "00:01.x --> 00:02.0",
            "00:01.0000000000 --> 00:02.0", "00:01.000 --> 00:02.000" + String(repeating: " x", count: 1000),
        ])
    func malformedCueIsIgnored(times: String) throws {
        let segment = try parse(
            "WEBVTT\n\n00:00.000 --> 00:09.000\nGood\n\(times)\nBad\n\n00:01.000 --> 00:02.000\nNext")
        #expect(segment.cues.map(\.text) == ["Good", "Next"])
    }

    @Test(
        "a malformed timestamp map is ignored",
        arguments: ["", "MPEGTS:1", "LOCAL:00:00.000", "LOCAL:x,MPEGTS:1", "LOCAL:00:00.000,MPEGTS:-1", ",:,"])
    func malformedMapIsIgnored(mapText: String) throws {
        #expect(try parse("WEBVTT\nX-TIMESTAMP-MAP=\(mapText)\n\n00:00.000 --> 00:01.000\nA").map == nil)
    }

    @Test("only 33 bits of the stream's time are used") func streamTimeHas33Bits() throws {
        let text = "WEBVTT\nX-TIMESTAMP-MAP= LOCAL : 00:00.000, MPEGTS : \(1 << 33 | 5)"
        #expect(try parse(text).map == .init(cueTime: 0, streamTime: 5))
    }

    @Test("an empty segment has no cues", arguments: ["", "\r\n\n", "WEBVTT", "WEBVTT\n\n"])
    func emptySegmentHasNoCues(text: String) throws { #expect(try parse(text).cues.isEmpty) }

    @Test(
        "other text than WebVTT is refused, and the error message says if it is a web page",
        arguments: [
            ("<!DOCTYPE html>", "a web page"), ("1\n00:00:01,000 --> 00:00:02,000\nSRT", "unknown"), ("WEBVTTX", ""),
        ])
    func otherTextIsRefused(text: String, expectedMessage: String) throws {
        let error = #expect(throws: MediaError.self) { try parse(text) }
        let isDescribed = expectedMessage.isEmpty || error?.message.contains(expectedMessage) == true
        #expect(error?.code == .notMedia && isDescribed, "\(error as Any)")
    }

    @Test("the number of cues and the length of a cue are limited") func numberAndLengthOfCuesAreLimited() throws {
        let cue = "00:00.000 --> 00:01.000\nA\n"
        let segmentWithManyCues = try parse("WEBVTT\n\n" + String(repeating: cue, count: WebVTTSegment.cueLimit + 10))
        #expect(segmentWithManyCues.cues.count == WebVTTSegment.cueLimit)
        let segmentWithLongCue = try parse("WEBVTT\n\n" + cue + String(repeating: "0123456789\n", count: 100_000))
        #expect((1...WebVTTSegment.textLimit).contains(segmentWithLongCue.cues.first?.text.utf8.count ?? 0))
    }

    @Test("no input crashes the parser, and all parsed cues have a duration") func randomInputIsParsed() throws {
        var generator = SeededGenerator(seed: 7)
        let pieces = [
            "WEBVTT", "\n", "\r", "\n\n", "00:01.000", " --> ", "00:02.000", "X-TIMESTAMP-MAP=", "LOCAL:", "MPEGTS:",
            "9",
            ":", ",", ".", "\u{FEFF}", "<i>", "\0", "ü", "99999999999999999999", "NOTE", "-->",
        ]
        for _ in 0..<5_000 {
            let text = (0..<Int.random(in: 1...40, using: &generator)).map { _ in
                pieces[Int.random(in: 0..<pieces.count, using: &generator)]
            }.joined()
            guard let segment = try? parse("WEBVTT\n" + text) else { continue }
            #expect(segment.cues.allSatisfy { $0.start < $0.end && $0.start >= 0 && !$0.text.isEmpty })
        }
    }
}
