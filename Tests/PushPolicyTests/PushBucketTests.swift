import Testing

@testable import PushPolicy

@Suite struct PushBucketTests {
    @Test func threeWakesAreFreeAndThenOneEveryTwentyMinutes() {
        var bucket = PushBucket()
        let start = Duration.seconds(50_000)
        var taken: [Int] = []
        for second in 0..<2 * 3600 where bucket.take(now: start + .seconds(second)) { taken.append(second) }
        #expect(taken == [0, 1, 2, 1200, 2400, 3600, 4800, 6000])
    }

    @Test func theBucketNeverHoldsMoreThanThree() {
        var bucket = PushBucket()
        #expect(bucket.take(now: .seconds(10)) == true)
        #expect(bucket.available(now: .seconds(10)) == 2)
        #expect(bucket.available(now: .seconds(1_000_000)) == 3)
    }

    @Test func theNextTimeIsTheTimeOfTheNextFreeWake() {
        var bucket = PushBucket()
        #expect(bucket.nextTime(now: .seconds(5)) == .seconds(5))
        for _ in 0..<3 { _ = bucket.take(now: .seconds(100)) }
        #expect(bucket.nextTime(now: .seconds(200)) == .seconds(1300))
        #expect(bucket.take(now: .seconds(1299)) == false)
        #expect(bucket.take(now: .seconds(1300)) == true)
    }

    @Test func aStoredBucketIsClamped() {
        #expect(PushBucket(count: 99, refillTime: .zero).available(now: .zero) == 3)
        #expect(PushBucket(count: -9, refillTime: .seconds(9)).available(now: .seconds(9)) == 0)
    }

    @Test func aClockThatFallsBackGivesNoWakes() {
        var bucket = PushBucket()
        for _ in 0..<3 { _ = bucket.take(now: .seconds(100_000)) }
        #expect(bucket.available(now: .zero) == 0)
    }
}
