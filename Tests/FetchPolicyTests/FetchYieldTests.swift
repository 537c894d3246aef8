import Testing

@testable import FetchPolicy

@Suite struct FetchYieldTests {
    private let minimum = Duration.seconds(900)

    @Test func resultsHaveTheNumbersOfUIKit() {
        #expect(FetchResult.allCases.map(\.rawValue) == [0, 1, 2])
    }

    @Test func fourFetchesWithoutNewDataDoubleTheInterval() {
        var yield = FetchYield()
        #expect(yield.interval(minimum: minimum) == minimum)
        for _ in 0..<4 { yield.handle(FetchOutcome(.noData)) }
        #expect(yield.interval(minimum: minimum) == minimum * 2)
    }

    @Test func newDataShortensTheInterval() {
        var yield = FetchYield()
        for _ in 0..<8 { yield.handle(FetchOutcome(.noData)) }
        yield.handle(FetchOutcome(.newData))
        #expect(yield.interval(minimum: minimum) < minimum * 2)
    }

    @Test func theIntervalEndsAtADay() {
        var yield = FetchYield()
        for _ in 0..<1000 { yield.handle(FetchOutcome(.noData)) }
        #expect(yield.interval(minimum: minimum) == .seconds(86_400))
        #expect(yield.interval(minimum: .seconds(200_000)) == .seconds(200_000))
    }

    @Test func theLongestIntervalReturnsToTheMinimumWithinThreeFetches() {
        var yield = FetchYield()
        for _ in 0..<1000 { yield.handle(FetchOutcome(.noData)) }
        for _ in 0..<3 { yield.handle(FetchOutcome(.newData)) }
        #expect(yield.interval(minimum: minimum) == minimum)
    }

    @Test func failuresHaveTheirOwnDelay() {
        var yield = FetchYield()
        #expect(yield.failureDelay == .zero)
        let delays = (0..<8).map { _ in
            yield.handle(FetchOutcome(.failed))
            return yield.failureDelay
        }
        #expect(delays == [60, 120, 240, 480, 960, 1920, 3600, 3600].map { .seconds($0) })
        #expect(yield.interval(minimum: minimum) == minimum)
        yield.handle(FetchOutcome(.noData))
        #expect(yield.failureDelay == .zero)
    }

    @Test func aProgramThatHadToBeStoppedWaitsLong() {
        var yield = FetchYield()
        yield.handle(FetchOutcome(.newData, wasStopped: true))
        #expect(yield.failureDelay >= .seconds(1800) && yield.stepCount == 0)
    }

    @Test func theLeadCoversNineOfTenFetches() {
        var yield = FetchYield()
        #expect(yield.lead == .seconds(310))
        for number in 1...10 { yield.handle(FetchOutcome(.newData, wallTime: .seconds(number == 5 ? 29 : 2))) }
        #expect(yield.lead == .seconds(329))
        for _ in 0..<20 { yield.handle(FetchOutcome(.newData, wallTime: .seconds(3))) }
        #expect(yield.lead == .seconds(303) && yield.wallTimes.count == 20)
    }

    @Test func usefulProgramsOfLittleCostComeFirst() {
        var useful = FetchYield()
        var empty = FetchYield()
        var costly = FetchYield()
        for _ in 0..<5 {
            useful.handle(FetchOutcome(.newData, cpuTime: .milliseconds(100)))
            empty.handle(FetchOutcome(.noData, cpuTime: .milliseconds(100)))
            costly.handle(FetchOutcome(.newData, cpuTime: .seconds(10)))
        }
        #expect(useful.usefulness > empty.usefulness && useful.usefulness > costly.usefulness)
    }

    @Test func storedValuesAreClamped() {
        #expect(FetchYield(stepCount: -3, failureCount: -3) == FetchYield())
        #expect(FetchYield(stepCount: 1000, failureCount: 1000).failureDelay == .seconds(3600))
    }

    @Test func aPeakWithoutNewDataIsLeftOutEverySecondDay() {
        var yields = PeakYields()
        let target: Int64 = 19_723 * 86_400 + 13 * 3600
        for day in 0..<4 {
            #expect(!yields.skipsPeak(target: target + Int64(day) * 86_400))
            yields.handle(.noData, target: target + Int64(day) * 86_400)
        }
        #expect(yields.skipsPeak(target: target + 4 * 86_400))
        #expect(!yields.skipsPeak(target: target + 5 * 86_400))
        #expect(!yields.skipsPeak(target: target + 4 * 86_400 + 6 * 3600))
        yields.handle(.newData, target: target + 5 * 86_400)
        #expect(!yields.skipsPeak(target: target + 6 * 86_400))
    }

    @Test func failedFetchesSayNothingAboutAPeak() {
        var yields = PeakYields()
        for day in 0..<9 { yields.handle(.failed, target: Int64(day) * 86_400) }
        #expect(!yields.skipsPeak(target: 9 * 86_400))
    }
}
