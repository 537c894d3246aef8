import Testing

@testable import MediaPipeline

@Suite struct ReadingLimitsTests {
    @Test("A sum of seven bounded times cannot overflow")
    func sumOfSevenBoundedTimesCannotOverflow() {
        let largestTimes = [Int64](repeating: .max, count: 7).map(\.boundedTime)
        let smallestTimes = [Int64](repeating: .min, count: 7).map(\.boundedTime)
        for times in [largestTimes, smallestTimes] {
            var sum: Int64 = 0, hasOverflow = false
            for time in times {
                let (partialSum, overflow) = sum.addingReportingOverflow(time)
                (sum, hasOverflow) = (partialSum, hasOverflow || overflow)
            }
            #expect(!hasOverflow)
        }
    }
}
