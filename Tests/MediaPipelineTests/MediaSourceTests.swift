import Foundation
import SystemCalls
import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct MediaSourceTests {
    /// The duration of a frame at 30 frames a second, in nanoseconds.
    private static let frameDuration: Int64 = 1_000_000_000 / 30

    /// Returns the presentation time of a frame at 30 frames a second, in nanoseconds.
    private func time(ofFrame number: Int) -> Int64 { Int64(number) * 1_000_000_000 / 30 }

    @Test func openingReportsTheContentsOfTheFile() throws {
        let reader = try MediaReader(try Fixtures.path("count30.mp4"), wantsAudio: true)
        let info = try reader.outcome().get()
        #expect(
            info.video?.codec == "h264" && info.video?.width == 640 && info.video?.height == 360
                && info.video?.frameRate == 30)
        #expect(info.audio?.codec == "aac" && info.audio?.sampleRate == 48_000 && info.audio?.channels == 2)
        #expect(info.isSeekable && info.warnings.isEmpty)
        let duration = try #require(info.duration)
        #expect(abs(duration - 20_000_000_000) < 100_000_000)
    }

    @Test(arguments: ["count30.mp4", "count30.mkv", "count30.ts"]) func everyFrameIsDeliveredOnceInOrderAtItsTime(
        _ name: String
    ) throws {
        let reader = try MediaReader(try Fixtures.path(name))
        var frameCount = 0, mismatches: [String] = []
        // The media time 0 is the start of the track that starts first, which may be the audio.
        var start: Int64?
        while let frame = try reader.next() {
            let firstTime = start ?? frame.presentationTime
            start = firstTime
            let deviation = abs(frame.presentationTime - firstTime - time(ofFrame: frameCount))
            if frameNumber(of: frame) != frameCount || deviation > 1_000_000 {
                mismatches.append(
                    "\(frameCount): \(String(describing: frameNumber(of: frame))) at \(frame.presentationTime)")
            }
            frameCount += 1
        }
        #expect(frameCount == 600)
        #expect(mismatches.isEmpty, "\(mismatches.prefix(3))")
        #expect(start.map { (0..<50_000_000).contains($0) } == true)
    }

    @Test(arguments: ["count30.mp4", "count30.mkv"]) func anExactSeekLandsOnTheSoughtFrame(_ name: String) throws {
        let reader = try MediaReader(try Fixtures.path(name))
        _ = try reader.outcome().get()
        for (generation, target) in [300, 59, 60, 61, 0, 599, 1, 450].enumerated() {
            reader.source.seek(
                SeekRequest(
                    time: time(ofFrame: target) + Self.frameDuration / 2, precision: .exact,
                    generation: UInt32(generation + 1))
            )
            let frame = try #require(try reader.next())
            #expect(frameNumber(of: frame) == target && frame.generation == UInt32(generation + 1))
            if target < 599 { #expect(try reader.next().flatMap(frameNumber) == target + 1) }
        }
    }

    /// Seeks that continue decoding without a flush deliver the same pictures, bit for bit, as playback from the start.
    @Test(arguments: ["count30.mp4", "count30.mkv", "count30.ts", "count30.webm", "film.avi"])
    func forwardSeeksDeliverTheSamePictures(_ name: String) throws {
        let path = try Fixtures.path(name)
        var checksums: [Int64: String] = [:], times: [Int64] = []
        let sequentialReader = try MediaReader(path) { $0.checksumHash = .md5 }
        while let frame = try sequentialReader.next() {
            checksums[frame.presentationTime] = frame.decodedPictures.first?.checksum
            times.append(frame.presentationTime)
        }
        try #require(times.count > 100 && checksums.count == times.count)
        let reader = try MediaReader(path) { $0.checksumHash = .md5 }
        _ = try reader.outcome().get()
        var random = SeededGenerator(seed: 7), position = 0, mismatches: [String] = []
        for generation in 1...60 {
            // The test seeks mostly a little ahead, as when a slider is dragged, and sometimes far ahead or back.
            position =
                random.next() % 8 == 0
                ? Int(random.next() % UInt64(times.count)) : min(times.count - 1, position + Int(random.next() % 12))
            reader.source.seek(
                SeekRequest(time: times[position] + 1_000_000, precision: .exact, generation: UInt32(generation)))
            // The test abandons some seeks before their picture arrives.
            if random.next() % 4 == 0 { continue }
            for index in position..<min(times.count, position + Int(random.next() % 5) + 1) {
                let frame = try #require(try reader.next(), "no frame at \(index)")
                let checksum = frame.decodedPictures.first?.checksum
                if frame.presentationTime != times[index] || checksum != checksums[times[index]] {
                    mismatches.append("\(generation): \(frame.presentationTime) for \(times[index])")
                }
            }
        }
        #expect(mismatches.isEmpty, "\(mismatches.prefix(5))")
    }

    @Test func forwardSeekWithoutAKeyframeDecodesOnlyThePicturesBetween() throws {
        let reader = try MediaReader(try Fixtures.path("count30.mp4"))
        _ = try reader.outcome().get()
        func decodedPictureCount(seekingTo target: Int, _ generation: UInt32) throws -> Int {
            let countBeforeSeek = reader.source.decodeTimes.count
            reader.source.seek(
                SeekRequest(
                    time: time(ofFrame: target) + Self.frameDuration / 2, precision: .exact, generation: generation))
            #expect(try reader.next().flatMap(frameNumber) == target)
            return reader.source.decodeTimes.count - countBeforeSeek
        }
        // The clip has a keyframe at every 60th picture.
        #expect(try decodedPictureCount(seekingTo: 160, 1) >= 40)
        #expect(try decodedPictureCount(seekingTo: 175, 2) < 25)
        #expect(try decodedPictureCount(seekingTo: 174, 3) >= 54, "a backward seek restarts decoding")
    }

    @Test func keyframeSeekLandsOnThePrecedingKeyframe() throws {
        let reader = try MediaReader(try Fixtures.path("count30.mp4"))
        _ = try reader.outcome().get()
        for (generation, target) in [310, 30, 599].enumerated() {
            reader.source.seek(
                SeekRequest(time: time(ofFrame: target), precision: .keyframe, generation: UInt32(generation + 1)))
            let frame = try #require(try reader.next())
            let reachedFrame = try #require(frameNumber(of: frame))
            #expect(reachedFrame <= target && reachedFrame > target - 60 - 3, "\(reachedFrame) for \(target)")
        }
    }

    @Test func onlyTheNewestSeekDeliversFrames() throws {
        let reader = try MediaReader(try Fixtures.path("count30.mp4"))
        _ = try reader.outcome().get()
        var generation: UInt32 = 0
        for round in 0..<5 {
            for step in 0..<40 {
                generation += 1
                reader.source.seek(
                    SeekRequest(
                        time: time(ofFrame: (step * 97 + round * 13) % 600), precision: .exact, generation: generation))
            }
            generation += 1
            reader.source.seek(
                SeekRequest(
                    time: time(ofFrame: 100 * round + 7) + Self.frameDuration / 2, precision: .exact,
                    generation: generation))
            let frame = try #require(try reader.next())
            #expect(frame.generation == generation && frameNumber(of: frame) == 100 * round + 7)
        }
    }

    @Test func aSeekAfterTheEndContinuesPlayback() throws {
        let reader = try MediaReader(try Fixtures.path("short.mp4"))
        var frameCount = 0
        while try reader.next() != nil { frameCount += 1 }
        #expect(frameCount == 60)
        reader.source.seek(SeekRequest(time: 0, precision: .exact, generation: 1))
        #expect(try reader.next().flatMap(frameNumber) == 0)
    }

    @Test(arguments: [
        ("missing.mp4", MediaError.Code.notFound), (".", .isDirectory), ("empty.mp4", .isEmpty),
        ("text.mp4", .notMedia), ("nomoov.mp4", .notMedia),
        ("unsupported.mp4", .unsupportedCodec),
    ])
    func anUnplayableFileReportsItsErrorCode(_ name: String, _ code: MediaError.Code) throws {
        let reader = try MediaReader(Fixtures.directory + "/" + name)
        guard case .failure(let error) = try reader.outcome() else {
            Issue.record("\(name) was opened")
            return
        }
        #expect(error.code == code, "\(error)")
        #expect(!error.message.isEmpty && !error.message.contains("\n") && !error.message.contains(Fixtures.directory))
    }

    @Test func truncatedFilePlaysUntilItsEnd() throws {
        let reader = try MediaReader(try Fixtures.path("truncated.mp4"))
        _ = try reader.outcome().get()
        var frameCount = 0
        while let frame = try reader.next() {
            if frameCount < 200 { #expect(frameNumber(of: frame) == frameCount) }
            frameCount += 1
        }
        #expect(frameCount > 200 && frameCount < 600)
    }

    @Test func sourceWithFullQueuesCanBeClosed() throws {
        let reader = try MediaReader(try Fixtures.path("count30.mp4"))
        _ = try reader.outcome().get()
        // The test removes no frames from the frame queue. The decoder therefore waits for space in the frame queue,
        // and the demuxer waits for space in the packet queue.
        #expect(
            Deadline.poll(for: .seconds(30)) { reader.source.video.count == reader.source.video.limit ? true : nil }
                == true)
        reader.source.close()
        #expect(reader.source.video.pop() == nil && reader.source.events.pop() == nil)
        #expect(reader.pool.usage.frames == reader.pool.usage.free, "all memory was returned")
    }

    @Test func aLocalPlaylistWithoutAnEndTagPlaysToItsEnd() throws {
        let clip = try Fixtures.path("count30.ts")
        let playlistPath = NSTemporaryDirectory() + "endless-\(UUID().uuidString).m3u8"
        try Data("#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:20\n#EXTINF:20,\nfile://\(clip)\n".utf8).write(
            to: URL(fileURLWithPath: playlistPath))
        defer { try? FileManager.default.removeItem(atPath: playlistPath) }
        let reader = try MediaReader(playlistPath)
        var frameCount = 0
        while try reader.next() != nil { frameCount += 1 }
        #expect(frameCount == 600)
    }

    @Test func aSourceCanBeClosedBeforeItIsOpen() throws {
        for _ in 0..<20 {
            let reader = try MediaReader(try Fixtures.path("count30.mp4"))
            reader.source.close()
            #expect(reader.source.video.pop() == nil)
        }
    }
}
