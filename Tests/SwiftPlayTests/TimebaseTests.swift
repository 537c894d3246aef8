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
        let timebase = Timebase(), calls = Counter()
        timebase.time = seconds(5)
        _ = timebase.watch { calls.add() }
        timebase.time = .invalid
        timebase.time = .indefinite
        timebase.set(rate: 1, time: .positiveInfinity)
        #expect(timebase.time == seconds(5) && timebase.rate == 0 && calls.count == 0)
    }

    @Test(arguments: [(-1, 0), (.nan, 0), (.infinity, 0), (0.5, 0.5), (100, 100), (1e9, 100)] as [(Double, Double)])
    func invalidRateBecomesZeroAndLargeRateIsClamped(_ wanted: Double, _ expected: Double) {
        let timebase = Timebase()
        timebase.rate = wanted
        #expect(timebase.rate == expected)
        timebase.set(rate: wanted, time: .zero)
        #expect(timebase.rate == expected)
    }

    @Test func eachTimebaseChangeIsReportedOnce() {
        let timebase = Timebase(), calls = Counter()
        _ = timebase.watch { calls.add() }
        timebase.time = seconds(1)
        timebase.rate = 1
        timebase.set(rate: 0, time: .zero)
        #expect(calls.count == 3)
    }

    @Test func removedTimebaseWatcherIsNotCalled() {
        let timebase = Timebase(), first = Counter(), second = Counter()
        let number = timebase.watch { first.add() }
        _ = timebase.watch { second.add() }
        timebase.removeWatcher(number)
        timebase.rate = 1
        #expect(first.count == 0 && second.count == 1)
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
        let given = Monitor<[Bool]>([])
        let answer = SeekCompletion { finished in given.update { $0.append(finished) } }
        #expect(!answer.isCompleted)
        answer.complete(false)
        answer.complete(true)
        #expect(answer.isCompleted && given.withLock { $0 } == [false])
    }

    @Test func seekHandlerMayReadIsCompleted() {
        let seen = Monitor<[Bool]>([]), box = Monitor<SeekCompletion?>(nil)
        let answer = SeekCompletion { _ in seen.update { $0.append(box.withLock { $0 }?.isCompleted ?? false) } }
        box.update { $0 = answer }
        answer.complete(true)
        #expect(seen.withLock { $0 } == [true])
    }
}
