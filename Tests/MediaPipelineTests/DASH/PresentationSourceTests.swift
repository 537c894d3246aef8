import Foundation
import SharedFrames
import SystemCalls
import TestSupport
import Testing

@testable import MediaPipeline

/// Tests playback of DASH streams from a real HTTP server. Each picture shows its frame number.
@Suite struct PresentationSourceTests {
    private static func server(_ settings: String = "{}") throws -> LinkServer {
        try LinkServer(try Fixtures.path("dash"), settings)
    }

    /// Returns the frame numbers, widths and presentation times of all remaining frames.
    private func frameProperties(_ reader: MediaReader) throws -> (numbers: [Int?], widths: [Int], times: [Int64]) {
        var numbers: [Int?] = [], widths: [Int] = [], times: [Int64] = []
        while let frame = try reader.next() {
            numbers.append(frameNumber(of: frame))
            widths.append(Int(frame.format.layout.width))
            times.append(frame.presentationTime)
        }
        return (numbers, widths, times)
    }

    @Test(
        "every frame of a stream is played once, in order",
        arguments: ["number.mpd", "timeline.mpd", "list.mpd", "index.mpd"])
    func everyFrameIsPlayedOnce(name: String) throws {
        let server = try Self.server(), reader = try MediaReader(server.address + "/" + name)
        let info = try reader.outcome().get()
        #expect(info.container == "dash" && info.duration == 12_000_000_000)
        #expect(info.tracks.filter { $0.kind == .audio }.map(\.language) == ["en", "de"])
        let (numbers, _, times) = try frameProperties(reader)
        #expect(numbers == Array(0..<360))
        // The audio begins with the period, and the video begins 21 ms later.
        #expect(times.first.map { abs($0 - 21_000_000) < 2_000_000 } == true)
    }

    /// Returns a manifest with two periods of 9 s and 3 s, whose last segments extend beyond the periods. At the start
    /// of each period, the timestamps of the audio begin at 2 s.
    private static func manifestWithOffsets() throws -> String {
        let template =
            #"<SegmentTemplate timescale="1000" duration="2000" initialization="init-$RepresentationID$.mp4" "#
            + #"media="$RepresentationID$-$Number%05d$.m4s" "#
        let adaptationSets = """
            <AdaptationSet contentType="video"><Representation id="0" mimeType="video/mp4" codecs="avc1.64001e" \
            bandwidth="1657548" width="640" height="360">\(template) startNumber="1"/></Representation></AdaptationSet>
            <AdaptationSet contentType="audio"><Representation id="2" mimeType="audio/mp4" codecs="mp4a.40.2" \
            bandwidth="72371">\(template) startNumber="2" presentationTimeOffset="2000"/></Representation>\
            </AdaptationSet>
            """
        let manifest = """
            <MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT12S" \
            minBufferTime="PT4S" profiles="urn:mpeg:dash:profile:isoff-live:2011">
            <Period id="a" duration="PT9S">\(adaptationSets)</Period>\
            <Period id="b" duration="PT3S">\(adaptationSets)</Period></MPD>
            """
        let settings = ["rules": [["path": "/offsets.mpd", "body": manifest]]]
        return String(decoding: try JSONSerialization.data(withJSONObject: settings), as: UTF8.self)
    }

    @Test("a period ends at its stated end, and video and audio have their own offsets")
    func periodEndsAtItsStatedEnd() throws {
        let server = try Self.server(try Self.manifestWithOffsets())
        let reader = try MediaReader(server.address + "/offsets.mpd")
        let (numbers, _, times) = try frameProperties(reader)
        #expect(numbers == Array(0..<270) + Array(0..<90))
        #expect(zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - 33_333_333) < 25_000_000 })

        let audioReader = try MediaReader(server.address + "/offsets.mpd", wantsAudio: true) {
            $0.tracks.selections.video = .off
        }
        audioReader.source.setAudioFormat(PCMFormat(rate: 48_000, channels: 2))
        var blockTimes: [Int64] = [], sampleCount = 0
        while case .block(let block)? = audioReader.source.audio.pop(until: Deadline.after(.seconds(60))) {
            blockTimes.append(block.presentationTime)
            sampleCount += block.frameCount
        }
        #expect(abs(blockTimes.first ?? .max) < 50_000_000)
        #expect(abs(sampleCount - 12 * 48_000) < 4_800, "\(sampleCount) samples")
        #expect(zip(blockTimes, blockTimes.dropFirst()).allSatisfy { $1 > $0 && $1 - $0 < 60_000_000 })
    }

