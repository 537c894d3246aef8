import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct SeekEffortTests {
    private static let frame: Int64 = 40_000_000

    private func plain() -> SeekEffort {
        var effort = SeekEffort()
        effort.met(interlaced: false)
        return effort
    }

    /// Evaluates pictures in decoding order; returns the times of those that must be decoded.
    private func decoded(
        _ times: [Int64], before target: Int64, _ effort: SeekEffort, _ deinterlacing: Deinterlacing = .automatic
    ) -> [Int64] {
        var effort = effort
        return times.filter {
            effort.end(ofPictureAt: $0, before: target, duration: Self.frame, deinterlacing: deinterlacing) == nil
        }
    }

    @Test func aPictureThatEndsBeforeTheTargetIsSkipped() {
        // I B B P B B P in decoding order; the target is the fifth picture.
        let times = [0, 3, 1, 2, 6, 4, 5].map { $0 * Self.frame }
        let seen = decoded(times, before: 4 * Self.frame + 1, plain())
        #expect(seen == [0, 3, 6, 4, 5].map { $0 * Self.frame }, "skips those between the first two")
    }

    @Test func aPictureThatLastsUntilTheTargetIsDecoded() {
        // The second picture is visible until the third one begins, however long that takes.
        let times: [Int64] = [0, 240, 40, 200].map { $0 * 1_000_000 }
        #expect(decoded(times, before: 190_000_000, plain()).contains(40_000_000))
    }

    @Test func interlacedPicturesNeededByTheDeinterlacerAreDecoded() {
        let times = [0, 1, 2, 3, 4, 9, 5, 6, 7, 8].map { $0 * Self.frame }
        let target = 9 * Self.frame
        #expect(decoded(times, before: target, plain()).suffix(1) == [9 * Self.frame], "skips those after it")
        var interlaced = plain()
        interlaced.met(interlaced: true)
        interlaced.met(interlaced: false)
        for (effort, deinterlacing) in [(interlaced, .automatic), (SeekEffort(), .automatic), (plain(), .always)]
            as [(SeekEffort, Deinterlacing)]
        {
            #expect(
                decoded(times, before: target, effort, deinterlacing).suffix(3) == [6, 7, 8].map { $0 * Self.frame })
        }
        #expect(decoded(times, before: target, interlaced, .never).last == 9 * Self.frame)
    }

    @Test func theVisiblePictureIsDecodedInAnyDecodingOrder() throws {
        var random = SeededGenerator.printingSeed()
        for _ in 0..<2000 {
            var times: [Int64] = [0]
            for _ in 0..<Int.random(in: 1..<40, using: &random) {
                times.append(times[times.count - 1] + Int64.random(in: 1_000_000...150_000_000, using: &random))
            }
            let target = Int64.random(in: 0...times[times.count - 1], using: &random)
            let seen = try #require(times.last { $0 <= target })
            // Groups of up to five pictures; the last picture of a group is decoded first.
            var order: [Int64] = [], rest = times[...]
            while !rest.isEmpty {
                let group = rest.prefix(Int.random(in: 1...5, using: &random))
                rest = rest.dropFirst(group.count)
                order += group.suffix(1) + group.dropLast().shuffled(using: &random)
            }
            #expect(decoded(order, before: target, plain()).contains(seen), "\(order), sought: \(target)")
        }
    }

    @Test func picturesLongBeforeTheTargetAreSkippedWithoutAKnownSuccessor() {
        var effort = plain()
        let end = effort.end(
            ofPictureAt: 0, before: 1_000_000_000, duration: Self.frame, deinterlacing: .automatic)
        #expect(end == Self.frame, "the picture ends after its usual duration")
    }

    @Test func aSeekDiscardsThePicturesOfThePreviousSeek() {
        var effort = plain()
        _ = effort.end(ofPictureAt: 5 * Self.frame, before: 6 * Self.frame, duration: Self.frame, deinterlacing: .never)
        effort.restart()
        #expect(
            effort.end(ofPictureAt: 4 * Self.frame, before: 6 * Self.frame, duration: Self.frame, deinterlacing: .never)
                == nil)
    }
}
