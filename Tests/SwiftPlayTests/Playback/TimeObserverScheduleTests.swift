import Testing

@testable import SwiftPlay

@Suite struct TimeObserverScheduleTests {
    /// A reference to a schedule, because `#expect` cannot call mutating methods of a value.
    private final class ScheduleBox {
        private var schedule: TimeObserverSchedule
        init(_ schedule: TimeObserverSchedule) { self.schedule = schedule }
        /// Reports playback up to `time` (in nanoseconds), and returns whether the observer must be called.
        func advance(to time: Int64) -> Bool { schedule.advance(to: time) }
        /// Reports a jump of the item's time to `time`, and returns whether the observer must be called.
        func jump(to time: Int64) -> Bool { schedule.jump(to: time) }
        /// Returns the first time after `time` at which the observer must be called; nil if there is none.
        func nextCallTime(after time: Int64) -> Int64? { schedule.nextTime(after: time) }
    }

    @Test func periodicObserverIsDueOncePerInterval() {
        let schedule = ScheduleBox(TimeObserverSchedule(every: 10_000_000))
        #expect(!schedule.advance(to: 0))
        var callCount = 0
        for time in stride(from: Int64(0), through: 100_000_000, by: 1_000_000) where schedule.advance(to: time) {
            callCount += 1
        }
        #expect(callCount == 10)
        #expect(schedule.nextCallTime(after: 100_000_000) == 110_000_000)
    }

    @Test func severalIntervalsPassedAtOnceCauseOneObserverCall() {
        let schedule = ScheduleBox(TimeObserverSchedule(every: 10_000_000))
        _ = schedule.jump(to: 5_000_000)
        #expect(schedule.advance(to: 95_000_000))
        #expect(!schedule.advance(to: 96_000_000))
    }

    @Test func clockCorrectedBackwardsDoesNotCallABoundaryObserverTwice() {
        let schedule = ScheduleBox(TimeObserverSchedule(at: [10_000_000]))
        _ = schedule.jump(to: 0)
        #expect(schedule.advance(to: 10_500_000))
        #expect(!schedule.advance(to: 9_900_000))
        #expect(!schedule.advance(to: 10_600_000))
    }

    @Test func boundaryObserverIsCalledByPlaybackAndNotByASeek() {
        let schedule = ScheduleBox(TimeObserverSchedule(at: [10_000_000_000, 3_000_000_000]))
        _ = schedule.advance(to: 0)
        #expect(schedule.nextCallTime(after: 0) == 3_000_000_000)
        #expect(schedule.advance(to: 5_000_000_000))
        #expect(!schedule.jump(to: 15_000_000_000))
        #expect(!schedule.advance(to: 15_100_000_000))
        #expect(schedule.nextCallTime(after: 15_100_000_000) == nil)
        // Jump back to 9 s, then pass the boundary at 10 s by playback.
        #expect(!schedule.jump(to: 9_000_000_000))
        #expect(schedule.advance(to: 10_000_000_000))
    }

    @Test func periodicObserverIsCalledAtSeeksAndRateChanges() {
        let schedule = ScheduleBox(TimeObserverSchedule(every: 1_000_000_000))
        #expect(schedule.jump(to: 7))
        #expect(TimeObserverSchedule(every: 1).respondsToRateChange)
        #expect(!TimeObserverSchedule(at: [1]).respondsToRateChange)
    }

    @Test func extremeObserverTimesDoNotTrap() {
        let schedule = ScheduleBox(TimeObserverSchedule(every: .max / 2))
        #expect(schedule.jump(to: .max - 1))
        #expect(schedule.nextCallTime(after: .max) == nil)
        #expect(schedule.jump(to: .min))
        #expect(schedule.nextCallTime(after: .min) != nil)
    }
}
