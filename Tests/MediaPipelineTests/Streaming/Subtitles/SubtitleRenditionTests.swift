import Foundation
import SystemCalls
import TestSupport
import Testing

@testable import MediaPipeline
@testable import StreamPlaylists

/// Tests the subtitle renditions of streams from a real HTTP server.
@Suite struct SubtitleRenditionTests {
    /// A line of subtitles with its times in milliseconds.
    private struct SubtitleLine: Equatable, CustomStringConvertible {
        var start: Int64
        var end: Int64
        var text: String
        var description: String { "\(start)-\(end) \(text)" }

        /// Two lines are equal if they have the same text and their times differ by at most 40 ms.
        static func == (left: SubtitleLine, right: SubtitleLine) -> Bool {
            left.text == right.text && abs(left.start - right.start) <= 40 && abs(left.end - right.end) <= 40
        }
    }

    /// The lines of the English rendition.
    private static let english = [
        SubtitleLine(start: 3_000, end: 6_000, text: "ACROSS A BORDER"),
        SubtitleLine(start: 7_500, end: 11_000, text: "BEGAN {\\i1}BEFORE{\\i0}"),
        SubtitleLine(start: 11_250, end: 11_750, text: "LAST"),
    ]

    private func server(_ settings: String = "{}") throws -> LinkServer {
        try LinkServer(try Fixtures.path("streams"), settings)
    }

    /// Waits for the next `count` subtitle lines of the selected track.
    private func lines(_ reader: MediaReader, _ count: Int) throws -> [SubtitleLine] {
        var lines: [SubtitleLine] = []
        while lines.count < count {
            guard let item = reader.source.subtitles(.primary).pop(until: Deadline.after(.seconds(20))) else {
                throw TestFailure("only these lines arrived: \(lines)")
            }
            guard case .events(let events) = item else { continue }
            for event in events {
                guard case .text(let text) = event.content else { continue }
                lines.append(
                    SubtitleLine(
                        start: event.start / 1_000_000, end: event.end / 1_000_000,
                        text: String(text.split(separator: ",", maxSplits: 7, omittingEmptySubsequences: false)[7])))
            }
        }
        return lines
    }

    /// Waits for the next warning of the source.
    private func warning(_ reader: MediaReader) throws -> MediaError {
        while let event = reader.source.events.pop(until: Deadline.after(.seconds(20))) {
            if case .warning(let error) = event { return error }
        }
        throw TestFailure("no warning arrived")
    }

    @Test("the attributes of a rendition become properties of its track")
    func renditionAttributesBecomeTrackProperties() throws {
        let mediaTag = #"#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",URI="t","#, prefix = "public.accessibility."
        let playlist = try MultivariantPlaylist(
            Array(
                [
                    "#EXTM3U", mediaTag + #"NAME="A",LANGUAGE="pt-BR",DEFAULT=YES"#,
                    mediaTag + #"NAME="B",FORCED=YES,CHARACTERISTICS="\#(prefix)describes-music-and-sound""#,
                    mediaTag + #"NAME="C",FORCED=YES,AUTOSELECT=YES"#, "#EXT-X-STREAM-INF:BANDWIDTH=1", "v",
                ].joined(separator: "\n").utf8), address: "http://host/")
        let tracks = playlist.renditions.map { MediaTrack(subtitles: $0, id: 5) }
        #expect(tracks.map(\.title) == ["A", "B", "C"] && tracks.map(\.language) == ["pt-BR", nil, nil])
        #expect(tracks.map(\.isDefault) == [true, false, false] && tracks.map(\.isForced) == [false, true, true])
        #expect(tracks.map(\.isAutoselect) == [true, false, true])
        #expect(tracks.map(\.isForHearingImpaired) == [false, true, false])
        #expect(tracks.allSatisfy { $0.kind == .subtitle && $0.id == 5 && $0.codec == "webvtt" && $0.isPlayable })
    }

