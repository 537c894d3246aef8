import FetchPolicy
import TestSupport
import Testing

@testable import BackgroundService

@Suite struct FetchProgramStoredTests {
    /// A record with a value in each part.
    private var record: FetchProgram.Record {
        get throws {
            var record = FetchProgram.Record()
            var weights = [Double](repeating: 0, count: FetchTime.slotsPerDay)
            (weights[0], weights[95]) = (0.5, 2.25)
            let histogram = try #require(UsageHistogram(weights: weights, dayWeight: 3.5))
            record.history = UsageHistory(
                weekdays: histogram, weekends: UsageHistogram(),
                recentDays: [
                    UsageHistory.Day(day: LocalDay(number: -3), slots: [0, 7, 8, 95]),
                    UsageHistory.Day(day: LocalDay(number: 20_000)),
                ])
            record.fetchYield = FetchYield(
                stepCount: 5, failureCount: 2, wallTimes: [.seconds(3), .milliseconds(1)], newDataShare: 0.25,
                cpuSeconds: 1.5)
            record.peakYields = PeakYields(yields: [
                13: PeakYields.Yield(emptyCount: 3, lastDay: LocalDay(number: 19_999))
            ])
            record.budget = FetchBudget(wakes: [
                FetchBudget.Wake(time: .seconds(90), wallTime: .seconds(2), cpuTime: .milliseconds(30), bytes: 77)
            ])
            (record.lastFetch, record.lastFailure, record.lastUse) = (.seconds(90), nil, .seconds(-50))
            return record
        }
    }

    @Test func aRecordRoundTrips() throws {
        let record = try record
        let stored = record.stored(now: .seconds(100))
        #expect(FetchProgram.Record(stored: stored, passed: .seconds(20), now: .seconds(120)) == record)
    }

    @Test func timesMoveWithAStartOfTheMachine() throws {
        let stored = try record.stored(now: .seconds(100))
        let restored = FetchProgram.Record(stored: stored, passed: .seconds(3600), now: .seconds(10))
        #expect(restored.lastFetch == .seconds(10 - 3600 - 10) && restored.lastUse == .seconds(10 - 3600 - 150))
        #expect(restored.budget.wakes.map(\.time) == [.seconds(10 - 3600 - 10)])
    }

    @Test func everyPrefixOfARecordIsForgotten() throws {
        let stored = try record.stored(now: .seconds(100))
        for count in 0..<stored.count {
            let restored = FetchProgram.Record(stored: Array(stored.prefix(count)), passed: .zero, now: .seconds(100))
            #expect(restored == FetchProgram.Record())
        }
    }

    @Test func aRecordOfAnotherVersionIsForgotten() throws {
        var stored = try record.stored(now: .seconds(100))
        stored[0] = 2
        #expect(FetchProgram.Record(stored: stored, passed: .zero, now: .seconds(100)) == FetchProgram.Record())
    }

    @Test func changedBytesNeverTrap() throws {
        var generator = SeededGenerator.printingSeed()
        let stored = try record.stored(now: .seconds(100))
        for _ in 0..<2000 {
            var bytes = stored
            bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            let record = FetchProgram.Record(stored: bytes, passed: .zero, now: .seconds(100))
            _ = FetchProgram(settings: FetchSettings(), record: record, isForceQuit: false, now: .seconds(100))
        }
    }

    @Test func aFullRecordIsSmall() throws {
        var record = try record
        record.history = UsageHistory(
            weekdays: UsageHistogram(), weekends: UsageHistogram(),
            recentDays: (0..<100).map { UsageHistory.Day(day: LocalDay(number: $0), slots: Set(0..<96)) })
        record.budget = FetchBudget(wakes: (0..<1000).map { FetchBudget.Wake(time: .seconds($0)) })
        #expect(record.stored(now: .seconds(1000)).count < 11 << 10)
    }
}
