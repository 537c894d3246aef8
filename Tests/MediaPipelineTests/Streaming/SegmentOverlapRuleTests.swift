import Testing

@testable import MediaPipeline

@Suite struct SegmentOverlapRuleTests {
    /// The duration of a frame in nanoseconds.
    private static let frameDuration: Int64 = 40_000_000

    /// Returns the rule's decisions about pictures with the given frame numbers, which arrive in this order.
    private func verdicts(_ rule: inout SegmentOverlapRule, _ numbers: [Int64]) -> [SegmentOverlapRule.Verdict] {
        numbers.map { rule.judge(track: 0, isVideo: true, time: $0 * Self.frameDuration, duration: Self.frameDuration) }
    }

    @Test func allPicturesOfASegmentAreDelivered() {
        var rule = SegmentOverlapRule()
        rule.beginSegment()
        // The pictures arrive in decoding order, which differs from the order of their times.
        #expect(verdicts(&rule, [0, 3, 1, 2, 6, 4, 5]).allSatisfy { $0 == .deliver })
    }

    @Test("pictures of a new segment that overlap the previous segment are decoded, but not delivered")
    func overlappingPicturesAreOnlyDecoded() {
        var rule = SegmentOverlapRule()
        rule.beginSegment()
        _ = verdicts(&rule, [0, 3, 1, 2])
        rule.beginSegment()
        #expect(
            verdicts(&rule, [0, 3, 1, 2, 6, 4, 5]) == Array(repeating: .decodeOnly, count: 4) + [
                .deliver, .deliver, .deliver,
            ])
    }

    @Test("a long picture that starts soon after the last delivered picture is delivered")
    func longPictureAfterAShortPictureIsDelivered() {
        var rule = SegmentOverlapRule()
        rule.beginSegment()
        _ = verdicts(&rule, [0, 1])
        rule.beginSegment()
        let verdict = rule.judge(
            track: 0, isVideo: true, time: 2 * Self.frameDuration, duration: 100 * Self.frameDuration)
        #expect(verdict == .deliver)
    }

    @Test func audioThatWasMostlyDeliveredIsDropped() {
        var rule = SegmentOverlapRule()
        rule.beginSegment()
        for number in 0..<3 as Range<Int64> {
            _ = rule.judge(track: 1, isVideo: false, time: number * 20, duration: 20)
        }
        rule.beginSegment()
        let verdicts = [39, 49, 51, 60].map { rule.judge(track: 1, isVideo: false, time: $0, duration: 20) }
        #expect(verdicts == [.drop, .drop, .deliver, .deliver])
    }

    @Test func restartDiscardsTheDeliveredTimes() {
        var rule = SegmentOverlapRule()
        rule.beginSegment()
        _ = verdicts(&rule, [5, 6])
        #expect(rule.deliveredEnd == 7 * Self.frameDuration)
        rule.restart()
        rule.beginSegment()
        #expect(rule.isEmpty && verdicts(&rule, [0]) == [.deliver])
    }
}