    @Test("renditions are tracks, and only the selected one is fetched; a line that two segments contain arrives once")
    func selectedRenditionIsFetched() throws {
        let server = try server(), reader = try MediaReader(server.address + "/subtitles.m3u8")
        let tracks = try reader.outcome().get().tracks.filter { $0.kind == .subtitle }
        #expect(tracks.map(\.title) == ["English", "Deutsch"] && tracks.map(\.language) == ["en", "de"])
        #expect(tracks.map(\.isForHearingImpaired) == [false, true])
        #expect(tracks.allSatisfy { $0.codec == "webvtt" && $0.isPlayable && !$0.isDefault && !$0.isForced })
        _ = try #require(try reader.next())
        #expect(server.paths.allSatisfy { !$0.hasSuffix("vtt") && $0 != "/english.m3u8" })
        try reader.source.selectSubtitles(tracks.first?.id, generation: 1)
        #expect(try lines(reader, 3) == Self.english)
        #expect(server.paths.allSatisfy { !$0.hasPrefix("/german") })
        try reader.source.selectSubtitles(tracks.last?.id, generation: 2)
        #expect(try lines(reader, 1) == [SubtitleLine(start: 1_000, end: 11_000, text: "FÜR ALLE")])
    }

    @Test("a seek fetches the segments around its target, and the segment in which the visible line begins")
    func seekFetchesTheLinesAroundItsTarget() throws {
        let server = try server()
        let reader = try MediaReader(server.address + "/subtitles.m3u8") { $0.packetLimit = PacketBuffer.Limit() }
        let track = try reader.outcome().get().tracks.first { $0.kind == .subtitle }
        reader.source.seek(SeekRequest(time: 9_000_000_000, precision: .exact, generation: 1))
        _ = try #require(try reader.next())
        try reader.source.selectSubtitles(track?.id, generation: 1)
        #expect(try lines(reader, 3) == Self.english)
        // The server logs a request only after it has sent the response, so wait for the last log entry.
        let segments = Deadline.poll(for: .seconds(10), every: .milliseconds(5)) {
            server.paths.contains("/english2.vtt") ? server.paths.filter { $0.hasSuffix("vtt") } : nil
        }
        #expect(segments == ["/english1.vtt", "/english2.vtt"])
        // A seek while the track is selected fetches the segments around its target, too.
        reader.source.seek(SeekRequest(time: 0, precision: .exact, generation: 2))
        _ = try #require(try reader.next())
        let isFetched = Deadline.poll(for: .seconds(10), every: .milliseconds(5)) {
            server.paths.contains("/english0.vtt") ? true : nil
        }
        #expect(isFetched == true)
    }