    @Test("periods follow each other, each with its own clock") func periodsFollowEachOther() throws {
        let server = try Self.server(), reader = try MediaReader(server.address + "/periods.mpd")
        let (numbers, widths, times) = try frameProperties(reader)
        #expect(numbers == Array(180..<360) + Array(0..<180))
        #expect(widths.last == 480)
        #expect(zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - 33_333_333) < 1_000_000 })
    }

    @Test("a change of the variant loses and repeats no frame", arguments: ["number.mpd", "index.mpd"])
    func variantChangeLosesNoFrame(name: String) throws {
        let server = try Self.server()
        let reader = try MediaReader(server.address + "/" + name) {
            // Read only a little ahead, so that the change of the variant takes effect before the film ends.
            $0.packetLimit = PacketBuffer.Limit()
        }
        var numbers: [Int?] = [], widths: [Int] = []
        while let frame = try reader.next() {
            numbers.append(frameNumber(of: frame))
            widths.append(Int(frame.format.layout.width))
            var requirements = StreamDemand.Requirements()
            requirements.quality = numbers.count / 90 % 2 == 0 ? .highest : .lowest
            reader.source.setStreamDemand(requirements)
        }
        #expect(numbers == Array(0..<360))
        #expect(Set(widths) == [480, 640] && zip(widths, widths.dropFirst()).count { $0 != $1 } >= 2)
    }

    @Test(
        "an exact seek lands on the sought frame, also in another period",
        arguments: [("number.mpd", 0), ("timeline.mpd", 0), ("index.mpd", 0), ("periods.mpd", 180)])
    func exactSeekLandsOnTheSoughtFrame(name: String, numberOffset: Int) throws {
        let server = try Self.server(), reader = try MediaReader(server.address + "/" + name)
        let start = try #require(try reader.next()).presentationTime
        // The video of each segment begins 21 ms after the segment's nominal start. At the nominal start of the second
        // segment, frame 59 is therefore still shown.
        for (generation, target) in [200, 31, 359, 0, 59, 60].enumerated() {
            let time = start + Int64(target) * 1_000_000_000 / 30 + 25_000_000
            reader.source.seek(SeekRequest(time: time, precision: .exact, generation: UInt32(generation + 1)))
            #expect(try reader.next().flatMap { frameNumber(of: $0) } == (target + numberOffset) % 360)
        }
    }

    @Test("the audio of a language is played in its own format", arguments: [(1, 48_000), (2, 32_000)])
    func audioOfTheSelectedLanguageIsPlayed(audioTrack: Int, rate: Int) throws {
        let server = try Self.server()
        let reader = try MediaReader(server.address + "/timeline.mpd", wantsAudio: true) {
            $0.tracks.selections.audio = .number(audioTrack)
            $0.tracks.selections.video = .off
        }
        reader.source.setAudioFormat(PCMFormat(rate: 48_000, channels: 2))
        #expect(try reader.outcome().get().audio?.sampleRate == rate)
        var frameCount = 0
        while case .block(let block)? = reader.source.audio.pop(until: Deadline.after(.seconds(60))) {
            frameCount += block.frameCount
        }
        #expect(abs(frameCount - 12 * 48_000) < 4_800, "\(frameCount) frames")
        #expect(server.paths.contains { $0.hasPrefix("/time-3") } == (audioTrack == 2))
    }

    @Test(
        "WebVTT files beside the video are shown at their times",
        arguments: [(0, "FIRST LINE", 1), (1, "LATE LINE", 5)])
    func subtitlesAreShown(track: Int, text: String, start: Int64) throws {
        let server = try Self.server(), reader = try MediaReader(server.address + "/index.mpd")
        let tracks = try reader.outcome().get().tracks.filter { $0.kind == .subtitle }
        #expect(tracks.map(\.language) == ["en", "fr"])
        try reader.source.selectSubtitles(tracks[track].id, generation: 1)
        while let item = reader.source.subtitles(.primary).pop(until: Deadline.after(.seconds(20))) {
            guard case .events(let events) = item, let event = events.first else { continue }
            guard case .text(let subtitleText) = event.content else { throw TestFailure("\(event)") }
            #expect(subtitleText.hasSuffix(text) && event.start == start * 1_000_000_000)
            return
        }
        throw TestFailure("no line arrived")
    }
}
