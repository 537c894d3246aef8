import Testing

@testable import FetchPolicy

@Suite struct PeakYieldsTests {
    @Test func storedYieldsOutOfRangeAreIgnored() {
        let yield = PeakYields.Yield(emptyCount: 99, lastDay: LocalDay(number: 1))
        let yields = PeakYields(yields: [-1: yield, 13: yield, 24: yield])
        #expect(yields.yields.keys.sorted() == [13])
        #expect(yields.yields[13]?.emptyCount == PeakYields.emptyLimit)
    }

    @Test func aStoredPeakWithoutNewDataIsSkippedOnTheNextDay() {
        let yield = PeakYields.Yield(emptyCount: PeakYields.emptyLimit, lastDay: LocalDay(number: 1))
        let yields = PeakYields(yields: [13: yield])
        #expect(yields.skipsPeak(target: 2 * 86_400 + 13 * 3600))
        #expect(!yields.skipsPeak(target: 3 * 86_400 + 13 * 3600))
    }
}
