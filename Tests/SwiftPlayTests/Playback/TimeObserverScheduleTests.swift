import Testing

@testable import SwiftPlay

@Suite struct TimeObserverScheduleTests {
    /// A schedule whose mutating methods can be called within an expectation.
    private final class Watch {
        private var schedule: TimeObserverSchedule
        init(_ schedule: TimeObserverSchedule) { self.schedule = schedule }
        func advance(to time: Int64) -> Bool { schedule.advance(to: time) }
        func jump(to time: Int64) -> Bool { schedule.jump(to: time) }
        func next(after time: Int64) -> Int64? { schedule.next(after: time) }
    }

    @Test func periodicObserverIsDueOncePerMultiple() {
        let schedule = Watch(TimeObserverSchedule(every: 10_000_000))
        #expect(!schedule.advance(to: 0))
        var calls = 0
        for time in stride(from: Int64(0), through: 100_000_000, by: 1_000_000) where schedule.advance(to: time) {
            calls += 1
        }
        #expect(calls == 10)
        #expect(schedule.next(after: 100_000_000) == 110_000_000)
    }

    @Test func severalMultiplesPassedAtOnceCauseOneCall() {
        let schedule = Watch(TimeObserverSchedule(every: 10_000_000))
        _ = schedule.jump(to: 5_000_000)
        #expect(schedule.advance(to: 95_000_000))
        #expect(!schedule.advance(to: 96_000_000))
    }

    @Test func clockCorrectedBackwardsDoesNotPassATimeTwice() {
        let schedule = Watch(TimeObserverSchedule(at: [10_000_000]))
        _ = schedule.jump(to: 0)
        #expect(schedule.advance(to: 10_500_000))
        #expect(!schedule.advance(to: 9_900_000))
        #expect(!schedule.advance(to: 10_600_000))
    }

    @Test func boundaryIsPassedByPlaybackAndNotByAJump() {
        let schedule = Watch(TimeObserverSchedule(at: [10_000_000_000, 3_000_000_000]))
        _ = schedule.advance(to: 0)
        #expect(schedule.next(after: 0) == 3_000_000_000)
        #expect(schedule.advance(to: 5_000_000_000))
        #expect(!schedule.jump(to: 15_000_000_000))
        #expect(!schedule.advance(to: 15_100_000_000))
        #expect(schedule.next(after: 15_100_000_000) == nil)
        // Jump back, and pass the boundary by playback.
        #expect(!schedule.jump(to: 9_000_000_000))
        #expect(schedule.advance(to: 10_000_000_000))
    }

    @Test func periodicObserverIsCalledAtJumpsAndStarts() {
        let schedule = Watch(TimeObserverSchedule(every: 1_000_000_000))
        #expect(schedule.jump(to: 7))
        #expect(TimeObserverSchedule(every: 1).noticesRate)
        #expect(!TimeObserverSchedule(at: [1]).noticesRate)
    }

    @Test func extremeTimesDoNotTrap() {
        let schedule = Watch(TimeObserverSchedule(every: .max / 2))
        #expect(schedule.jump(to: .max - 1))
        #expect(schedule.next(after: .max) == nil)
        #expect(schedule.jump(to: .min))
        #expect(schedule.next(after: .min) != nil)
    }
}
