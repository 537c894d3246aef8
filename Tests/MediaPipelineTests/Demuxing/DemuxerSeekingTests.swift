import TestSupport
import Testing

@testable import MediaPipeline

/// Exact seeks in containers without an index. Each frame shows its number.
@Suite struct DemuxerSeekingTests {
    private static let frame: Int64 = 1_000_000_000 / 30

    private func time(ofFrame number: Int) -> Int64 { Int64(number) * 1_000_000_000 / 30 }

    @Test(arguments: [
        ("sparse.ts", 600), ("sparse.mpg", 600), ("count30.ts", 600), ("wrap.ts", 300), ("raw.h264", 300),
        ("live.mkv", 300),
        ("fragments.mp4", 300), ("film.flv", 300), ("film.ogv", 300), ("film.avi", 300), ("count30.webm", 300),
    ])
    func anExactSeekLandsOnTheSoughtFrameWithoutAnIndex(_ name: String, _ length: Int) throws {
        let reader = try MediaReader(try Fixtures.path(name))
        let info = try reader.outcome().get()
        #expect(info.isSeekable)
        // The first frame may start later than the audio.
        let first = try #require(try reader.next())
        #expect(number(of: first) == 0)
        for (generation, target) in [200, 149, 31, 240, 0, 1, 60, 61, length - 1, 10].enumerated() {
            let time = first.presentationTime + self.time(ofFrame: target) + Self.frame / 2
            reader.source.seek(SeekRequest(time: time, precision: .exact, generation: UInt32(generation + 1)))
            let frame = try #require(try reader.next(), "no frame for \(target)")
            #expect(
                number(of: frame) == target,
                "\(target): \(String(describing: number(of: frame))) at \(frame.presentationTime) for \(time)")
            if target + 1 < length { #expect(try reader.next().flatMap(number) == target + 1, "after \(target)") }
        }
    }

    /// If the window contains a keyframe, the seek lands either on the sought frame or on a keyframe inside the window,
    /// in every container. Reading then continues frame by frame.
    @Test(arguments: [
        "count30.mp4", "count30.mkv", "count30.ts", "sparse.ts", "sparse.mpg", "film.avi", "live.mkv", "count30.webm",
    ])
    func aSeekWithToleranceLandsInsideItsWindow(_ name: String) throws {
        let reader = try MediaReader(try Fixtures.path(name))
        _ = try reader.outcome().get()
        let first = try #require(try reader.next())
        var random = SeededGenerator(seed: 11), generation: UInt32 = 0, keyframes: Set<Int> = []
        for round in 0..<40 {
            generation += 1
            let target = Int(random.next() % 280) + 5
            let earliest = round % 4 == 0 ? target : max(0, target - Int(random.next() % 40))
            let latest = round % 4 == 1 ? target : target + Int(random.next() % 90)
            func time(_ frame: Int) -> Int64 { first.presentationTime + self.time(ofFrame: frame) + 1_000_000 }
            reader.source.seek(
                SeekRequest(
                    time: time(target) + Self.frame / 4, precision: .near(time(earliest) - 2_000_000...time(latest)),
                    generation: generation))
            let frame = try #require(try reader.next(), "no frame for \(target)")
            let landed = try #require(number(of: frame))
            #expect(
                (earliest...latest).contains(landed),
                "round \(round): \(landed) for \(target) in \(earliest)...\(latest)")
            if landed != target { keyframes.insert(landed) }
            #expect(try reader.next().flatMap(number) == landed + 1, "after \(landed)")
        }
        // Few frames are keyframes, so the seeks land on few different frames besides the sought ones.
        #expect(keyframes.count < 30, "\(keyframes.sorted())")
        #expect(!keyframes.isEmpty, "every seek was exact: the tolerance was ignored")
    }

    /// Independent of how much was read before.
    @Test(arguments: ["film.flv", "film.ogv", "film.avi", "live.mkv", "fragments.mp4"]) func theLastFrameIsFoundAtOnce(
        _ name: String
    ) throws {
        let reader = try MediaReader(try Fixtures.path(name))
        let first = try #require(try reader.next())
        let time = first.presentationTime + time(ofFrame: 299)
        for (generation, excess) in [Self.frame / 2, 5_000_000_000].enumerated() {
            reader.source.seek(SeekRequest(time: time + excess, precision: .exact, generation: UInt32(generation + 1)))
            #expect(try reader.next().flatMap(number) == 299, "\(excess) ns after its start")
        }
    }

    @Test func joinedStreamsPlayAsOneItem() throws {
        let reader = try MediaReader(try Fixtures.path("joined.ts"))
        var count = 0, wrong: [String] = [], times: [Int64] = []
        while let frame = try reader.next() {
            if number(of: frame) != count { wrong.append("\(count) is \(String(describing: number(of: frame)))") }
            times.append(frame.presentationTime)
            count += 1
        }
        #expect(count == 450 && wrong.isEmpty, "\(count): \(wrong.prefix(4))")
        let uneven = zip(times, times.dropFirst()).map { $1 - $0 }.enumerated().filter {
            abs($0.element - Self.frame) > Self.frame / 2
        }
        #expect(uneven.isEmpty, "\(uneven.prefix(5))")
        // Every frame that has been read can be sought.
        let begin = try #require(times.first)
        for (generation, target) in [400, 100, 160, 310, 149, 151, 0].enumerated() {
            reader.source.seek(
                SeekRequest(
                    time: begin + time(ofFrame: target) + Self.frame / 2, precision: .exact,
                    generation: UInt32(generation + 1)))
            let landed = try reader.next()
            #expect(landed.flatMap(number) == target, "\(target): \(String(describing: landed.flatMap(number)))")
        }
    }

    @Test func aClockThatWrapsAroundContinues() throws {
        let reader = try MediaReader(try Fixtures.path("wrap.ts"), wantsAudio: false)
        let info = try reader.outcome().get()
        #expect(abs((info.duration ?? 0) - 10_000_000_000) < 200_000_000, "\(info.duration ?? 0)")
        var count = 0, last = Int64.min
        while let frame = try reader.next() {
            #expect(
                number(of: frame) == count && frame.presentationTime > last && frame.presentationTime < 11_000_000_000)
            last = frame.presentationTime
            count += 1
        }
        #expect(count == 300)
    }

    @Test func theProgrammeWithAudioIsPlayed() throws {
        let reader = try MediaReader(try Fixtures.path("programmes.ts"), wantsAudio: true)
        let info = try reader.outcome().get()
        #expect(info.video?.streamIndex == 1 && info.audio?.streamIndex == 2, "\(info)")
    }

    @Test func theDurationIsKnownAtTheEndAtTheLatest() throws {
        for (name, seconds) in [("raw.h264", 10.0), ("live.mkv", 10.0)] {
            let reader = try MediaReader(try Fixtures.path(name))
            let info = try reader.outcome().get()
            var known = info.duration
            while try reader.next() != nil {}
            while let event = reader.source.events.popIfAny() {
                if case .durationKnown(let length) = event { known = length }
            }
            #expect(
                abs(Double(known ?? 0) / 1e9 - seconds) < 0.1, "\(name): \(known ?? -1), \(info.duration ?? -1) stated")
        }
    }
}
