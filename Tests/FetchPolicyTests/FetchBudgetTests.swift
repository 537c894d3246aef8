import Testing

@testable import FetchPolicy

@Suite struct FetchBudgetTests {
    @Test(
        arguments: [
            (nil, UsageBucket.idle), (0, .active), (1, .working), (12 * 3600 - 1, .working), (12 * 3600, .frequent),
            (24 * 3600, .rare), (48 * 3600, .idle),
        ] as [(Int?, UsageBucket)])
    func theBucketFollowsFromTheLastUse(_ seconds: Int?, _ bucket: UsageBucket) {
        #expect(UsageBucket(timeSinceUse: seconds.map { .seconds($0) }) == bucket)
    }

    @Test func unusedProgramsHaveSmallerShares() {
        #expect(UsageBucket.allCases.map(\.percent) == [100, 100, 50, 15, 4])
    }

    @Test(arguments: [(UsageBucket.working, 48), (.frequent, 24), (.rare, 7), (.idle, 1)])
    func wakesOfADayAreLimited(_ bucket: UsageBucket, _ limit: Int) {
        var budget = FetchBudget()
        var count = 0
        for minute in 0..<24 * 60 {
            let now = Duration.seconds(minute * 60)
            guard budget.nextPermittedTime(now: now, bucket: bucket, isMetered: false) == now else { continue }
            budget.handleStart(now: now)
            count += 1
        }
        #expect(count == limit && budget.wakeCount(now: .seconds(86_399)) == limit)
    }

    @Test func theBudgetReturnsWhenTheWakesLeaveThePeriod() {
        var budget = FetchBudget()
        for number in 0..<48 { budget.handleStart(now: .seconds(number)) }
        let next = budget.nextPermittedTime(now: .seconds(100), bucket: .active, isMetered: false)
        #expect(next == .seconds(86_400))
    }

    @Test(arguments: [
        (FetchOutcome(.newData, wallTime: .seconds(600)), false, true),
        (FetchOutcome(.newData, wallTime: .seconds(599)), false, false),
        (FetchOutcome(.newData, cpuTime: .seconds(60)), false, true),
        (FetchOutcome(.newData, bytes: 50_000_000), false, true),
        (FetchOutcome(.newData, bytes: 49_999_999), false, false),
        (FetchOutcome(.newData, bytes: 5_000_000), true, true),
        (FetchOutcome(.newData, bytes: .max), false, true),
    ])
    func timeAndBytesAreLimited(_ outcome: FetchOutcome, _ isMetered: Bool, _ isUsedUp: Bool) {
        var budget = FetchBudget()
        budget.handleStart(now: .seconds(10))
        budget.handleEnd(outcome, startTime: .seconds(10))
        let next = budget.nextPermittedTime(now: .seconds(20), bucket: .working, isMetered: isMetered)
        #expect(next == (isUsedUp ? .seconds(86_410) : .seconds(20)))
    }

    @Test func aStoredBudgetKeepsItsNewestWakesInOrder() {
        let wakes = (0..<1000).reversed().map { FetchBudget.Wake(time: .seconds($0), bytes: 1) }
        let budget = FetchBudget(wakes: wakes)
        #expect(budget.wakes.map(\.time) == (808..<1000).map { .seconds($0) })
    }

    @Test func theRecordedWakesAreBounded() {
        var budget = FetchBudget()
        for number in 0..<10_000 { budget.handleStart(now: .milliseconds(number)) }
        #expect(budget.wakeCount(now: .seconds(10)) <= 4 * FetchBudget.wakeLimit)
    }
}
