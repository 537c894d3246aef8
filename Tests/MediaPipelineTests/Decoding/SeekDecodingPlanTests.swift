import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct SeekDecodingPlanTests {
    /// The duration of a frame in nanoseconds.
    private static let frameDuration: Int64 = 40_000_000

    /// Returns a ``SeekDecodingPlan`` for video that is not interlaced.
    private func progressivePlan() -> SeekDecodingPlan {
        var plan = SeekDecodingPlan()
        plan.observe(interlaced: false)
        return plan
    }

    /// Evaluates pictures, given in decoding order by their times, for a seek to `target`; returns the times of the
    /// pictures that must be decoded.
    private func decodedTimes(
        _ times: [Int64], before target: Int64, _ plan: SeekDecodingPlan, _ deinterlacing: Deinterlacing = .automatic
    ) -> [Int64] {
        var plan = plan
        return times.filter {
            plan.end(ofPictureAt: $0, before: target, duration: Self.frameDuration, deinterlacing: deinterlacing)
                == nil
        }
    }

    @Test func aPictureThatEndsBeforeTheTargetIsSkipped() {
        // The pictures I B B P B B P in decoding order. The seek target lies in the fifth displayed picture.
        let times = [0, 3, 1, 2, 6, 4, 5].map { $0 * Self.frameDuration }
        let decodedPictureTimes = decodedTimes(times, before: 4 * Self.frameDuration + 1, progressivePlan())
        #expect(
            decodedPictureTimes == [0, 3, 6, 4, 5].map { $0 * Self.frameDuration },
            "the pictures between the first two are skipped")
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
            "the pictures that follow the target in decoding order are skipped")
        var interlacedPlan = progressivePlan()
        interlacedPlan.observe(interlaced: true)
        interlacedPlan.observe(interlaced: false)
        for (plan, deinterlacing) in [
            (interlacedPlan, .automatic), (SeekDecodingPlan(), .automatic), (progressivePlan(), .always),
        ]
            as [(SeekDecodingPlan, Deinterlacing)]
        {
            #expect(
                decodedTimes(times, before: target, plan, deinterlacing).suffix(3)
                    == [6, 7, 8].map { $0 * Self.frameDuration })
        }
        #expect(decodedTimes(times, before: target, interlacedPlan, .never).last == 9 * Self.frameDuration)
    }

    @Test func visiblePictureIsDecodedInAnyDecodingOrder() throws {
        var random = SeededGenerator.printingSeed()
        for _ in 0..<2000 {
            var times: [Int64] = [0]
            for _ in 0..<Int.random(in: 1..<40, using: &random) {
                times.append(times[times.count - 1] + Int64.random(in: 1_000_000...150_000_000, using: &random))
            }
            let target = Int64.random(in: 0...times[times.count - 1], using: &random)
            let visibleTime = try #require(times.last { $0 <= target })
            // Decoding orders with groups of up to five pictures; the last picture of a group is decoded first.
            var decodingOrder: [Int64] = [], remainingTimes = times[...]
            while !remainingTimes.isEmpty {
                let group = remainingTimes.prefix(Int.random(in: 1...5, using: &random))
                remainingTimes = remainingTimes.dropFirst(group.count)
                decodingOrder += group.suffix(1) + group.dropLast().shuffled(using: &random)
            }
            #expect(
                decodedTimes(decodingOrder, before: target, progressivePlan()).contains(visibleTime),
                "\(decodingOrder), sought: \(target)")
        }
    }

    @Test func picturesLongBeforeTheTargetAreSkippedWithoutAKnownSuccessor() {
        var plan = progressivePlan()
        let end = plan.end(
            ofPictureAt: 0, before: 1_000_000_000, duration: Self.frameDuration, deinterlacing: .automatic)
        #expect(end == Self.frameDuration, "the picture ends after its usual duration")
    }

    @Test func aSeekDiscardsThePicturesOfThePreviousSeek() {
        var plan = progressivePlan()
        _ = plan.end(
            ofPictureAt: 5 * Self.frameDuration, before: 6 * Self.frameDuration, duration: Self.frameDuration,
            deinterlacing: .never)
        plan.restart()
        #expect(
            plan.end(
                ofPictureAt: 4 * Self.frameDuration, before: 6 * Self.frameDuration, duration: Self.frameDuration,
                deinterlacing: .never)
                == nil)
    }
}
