import Foundation
import SharedFrames
import SystemCalls
import TestSupport
import Testing

@testable import MediaPipeline

/// Tests a stream of three parts, separated by discontinuities, from a real HTTP server. In each part the timestamps
/// start again, and the picture size and the audio format change.
///
/// Each part lasts 4 s. The first and the last part show frames 0 to 119 of a clip, the middle part shows frames 120 to
/// 239.
@Suite struct DiscontinuityTests {
    private let folder: TemporaryDirectory
    private let server: LinkServer

    init() throws {
        folder = try TemporaryDirectory()
        let parts = [
            ("first", "0", "480x270", 48_000, 2), ("middle", "4", "320x180", 44_100, 1),
            ("last", "0", "640x360", 48_000, 2),
        ]
        for (name, start, size, rate, channels) in parts {
            try run(
                "ffmpeg",
                [
                    "-v", "error", "-nostdin", "-ss", start, "-t", "4", "-i", Fixtures.path("count30.mkv"), "-s", size,
                    "-c:v", "libx264", "-preset", "veryfast", "-g", "30", "-c:a", "aac", "-ar", "\(rate)", "-ac",
                    "\(channels)", folder.file(name + ".ts"),
                ])
        }
        let playlist = """
            #EXTM3U
            #EXT-X-TARGETDURATION:4
            #EXT-X-PLAYLIST-TYPE:VOD
            #EXTINF:4,
            first.ts
            #EXT-X-DISCONTINUITY
            #EXTINF:4,
            middle.ts
            #EXT-X-DISCONTINUITY
            #EXTINF:4,
            last.ts
            #EXT-X-ENDLIST
            """
        try playlist.write(toFile: folder.file("list.m3u8"), atomically: false, encoding: .utf8)
        server = try LinkServer(folder.path)
    }

    @Test("every picture is played once, at a time that follows the previous one") func everyPictureIsPlayed() throws {
        let reader = try MediaReader(server.address + "/list.m3u8")
        var numbers: [Int?] = [], widths: [Int] = [], times: [Int64] = []
        while let frame = try reader.next() {
            numbers.append(frameNumber(of: frame))
            widths.append(Int(frame.format.layout.width))
            times.append(frame.presentationTime)
        }
        #expect(numbers == Array(0..<240) + Array(0..<120))
        #expect(widths == [480, 320, 640].flatMap { Array(repeating: $0, count: 120) })
        let frameDuration: Int64 = 33_333_333
        #expect(
            zip(times, times.dropFirst()).allSatisfy { $1 > $0 && abs($1 - $0 - frameDuration) < frameDuration },
            "\(times)")
        #expect(times.last.map { abs($0 - 359 * frameDuration) < 2 * frameDuration } == true)
    }

    @Test("audio has no gap of more than 25 ms") func audioHasNoGap() throws {
        let reader = try MediaReader(server.address + "/list.m3u8", wantsAudio: true) {
            $0.tracks.selections.video = .off
        }
        reader.source.setAudioFormat(PCMFormat(rate: 48_000, channels: 2))
        var previousEnd: Int64?, gaps: [Int64] = [], sampleCount = 0
        while case .block(let block)? = reader.source.audio.pop(until: Deadline.after(.seconds(60))) {
            if let previousEnd { gaps.append(abs(block.presentationTime - previousEnd)) }
            previousEnd = block.presentationTime + Int64(block.frameCount) * 1_000_000_000 / 48_000
            sampleCount += block.frameCount
        }
        #expect((gaps.max() ?? .max) <= 25_000_000)
        #expect(abs(sampleCount - 12 * 48_000) < 48 * 60, "\(sampleCount) samples")
    }

    @Test("an exact seek lands on the sought picture in each part") func seekIsExactInEachPart() throws {
        let reader = try MediaReader(server.address + "/list.m3u8")
        let targets: [(seconds: Double, number: Int)] = [(6, 180), (10.5, 75), (1, 30), (8, 0), (4, 120)]
        for (generation, target) in targets.enumerated() {
            let time = Int64(target.seconds * 1e9) + 16_000_000
            reader.source.seek(SeekRequest(time: time, precision: .exact, generation: UInt32(generation + 1)))
            let frame = try #require(try reader.next())
            #expect(frameNumber(of: frame) == target.number, "at \(target.seconds) s")
        }
    }
}
