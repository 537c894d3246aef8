import CFFmpeg
import Testing

@testable import MediaPipeline

@Suite struct TimeBaseTests {
    /// The time base of MPEG transport streams, 90 kHz.
    private let mpegTimeBase = TimeBase(AVRational(num: 1, den: 90_000))

    @Test func timestampsAreConvertedToNanoseconds() {
        #expect(mpegTimeBase.nanoseconds(90_000) == 1_000_000_000)
        #expect(mpegTimeBase.nanoseconds(-45_000) == -500_000_000)
        #expect(TimeBase(AVRational(num: 1001, den: 30_000)).nanoseconds(30_000) == 1_001_000_000_000)
    }

    @Test func timestampsAreRoundedToTheNearestNanosecond() {
        #expect(mpegTimeBase.nanoseconds(1) == 11_111)
        #expect(mpegTimeBase.nanoseconds(5) == 55_556)
    }

    @Test func aMissingTimestampHasNoTime() {
        #expect(mpegTimeBase.nanoseconds(cffmpeg_no_pts) == nil)
    }

    @Test(arguments: [Int64.max, .min + 1, 1 << 62] as [Int64])
    func anOutOfRangeTimestampHasNoTime(_ timestamp: Int64) {
        #expect(TimeBase(AVRational(num: 1, den: 1)).nanoseconds(timestamp) == nil)
    }

    @Test func timesBeyondTwoToThePowerOf60AreRejected() {
        let timeBase = TimeBase(AVRational(num: 1, den: 1_000_000_000))
        #expect(timeBase.nanoseconds(1 << 60) == 1 << 60)
        #expect(timeBase.nanoseconds(1 << 60 + 1) == nil)
        #expect(timeBase.nanoseconds(-(1 << 60)) == -(1 << 60))
    }

    @Test(arguments: [(0, 1), (1, 0), (-1, 25), (1, -25), (0, 0)] as [(Int32, Int32)])
    func anInvalidTimeBaseBecomes90Kilohertz(_ numerator: Int32, _ denominator: Int32) {
        let timeBase = TimeBase(AVRational(num: numerator, den: denominator))
        #expect(timeBase == TimeBase(AVRational(num: 1, den: 90_000)))
    }

    @Test func aTimeBetweenTwoTimestampsBecomesTheEarlierTimestamp() {
        #expect(mpegTimeBase.timestamp(nanoseconds: 11_110) == 0)
        #expect(mpegTimeBase.timestamp(nanoseconds: 11_112) == 1)
        #expect(mpegTimeBase.timestamp(nanoseconds: -1) == -1)
    }

    @Test func aTimestampSurvivesARoundTrip() {
        for timestamp in [0, 1, 2, 3003, 90_000, 1 << 32, -90_000] as [Int64] {
            // The test adds one nanosecond, because the time may have been rounded down.
            let time = mpegTimeBase.nanoseconds(timestamp) ?? 0
            #expect([timestamp - 1, timestamp].contains(mpegTimeBase.timestamp(nanoseconds: time)))
            #expect(mpegTimeBase.timestamp(nanoseconds: time + 1) == timestamp)
        }
    }
}