    @Test(
        "a segment that cannot be read causes a warning, and the other segments are shown",
        arguments: [(#""status": 404"#, "404"), (#""body": "<!DOCTYPE html><html>""#, "a web page")])
    func unreadableSegmentCausesAWarning(fault: String, message: String) throws {
        let server = try server("{\"rules\": [{\"path\": \"english1\", \(fault)}]}")
        let reader = try MediaReader(server.address + "/subtitles.m3u8")
        let track = try reader.outcome().get().tracks.first { $0.kind == .subtitle }
        try reader.source.selectSubtitles(track?.id, generation: 1)
        #expect(try lines(reader, 2) == [Self.english[0], Self.english[2]])
        let error = try warning(reader)
        #expect(error.message.hasPrefix("subtitles English: ") && error.message.contains(message), "\(error)")
        #expect(error.message.contains(server.address + "/english1.vtt"), "\(error)")
    }

    @Test("a server that never sends subtitles delays neither the video nor a change of the rendition")
    func silentRenditionDoesNotDelayTheVideo() throws {
        let server = try server(#"{"rules": [{"path": "english", "hang": true}]}"#)
        let reader = try MediaReader(server.address + "/subtitles.m3u8")
        let tracks = try reader.outcome().get().tracks.filter { $0.kind == .subtitle }
        try reader.source.selectSubtitles(tracks.first?.id, generation: 1)
        var numbers: [Int?] = []
        while let frame = try reader.next() { numbers.append(frameNumber(of: frame)) }
        #expect(numbers == Array(0..<360))
        try reader.source.selectSubtitles(tracks.last?.id, generation: 2)
        #expect(try lines(reader, 1).map(\.text) == ["FÜR ALLE"])
    }

    @Test("subtitles of a DASH stream are fetched like those of HLS") func subtitlesOfDASHAreFetched() throws {
        let server = try LinkServer(try Fixtures.path("dash"))
        let reader = try MediaReader(server.address + "/index.mpd")
        let track = try #require(try reader.outcome().get().tracks.first { $0.kind == .subtitle })
        #expect(track.language == "en")
        try reader.source.selectSubtitles(track.id, generation: 1)
        #expect(try lines(reader, 1) == [SubtitleLine(start: 1_000, end: 3_000, text: "FIRST LINE")])
    }

    // MARK: Playlists that the tests create

    /// Creates a folder with the video segments of the small variant, the given playlists and `count` subtitle segments
    /// of 2 s. The text of each subtitle segment is its number.
    private func folder(_ count: Int, playlist: [String], subtitles: [String]) throws -> TemporaryDirectory {
        let folder = try TemporaryDirectory(), streamsPath = try Fixtures.path("streams")
        func write(_ name: String, _ lines: [String]) throws {
            try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: URL(fileURLWithPath: folder.file(name)))
        }
        for number in 0..<6 {
            try FileManager.default.createSymbolicLink(
                atPath: folder.file("low\(number).ts"), withDestinationPath: "\(streamsPath)/low\(number).ts")
        }
        // Use the `X-TIMESTAMP-MAP` tag of the fixture, which states the clock of the video.
        let timestampMap = try #require(
            try String(contentsOfFile: streamsPath + "/german.vtt", encoding: .utf8).split(whereSeparator: \.isNewline)
                .first { $0.hasPrefix("X-TIMESTAMP-MAP") })
        for number in 0..<count {
            let timeText = { (milliseconds: String) in String(format: "00:%02d.%@", number * 2, milliseconds) }
            try write(
                "text\(number).vtt",
                ["WEBVTT", String(timestampMap), "", "\(timeText("200")) --> \(timeText("800"))", "\(number)"])
        }
        let header = ["#EXTM3U", "#EXT-X-TARGETDURATION:2"]
        try write("video.m3u8", header + playlist)
        try write("text.m3u8", header + subtitles)
        try write(
            "main.m3u8",
            [
                "#EXTM3U", #"#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="T",DEFAULT=YES,URI="text.m3u8""#,
                #"#EXT-X-STREAM-INF:BANDWIDTH=350000,SUBTITLES="s""#, "video.m3u8",
            ])
        return folder
    }

    /// Returns the playlist lines of segments of 2 s with the given numbers.
    private func segments(_ name: String, _ type: String, _ numbers: Range<Int>) -> [String] {
        numbers.flatMap { ["#EXTINF:2,", "\(name)\($0).\(type)"] }
    }

    @Test("the lines of a live stream arrive as its playlists grow") func subtitlesOfALiveStreamArrive() throws {
        let folder = try folder(
            6, playlist: segments("low", "ts", 0..<6), subtitles: segments("text", "vtt", 0..<6))
        let liveSettings = ["video", "text"].map {
            "{\"list\": \"\($0).m3u8\", \"window\": 4, \"start\": 4, \"speed\": 4}"
        }
        let server = try LinkServer(folder.path, "{\"live\": [\(liveSettings.joined(separator: ", "))]}")
        let reader = try MediaReader(server.address + "/main.m3u8")
        let track = try #require(try reader.outcome().get().tracks.first { $0.kind == .subtitle })
        #expect(track.isDefault)
        try reader.source.selectSubtitles(track.id, generation: 1)
        // Playback starts in segment 1; the subtitle segment before it is fetched too.
        #expect(
            try lines(reader, 6)
                == (0..<6).map { SubtitleLine(start: $0 * 2_000 + 200, end: $0 * 2_000 + 800, text: "\($0)") })
    }

    @Test("after a discontinuity, the times of lines follow the new clock of the stream")
    func linesAfterADiscontinuityUseTheNewClock() throws {
        let discontinuityTag = ["#EXT-X-DISCONTINUITY"], endTag = ["#EXT-X-ENDLIST"]
        let video = segments("low", "ts", 0..<3), text = segments("text", "vtt", 0..<3)
        let folder = try folder(
            3, playlist: video + discontinuityTag + video + endTag, subtitles: text + discontinuityTag + text + endTag)
        let server = try LinkServer(folder.path), reader = try MediaReader(server.address + "/main.m3u8")
        let track = try reader.outcome().get().tracks.first { $0.kind == .subtitle }
        try reader.source.selectSubtitles(track?.id, generation: 1)
        #expect(
            try lines(reader, 6)
                == (0..<6).map { SubtitleLine(start: $0 * 2_000 + 200, end: $0 * 2_000 + 800, text: "\($0 % 3)") })
    }

