import SystemCalls
import TestSupport
import Testing

@testable import MediaPipeline

/// Tests that the decoded audio of a stream has neither gaps nor repetitions at the boundaries of segments.
@Suite struct StreamAudioTests {
    /// The times of the audio blocks that a reader has decoded.
    private struct DecodedAudio {
        /// The start of the first block and the end of the last block, in nanoseconds.
        private(set) var start: Int64?, end: Int64 = 0
        private(set) var sampleCount = 0
        /// The gaps between blocks, and the parts of earlier blocks that blocks repeat; each with time and length in
        /// nanoseconds.
        private(set) var gaps: [(time: Int64, length: Int64)] = [], repetitions: [(time: Int64, length: Int64)] = []

        /// The largest gap or repetition, in nanoseconds, that is not audible: timestamps are rounded to 1/90,000 s or
        /// more.
        private static let tolerance: Int64 = 2_000_000

        mutating func add(_ block: PCMBlock) {
            let time = block.presentationTime, distance = time - end
            if start == nil {
                start = time
            } else if distance > Self.tolerance {
                gaps.append((end, distance))
            } else if distance < -Self.tolerance {
                repetitions.append((time, -distance))
            }
            end = time + Int64(block.frameCount) * 1_000_000_000 / 48_000
            sampleCount += block.frameCount
        }
    }

    /// Returns a reader of a stream of the server, which decodes audio with two channels and 48 kHz.
    private func reader(
        _ server: LinkServer, _ name: String, configure: (inout MediaSourceConfiguration) -> Void = { _ in }
    ) throws -> MediaReader {
        let reader = try MediaReader(server.address + "/" + name, wantsAudio: true, configure: configure)
        reader.source.setAudioFormat(PCMFormat(rate: 48_000, channels: 2))
        return reader
    }

    /// Returns the times of all audio blocks that a source decodes until its end.
    private static func decodedAudio(of source: LocalMediaSource) -> DecodedAudio {
        var decodedAudio = DecodedAudio()
        while case .block(let block)? = source.audio.pop(until: Deadline.after(.seconds(60))) {
            decodedAudio.add(block)
        }
        return decodedAudio
    }

    @Test(
        "audio is continuous from segment to segment",
        arguments: [
            "streams/stream.m3u8", "streams/stream-mp4.m3u8", "streams/low.m3u8", "streams/other.m3u8",
            "dash/number.mpd", "dash/timeline.mpd", "dash/index.mpd", "dash/list.mpd",
        ])
    func audioIsContinuous(name: String) throws {
        let server = try LinkServer(Fixtures.directory)
        let reader = try reader(server, name) { $0.tracks.selections.video = .off }
        let decodedAudio = Self.decodedAudio(of: reader.source)
        #expect(decodedAudio.gaps.isEmpty && decodedAudio.repetitions.isEmpty, "\(decodedAudio)")
        #expect(abs(decodedAudio.sampleCount - 12 * 48_000) < 4_800, "\(decodedAudio.sampleCount) samples")
    }

    @Test(
        "audio is continuous if the playlist rounds durations, and if the clock wraps around",
        arguments: [("low0 low1 low2 low3 low4 low5", 2.6, 12), ("../wrap", 10, 10)])
    func audioIsContinuousDespitePlaylistDurations(names: String, statedDuration: Double, seconds: Int) throws {
        // After five segments, the playlist's times are 3 s ahead of the timestamps.
        let lines = names.split(separator: " ").flatMap { ["#EXTINF:\(statedDuration),", "\($0).ts"] }
        let playlist = (["#EXTM3U", "#EXT-X-TARGETDURATION:10"] + lines + ["#EXT-X-ENDLIST"]).joined(separator: "\\n")
        let server = try LinkServer(
            Fixtures.directory, "{\"rules\": [{\"path\": \"list.m3u8\", \"body\": \"\(playlist)\"}]}")
        let reader = try reader(server, "streams/list.m3u8") { $0.tracks.selections.video = .off }
        let decodedAudio = Self.decodedAudio(of: reader.source)
        #expect(decodedAudio.gaps.isEmpty && decodedAudio.repetitions.isEmpty, "\(decodedAudio)")
        #expect(abs(decodedAudio.sampleCount - seconds * 48_000) < 4_800, "\(decodedAudio)")
    }

