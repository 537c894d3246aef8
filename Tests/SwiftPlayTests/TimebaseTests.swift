import SystemCalls
import Testing

@testable import SwiftPlay

@Suite struct TimebaseTests {
    private func seconds(_ value: Int64) -> MediaTime { MediaTime(value: value, timescale: 1) }

    @Test func newTimebaseIsStoppedAtZero() {
        let timebase = Timebase()
        #expect(timebase.rate == 0 && timebase.time == .zero)
    }

    @Test func stoppedTimebaseKeepsItsTime() {
        let timebase = Timebase()
        timebase.time = seconds(5)
        #expect(timebase.time == seconds(5))
        #expect(timebase.clock.time(at: MonotonicTime.now + 1_000_000_000) == 5_000_000_000)
    }

    @Test func timeAdvancesWithTheHostClock() {
        let timebase = Timebase()
        timebase.set(rate: 2, time: seconds(10))
        let now = MonotonicTime.now, clock = timebase.clock
        #expect(clock.time(at: now + 3_000_000_000) - clock.time(at: now) == 6_000_000_000)
        #expect(timebase.rate == 2 && timebase.time >= seconds(10))
    }

    @Test func nonNumericTimeIsIgnored() {
        let timebase = Timebase(), watcherCalls = Counter()
        timebase.time = seconds(5)
        _ = timebase.watch { watcherCalls.add() }
        timebase.time = .invalid
        timebase.time = .indefinite
        timebase.set(rate: 1, time: .positiveInfinity)
        #expect(timebase.time == seconds(5) && timebase.rate == 0 && watcherCalls.count == 0)
    }

    @Test(arguments: [(-1, 0), (.nan, 0), (.infinity, 0), (0.5, 0.5), (100, 100), (1e9, 100)] as [(Double, Double)])
    func invalidRateBecomesZeroAndLargeRateIsClamped(_ rate: Double, _ expected: Double) {
        let timebase = Timebase()
        timebase.rate = rate
        #expect(timebase.rate == expected)
        timebase.set(rate: rate, time: .zero)
        #expect(timebase.rate == expected)
    }

    @Test func eachTimebaseChangeIsReportedOnce() {
        let timebase = Timebase(), watcherCalls = Counter()
        _ = timebase.watch { watcherCalls.add() }
        timebase.time = seconds(1)
        timebase.rate = 1
        timebase.set(rate: 0, time: .zero)
        #expect(watcherCalls.count == 3)
    }

    @Test func removedTimebaseWatcherIsNotCalled() {
        let timebase = Timebase(), removedWatcherCalls = Counter(), otherWatcherCalls = Counter()
        let number = timebase.watch { removedWatcherCalls.add() }
        _ = timebase.watch { otherWatcherCalls.add() }
        timebase.removeWatcher(number)
        timebase.rate = 1
        #expect(removedWatcherCalls.count == 0 && otherWatcherCalls.count == 1)
    }

    @Test func timebaseWatcherMayReadTheTimebase() {
        let timebase = Timebase(), rates = Monitor<[Double]>([])
        _ = timebase.watch { rates.update { $0.append(timebase.rate) } }
        timebase.rate = 3
        #expect(rates.withLock { $0 } == [3])
    }
}

@Suite struct SeekCompletionTests {
    @Test func seekHandlerReceivesOnlyTheFirstResult() {
        let results = Monitor<[Bool]>([])
        let completion = SeekCompletion { finished in results.update { $0.append(finished) } }
        #expect(!completion.isCompleted)
        completion.complete(false)
        completion.complete(true)
        #expect(completion.isCompleted && results.withLock { $0 } == [false])
    }

    @Test func seekHandlerMayReadIsCompleted() {
        let completedStates = Monitor<[Bool]>([]), completionReference = Monitor<SeekCompletion?>(nil)
        let completion = SeekCompletion { _ in
            let isCompleted = completionReference.withLock { $0 }?.isCompleted ?? false
            completedStates.update { $0.append(isCompleted) }
        }
        completionReference.update { $0 = completion }
        completion.complete(true)
        #expect(completedStates.withLock { $0 } == [true])
    }
}
