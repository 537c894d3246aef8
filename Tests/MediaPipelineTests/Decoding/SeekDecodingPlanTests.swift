import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct SeekDecodingPlanTests {
    /// The duration of a frame in nanoseconds.
    private static let frameDuration: Int64 = 40_000_000

    /// Returns a ``SeekDecodingPlan`` for video that is not interlaced.
    private func progressivePlan() -> SeekDecodingPlan {
        var effort = SeekDecodingPlan()
        effort.observe(interlaced: false)
        return effort
    }

    /// Evaluates pictures, given in decoding order by their times, for a seek to `target`; returns the times of the
    /// pictures that must be decoded.
    private func decodedTimes(
        _ times: [Int64], before target: Int64, _ effort: SeekDecodingPlan, _ deinterlacing: Deinterlacing = .automatic
    ) -> [Int64] {
        var effort = effort
        return times.filter {
            effort.end(ofPictureAt: $0, before: target, duration: Self.frameDuration, deinterlacing: deinterlacing)
                == nil
        }
    }

    @Test func aPictureThatEndsBeforeTheTargetIsSkipped() {
        // The pictures I B B P B B P in decoding order. The seek target lies in the fifth displayed picture.
        let times = [0, 3, 1, 2, 6, 4, 5].map { $0 * Self.frameDuration }
        let seen = decodedTimes(times, before: 4 * Self.frameDuration + 1, progressivePlan())
        #expect(
            seen == [0, 3, 6, 4, 5].map { $0 * Self.frameDuration }, "the pictures between the first two are skipped")
    }

    @Test func aPictureThatLastsUntilTheTargetIsDecoded() {
        // The second displayed picture is shown from 40 ms until the third one begins at 200 ms.
        let times: [Int64] = [0, 240, 40, 200].map { $0 * 1_000_000 }
        #expect(decodedTimes(times, before: 190_000_000, progressivePlan()).contains(40_000_000))
    }

    @Test func interlacedPicturesNeededByTheDeinterlacerAreDecoded() {
        let times = [0, 1, 2, 3, 4, 9, 5, 6, 7, 8].map { $0 * Self.frameDuration }
        let target = 9 * Self.frameDuration
        #expect(
            decodedTimes(times, before: target, progressivePlan()).suffix(1) == [9 * Self.frameDuration],
            "the pictures decoded after it are skipped")
        var interlaced = progressivePlan()
        interlaced.observe(interlaced: true)
        interlaced.observe(interlaced: false)
        for (effort, deinterlacing) in [
            (interlaced, .automatic), (SeekDecodingPlan(), .automatic), (progressivePlan(), .always),
        ]
            as [(SeekDecodingPlan, Deinterlacing)]
        {
            #expect(
                decodedTimes(times, before: target, effort, deinterlacing).suffix(3)
                    == [6, 7, 8].map { $0 * Self.frameDuration })
        }
        #expect(decodedTimes(times, before: target, interlaced, .never).last == 9 * Self.frameDuration)
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
            // Decoding orders with groups of up to five pictures; the last picture of a group is decoded first.
            var order: [Int64] = [], rest = times[...]
            while !rest.isEmpty {
                let group = rest.prefix(Int.random(in: 1...5, using: &random))
                rest = rest.dropFirst(group.count)
                order += group.suffix(1) + group.dropLast().shuffled(using: &random)
            }
            #expect(
                decodedTimes(order, before: target, progressivePlan()).contains(seen), "\(order), sought: \(target)")
        }
    }

    @Test func picturesLongBeforeTheTargetAreSkippedWithoutAKnownSuccessor() {
        var effort = progressivePlan()
        let end = effort.end(
            ofPictureAt: 0, before: 1_000_000_000, duration: Self.frameDuration, deinterlacing: .automatic)
        #expect(end == Self.frameDuration, "the picture ends after its usual duration")
    }

    @Test func aSeekDiscardsThePicturesOfThePreviousSeek() {
        var effort = progressivePlan()
        _ = effort.end(
            ofPictureAt: 5 * Self.frameDuration, before: 6 * Self.frameDuration, duration: Self.frameDuration,
            deinterlacing: .never)
        effort.restart()
        #expect(
            effort.end(
                ofPictureAt: 4 * Self.frameDuration, before: 6 * Self.frameDuration, duration: Self.frameDuration,
                deinterlacing: .never)
                == nil)
    }
}
