import Testing

@testable import MediaPipeline

@Suite struct SegmentInformationTests {
    private func information(timescale: Int) -> SegmentInformation {
        var information = SegmentInformation(source: .file)
        information.timescale = timescale
        return information
    }

    @Test(
        arguments: [
            (1, 3, 3_000_000_000), (90_000, 90_000, 1_000_000_000), (30_000, 1001, 33_366_666), (3, -1, -333_333_333),
            (1, 0, 0),
        ] as [(Int, Int, Int64)])
    func timeUnitsAreConvertedToNanoseconds(_ timescale: Int, _ time: Int, _ nanoseconds: Int64) {
        #expect(information(timescale: timescale).nanoseconds(time) == nanoseconds)
    }

    @Test("times beyond the limit are clamped, with their sign", arguments: [1, 7, 90_000])
    func largeTimesAreClamped(_ timescale: Int) {
        let largest = information(timescale: timescale).nanoseconds(.max)
        #expect((145...147).contains(largest / (365 * 86_400 * 1_000_000_000)), "\(largest)")
        #expect(information(timescale: timescale).nanoseconds(.min) == -largest)
        #expect(information(timescale: .max).nanoseconds(.max) == 1_000_000_000)
    }

    @Test("an invalid timescale counts as 1", arguments: [0, -5, Int.min])
    func invalidTimescaleCountsAsOne(_ timescale: Int) {
        #expect(SegmentInformation.nanoseconds(2, timescale: timescale) == 2_000_000_000)
    }

    @Test("a time in nanoseconds becomes the time unit at or before it", arguments: [1, 600, 30_000, 10_000_000])
    func timesAreConvertedBack(_ timescale: Int) {
        let information = information(timescale: timescale)
        for time in [0, 1, 2, 1001, 123_456_789] {
            let nanoseconds = information.nanoseconds(time)
            #expect([time - 1, time].contains(information.time(ofNanoseconds: nanoseconds)))
            #expect(information.time(ofNanoseconds: nanoseconds + 1) == time)
        }
        #expect(information.time(ofNanoseconds: -1) == 0)
        #expect(information.time(ofNanoseconds: .max) <= XMLElement.largestInteger)
    }

    @Test("the longest duration is that of the timeline, if there is one")
    func longestDurationIsThatOfTheTimeline() {
        var information = information(timescale: 10)
        #expect(information.longestDuration == 0)
        information.duration = 40
        #expect(information.longestDuration == 4_000_000_000)
        information.timeline = [.init(start: 0, duration: 20, count: 3), .init(start: 60, duration: 25, count: nil)]
        #expect(information.longestDuration == 2_500_000_000)
    }
}
