import Testing

@testable import MediaPipeline

@Suite struct ReadingLimitsTests {
    @Test("A sum of seven bounded times cannot overflow")
    func sumOfSevenBoundedTimesCannotOverflow() {
        let largest = [Int64](repeating: .max, count: 7).map(\.boundedTime)
        let smallest = [Int64](repeating: .min, count: 7).map(\.boundedTime)
        for times in [largest, smallest] {
            var sum: Int64 = 0, hasOverflow = false
            for time in times {
                let (partialSum, overflow) = sum.addingReportingOverflow(time)
                (sum, hasOverflow) = (partialSum, hasOverflow || overflow)
            }
            #expect(!hasOverflow)
        }
    }
}
