import TestSupport
import Testing

@testable import MediaPipeline

/// Tests of exact seeks in containers without an index. Each frame of the files shows its number.
@Suite struct DemuxerSeekingTests {
    /// The duration of a frame in nanoseconds.
    private static let frameDuration: Int64 = 1_000_000_000 / 30

    /// Returns the presentation time of a frame at 30 frames a second, in nanoseconds.
    private func time(ofFrame number: Int) -> Int64 { Int64(number) * 1_000_000_000 / 30 }

    @Test(arguments: [
        ("sparse.ts", 600), ("sparse.mpg", 600), ("count30.ts", 600), ("wrap.ts", 300), ("raw.h264", 300),
        ("live.mkv", 300),
        ("fragments.mp4", 300), ("film.flv", 300), ("film.ogv", 300), ("film.avi", 300), ("count30.webm", 300),
    ])
    func anExactSeekLandsOnTheSoughtFrameWithoutAnIndex(_ name: String, _ frameCount: Int) throws {
        let reader = try MediaReader(try Fixtures.path(name))
        let info = try reader.outcome().get()
        #expect(info.isSeekable)
        // The first frame may start later than the audio.
        let firstFrame = try #require(try reader.next())
        #expect(frameNumber(of: firstFrame) == 0)
        for (generation, target) in [200, 149, 31, 240, 0, 1, 60, 61, frameCount - 1, 10].enumerated() {
            let time = firstFrame.presentationTime + self.time(ofFrame: target) + Self.frameDuration / 2
            reader.source.seek(SeekRequest(time: time, precision: .exact, generation: UInt32(generation + 1)))
            let frame = try #require(try reader.next(), "no frame for \(target)")
            #expect(
                frameNumber(of: frame) == target,
                "\(target): \(String(describing: frameNumber(of: frame))) at \(frame.presentationTime) for \(time)")
            if target + 1 < frameCount {
                #expect(try reader.next().flatMap(frameNumber) == target + 1, "after \(target)")
            }
        }
    }

    /// In every container, a seek with a tolerance shows either the sought frame or a keyframe within the tolerance.
    /// Reading then continues frame by frame.
    @Test(arguments: [
        "count30.mp4", "count30.mkv", "count30.ts", "sparse.ts", "sparse.mpg", "film.avi", "live.mkv", "count30.webm",
    ])
    func aSeekWithToleranceLandsWithinTheTolerance(_ name: String) throws {
        let reader = try MediaReader(try Fixtures.path(name))
        _ = try reader.outcome().get()
        let firstFrame = try #require(try reader.next())
        var random = SeededGenerator(seed: 11), generation: UInt32 = 0, keyframes: Set<Int> = []
        for round in 0..<40 {
            generation += 1
            let target = Int(random.next() % 280) + 5
            let earliestFrame = round % 4 == 0 ? target : max(0, target - Int(random.next() % 40))
            let latestFrame = round % 4 == 1 ? target : target + Int(random.next() % 90)
            func time(_ frame: Int) -> Int64 { firstFrame.presentationTime + self.time(ofFrame: frame) + 1_000_000 }
            reader.source.seek(
                SeekRequest(
                    time: time(target) + Self.frameDuration / 4,
                    precision: .near(time(earliestFrame) - 2_000_000...time(latestFrame)),
                    generation: generation))
            let frame = try #require(try reader.next(), "no frame for \(target)")
            let reachedNumber = try #require(frameNumber(of: frame))
            #expect(
                (earliestFrame...latestFrame).contains(reachedNumber),
                "round \(round): \(reachedNumber) for \(target) in \(earliestFrame)...\(latestFrame)")
            if reachedNumber != target { keyframes.insert(reachedNumber) }
            #expect(try reader.next().flatMap(frameNumber) == reachedNumber + 1, "after \(reachedNumber)")
        }
        // Inexact seeks land on keyframes. The file has few keyframes, so these seeks land on few different frames.
        #expect(keyframes.count < 30, "\(keyframes.sorted())")
        #expect(!keyframes.isEmpty, "every seek was exact: the tolerance was ignored")
    }

    /// A seek near the end must find the last frame, although only a few packets have been read.
    @Test(arguments: ["film.flv", "film.ogv", "film.avi", "live.mkv", "fragments.mp4"])
    func seekNearTheEndFindsTheLastFrame(_ name: String) throws {
        let reader = try MediaReader(try Fixtures.path(name))
        let firstFrame = try #require(try reader.next())
        let time = firstFrame.presentationTime + time(ofFrame: 299)
        for (generation, offset) in [Self.frameDuration / 2, 5_000_000_000].enumerated() {
            reader.source.seek(SeekRequest(time: time + offset, precision: .exact, generation: UInt32(generation + 1)))
            #expect(try reader.next().flatMap(frameNumber) == 299, "\(offset) ns after its start")
        }
    }

    @Test func concatenatedStreamsPlayAsOneItem() throws {
        let reader = try MediaReader(try Fixtures.path("joined.ts"))
        var frameCount = 0, mismatches: [String] = [], times: [Int64] = []
        while let frame = try reader.next() {
            let shownNumber = frameNumber(of: frame)
            if shownNumber != frameCount { mismatches.append("\(frameCount) is \(String(describing: shownNumber))") }
            times.append(frame.presentationTime)
            frameCount += 1
        }
        #expect(frameCount == 450 && mismatches.isEmpty, "\(frameCount): \(mismatches.prefix(4))")
        let irregularIntervals = zip(times, times.dropFirst()).map { $1 - $0 }.enumerated().filter {
            abs($0.element - Self.frameDuration) > Self.frameDuration / 2
        }
        #expect(irregularIntervals.isEmpty, "\(irregularIntervals.prefix(5))")
        // Every frame that has been read is found by a seek.
        let startTime = try #require(times.first)
        for (generation, target) in [400, 100, 160, 310, 149, 151, 0].enumerated() {
            reader.source.seek(
                SeekRequest(
                    time: startTime + time(ofFrame: target) + Self.frameDuration / 2, precision: .exact,
                    generation: UInt32(generation + 1)))
            let reachedNumber = try reader.next().flatMap(frameNumber)
            #expect(reachedNumber == target, "\(target): \(String(describing: reachedNumber))")
        }
    }

    @Test func timestampsThatWrapAroundContinue() throws {
        let reader = try MediaReader(try Fixtures.path("wrap.ts"), wantsAudio: false)
        let mediaInfo = try reader.outcome().get()
        #expect(abs((mediaInfo.duration ?? 0) - 10_000_000_000) < 200_000_000, "\(mediaInfo.duration ?? 0)")
        var frameCount = 0, previousTime = Int64.min
        while let frame = try reader.next() {
            #expect(
                frameNumber(of: frame) == frameCount && frame.presentationTime > previousTime
                    && frame.presentationTime < 11_000_000_000)
            previousTime = frame.presentationTime
            frameCount += 1
        }
        #expect(frameCount == 300)
    }

    @Test func programmeWithAudioIsPlayed() throws {
        let reader = try MediaReader(try Fixtures.path("programmes.ts"), wantsAudio: true)
        let info = try reader.outcome().get()
        #expect(info.video?.streamIndex == 1 && info.audio?.streamIndex == 2, "\(info)")
    }

    @Test func durationIsKnownAtTheEndOfPlayback() throws {
        for (name, seconds) in [("raw.h264", 10.0), ("live.mkv", 10.0)] {
            let reader = try MediaReader(try Fixtures.path(name))
            let info = try reader.outcome().get()
            var duration = info.duration
            while try reader.next() != nil {}
            while let event = reader.source.events.popIfAny() {
                if case .durationKnown(let knownDuration) = event { duration = knownDuration }
            }
            #expect(
                abs(Double(duration ?? 0) / 1e9 - seconds) < 0.1,
                "\(name): \(duration ?? -1), \(info.duration ?? -1) stated")
        }
    }
}