    @Test("a segment in another character set is converted, and a too large segment is omitted with a warning")
    func unusualSegmentsAreHandled() throws {
        let endTag = ["#EXT-X-ENDLIST"]
        let folder = try folder(
            3, playlist: segments("low", "ts", 0..<3) + endTag, subtitles: segments("text", "vtt", 0..<3) + endTag)
        func write(_ number: Int, _ text: String) throws {
            let url = URL(fileURLWithPath: folder.file("text\(number).vtt"))
            let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
            let header = lines[..<2].joined(separator: "\n")
            try #require((header + "\n\n" + text).data(using: .isoLatin1)).write(to: url)
        }
        try write(0, "00:00.500 --> 00:01.000\nUn \u{E9}t\u{E9} d\u{E9}j\u{E0} pass\u{E9} \u{E0} l'h\u{F4}tel\n")
        try write(1, String(repeating: "00:02.500 --> 00:03.000\nFlood\n", count: SubtitleReader.byteLimit / 30 + 1))
        let server = try LinkServer(folder.path), reader = try MediaReader(server.address + "/main.m3u8")
        let track = try reader.outcome().get().tracks.first { $0.kind == .subtitle }
        try reader.source.selectSubtitles(track?.id, generation: 1)
        #expect(try lines(reader, 2).map(\.text) == ["Un été déjà passé à l'hôtel", "2"])
        #expect(try warning(reader).message.contains("larger than"))
    }

    @Test("WebVTT in fragmented MP4 has the times of the stream's clock") func cuesOfFragmentedMP4AreParsed() throws {
        let endTag = ["#EXT-X-ENDLIST"]
        let folder = try folder(
            0, playlist: segments("low", "ts", 0..<3) + endTag,
            subtitles: ["#EXT-X-MAP:URI=\"init.mp4\""] + segments("text", "m4s", 0..<3) + endTag)
        func write(_ name: String, _ bytes: [UInt8]) throws {
            try Data(bytes).write(to: URL(fileURLWithPath: folder.file(name)))
        }
        try write("init.mp4", MP4Subtitles.initialization)
        // The clock of the video starts at 1.467 s.
        let emptySample = MP4Subtitles.box("vtte")
        try write(
            "text0.m4s",
            MP4Subtitles.segment(
                start: 1_467, [(500, emptySample), (1_000, MP4Subtitles.cue("<b>One</b>")), (500, emptySample)]))
        try write("text1.m4s", MP4Subtitles.segment(start: 3_467, [(2_000, MP4Subtitles.cue("Two"))]))
        try write("text2.m4s", MP4Subtitles.box("moof", Array(repeating: 0, count: SubtitleReader.byteLimit * 2)))
        let server = try LinkServer(folder.path), reader = try MediaReader(server.address + "/main.m3u8")
        let track = try reader.outcome().get().tracks.first { $0.kind == .subtitle }
        try reader.source.selectSubtitles(track?.id, generation: 1)
        #expect(
            try lines(reader, 2) == [
                SubtitleLine(start: 500, end: 1_500, text: "{\\b1}One{\\b0}"),
                SubtitleLine(start: 2_000, end: 4_000, text: "Two"),
            ])
        let error = try warning(reader)
        #expect(error.message.contains("larger than") && error.message.contains("text2.m4s"), "\(error)")
    }
}
