import Testing

@testable import SwiftPlay

@Suite struct PlaybackClockTests {
    private let second: Int64 = 1_000_000_000

    /// Returns a clock that is started at 10 s of media time and 100 s of host time.
    private func makeRunningClock(rate: Double = 1) -> PlaybackClock {
        var clock = PlaybackClock()
        clock.start(at: 10 * second, hostTime: 100 * second, rate: rate)
        return clock
    }

    @Test func newClockIsStopped() {
        let clock = PlaybackClock()
        #expect(clock.time(at: 5 * second) == 0 && clock.hostTime(of: second) == nil)
    }

    @Test(arguments: [0.25, 1, 2, 4]) func clockConvertsBetweenMediaTimeAndHostTimeAtItsRate(_ rate: Double) {
        let clock = makeRunningClock(rate: rate)
        #expect(clock.time(at: 102 * second) == 10 * second + Int64(2 * rate * 1e9))
        #expect(clock.time(at: 99 * second) == 10 * second - Int64(rate * 1e9))
        for media in [9, 10, 25] {
            #expect(clock.hostTime(of: Int64(media) * second).map { clock.time(at: $0) } == Int64(media) * second)
        }
    }

    @Test func stoppedClockKeepsItsTime() {
        var clock = makeRunningClock(rate: 2)
        clock.stop(at: 103 * second)
        #expect(clock.time(at: 500 * second) == 16 * second && clock.hostTime(of: 0) == nil && clock.rate == 0)
    }

    @Test func clockWaitsForItsStartTime() {
        var clock = PlaybackClock()
        clock.start(at: 10 * second, notBefore: 100 * second, rate: 2)
        #expect(clock.time(at: 95 * second) == 10 * second && clock.time(at: 101 * second) == 12 * second)
        #expect(clock.hostTime(of: 10 * second) == 100 * second)
        // Before the start, the audio device plays silence; its position agrees with the scheduled start.
        clock.follow(mediaTime: 4 * second, hostTime: 97 * second)
        #expect(clock.time(at: 98 * second) == 10 * second && clock.time(at: 101 * second) == 12 * second)
        clock.stop(at: 99 * second)
        #expect(clock.time(at: 200 * second) == 10 * second)
    }

    @Test func rateChangeDoesNotMoveTheMediaTime() {
        var clock = makeRunningClock()
        clock.changeRate(4, at: 101 * second)
        #expect(clock.time(at: 101 * second) == 11 * second)
        #expect(clock.time(at: 102 * second) == 15 * second)
    }

    @Test func settingTheTimeKeepsTheRate() {
        var clock = makeRunningClock(rate: 2)
        clock.set(0, hostTime: 200 * second)
        #expect(clock.time(at: 201 * second) == 2 * second)
    }

    @Test func smallClockErrorIsCorrectedGradually() {
        var clock = makeRunningClock()
        let error = clock.follow(mediaTime: 11 * second + 10_000_000, hostTime: 101 * second)
        #expect(error == 10_000_000)
        #expect(clock.time(at: 101 * second) == 11 * second + 800_000)
        for step in 2...100 as ClosedRange<Int64> {
            clock.follow(mediaTime: (10 + step) * second + 10_000_000, hostTime: (100 + step) * second)
        }
        #expect(abs(clock.time(at: 200 * second) - 110 * second - 10_000_000) < 20_000)
    }

    @Test(arguments: [-1, 1] as [Int64]) func largeClockErrorIsCorrectedImmediately(_ sign: Int64) {
        for (error, expected) in [
            (PlaybackClock.jumpThreshold + 1, PlaybackClock.jumpThreshold + 1),
            (PlaybackClock.jumpThreshold, PlaybackClock.jumpThreshold * 8 / 100),
        ] {
            var clock = makeRunningClock()
            clock.follow(mediaTime: 11 * second + sign * error, hostTime: 101 * second)
            #expect(abs(clock.time(at: 101 * second) - 11 * second - sign * expected) <= 1)
        }
    }

    @Test(arguments: [-1, 1] as [Int64], [4_000_000, 33_000_000] as [Int64])
    func gradualCorrectionOfALargeErrorOnlyChangesTheClocksSpeed(_ sign: Int64, step: Int64) {
        var clock = makeRunningClock()
        let error = sign * 400_000_000
        var host = 100 * second, lastTime = clock.time(at: host)
        while host < 106 * second {
            host += step
            clock.follow(mediaTime: host - 90 * second + error, hostTime: host, avoidsJump: true)
            let clockSpeed = Double(clock.time(at: host) - lastTime) / Double(step)
            #expect((0.849...1.151).contains(clockSpeed))
            lastTime = clock.time(at: host)
        }
        #expect(abs(lastTime - (host - 90 * second + error)) < 5_000_000)
        // The clock does not jump after a period without measurements either.
        clock.follow(mediaTime: host - 89 * second + 400_000_000 + error, hostTime: host + second, avoidsJump: true)
        #expect(abs(clock.time(at: host + second) - lastTime - second) < 8_000_000)
    }
}