    @Test("after a truncated segment is fetched in another variant, no audio is repeated")
    func brokenSegmentIsReplacedWithoutRepetition() throws {
        let server = try LinkServer(
            Fixtures.directory, #"{"ranges": false, "rules": [{"path": "/high[23].ts", "cut": 250000}]}"#)
        let reader = try reader(server, "streams/stream.m3u8") {
            $0.packetLimit = PacketBuffer.Limit()
            $0.tracks.selections.video = .off
        }
        var requirements = StreamDemand.Requirements()
        requirements.quality = .highest
        reader.source.setStreamDemand(requirements)
        let decodedAudio = Self.decodedAudio(of: reader.source)
        #expect(server.paths.contains("/streams/low2.ts") && server.paths.contains("/streams/high2.ts"))
        #expect(decodedAudio.gaps.isEmpty && decodedAudio.repetitions.isEmpty, "\(decodedAudio)")
    }

    @Test("audio after pictures of hundreds of kB is continuous") func audioAfterLargePicturesIsContinuous() throws {
        let folder = try TemporaryDirectory()
        try run(
            "ffmpeg",
            [
                "-v", "error", "-nostdin", "-f", "lavfi", "-i", "nullsrc=s=640x360:r=10:d=4,geq=random(1)*255:128:128",
                "-f", "lavfi", "-i", "sine=440:d=4:r=48000", "-c:v", "mpeg2video", "-q:v", "2", "-g", "1", "-c:a",
                "aac", "-f", "hls", "-hls_time", "2", "-hls_playlist_type", "vod", folder.file("list.m3u8"),
            ])
        let server = try LinkServer(folder.path), reader = try reader(server, "list.m3u8") { _ in }
        var decodedAudio = DecodedAudio()
        while let frame = try reader.next() {
            while decodedAudio.end < min(frame.presentationTime, 3_500_000_000),
                case .block(let block)? = reader.source.audio.pop(until: Deadline.after(.seconds(60)))
            {
                decodedAudio.add(block)
            }
        }
        while case .block(let block)? = reader.source.audio.pop(until: Deadline.after(.seconds(60))) {
            decodedAudio.add(block)
        }
        #expect(
            decodedAudio.gaps.isEmpty && decodedAudio.repetitions.isEmpty && decodedAudio.sampleCount > 180_000,
            "\(decodedAudio)")
    }

    @Test(
        "audio is continuous and in sync with the video while the variant changes",
        arguments: ["streams/stream.m3u8", "streams/stream-mp4.m3u8", "dash/number.mpd"])
    func audioIsContinuousAcrossVariants(name: String) throws {
        let server = try LinkServer(Fixtures.directory)
        let reader = try reader(server, name) { $0.packetLimit = PacketBuffer.Limit() }
        var decodedAudio = DecodedAudio(), frameCount = 0, widths: [Int] = []
        while let frame = try reader.next() {
            frameCount += 1
            widths.append(Int(frame.format.layout.width))
            var requirements = StreamDemand.Requirements()
            requirements.quality = frameCount / 90 % 2 == 0 ? .highest : .lowest
            reader.source.setStreamDemand(requirements)
            // Take audio only up to the frame's time, because the reader reads further ahead whenever the audio queue
            // runs empty.
            while decodedAudio.end < min(frame.presentationTime, 11_500_000_000),
                case .block(let block)? = reader.source.audio.pop(until: Deadline.after(.seconds(60)))
            {
                decodedAudio.add(block)
            }
        }
        while case .block(let block)? = reader.source.audio.pop(until: Deadline.after(.seconds(60))) {
            decodedAudio.add(block)
        }
        let changeCount = zip(widths, widths.dropFirst()).count { $0 != $1 }
        #expect(frameCount == 360 && changeCount >= 2, "\(frameCount) pictures, \(changeCount) changes")
        // When a segment is replaced, audio that was already decoded is decoded again; the player drops the repetition.
        #expect(
            decodedAudio.gaps.isEmpty && decodedAudio.repetitions.allSatisfy { $0.length < 1_000_000_000 },
            "\(decodedAudio)")
        // Audio and video begin and end together, apart from the delay of the audio encoder.
        #expect(
            abs(decodedAudio.start ?? .max) < 50_000_000 && abs(decodedAudio.end - 12_000_000_000) < 60_000_000,
            "\(decodedAudio)")
    }
}
