import Glibc
import Testing

@testable import AudioOutput

@Suite("Device health")
struct DeviceHealthTests {
    /// A millisecond in nanoseconds.
    private let millisecond: Int64 = 1_000_000

    /// Returns the ``DeviceHealth`` of a device at 48 kHz with periods of 10 ms. `driftWindow`: the time in nanoseconds
    /// over which the speed of the device's clock is measured; by default the speed is not checked.
    private func health(driftWindow: Int64 = .max) -> DeviceHealth {
        var tuning = RenderTuning()
        tuning.driftWindow = driftWindow
        return DeviceHealth(.init(rate: 48_000, periodFrames: 480), tuning)
    }

    /// Reports to `health` that the device has consumed `frames` frames in total until host time `now`. Returns whether
    /// this shows that the device works again after a failure.
    private func observe(_ health: inout DeviceHealth, _ frames: Int, at now: Int64) throws -> Bool {
        try health.observe(consumed: frames, time: now, now: now)
    }

    @Test("a device has consumed frames once its position is higher than at its start")
    func deviceHasConsumedFramesOnceItsPositionAdvances() throws {
        var health = health()
        #expect(!health.hasConsumedFrames)
        health.recordStart(now: 0)
        _ = try observe(&health, 100, at: 0)
        #expect(!health.hasConsumedFrames)
        _ = try observe(&health, 101, at: millisecond)
        #expect(health.hasConsumedFrames)
        health.recordStart(now: 2 * millisecond)
        #expect(!health.hasConsumedFrames, "the start after a pause did not reset the consumed frames")
    }

    @Test("the position of a device that consumes no frames is stuck after 100 ms; the device fails after a second")
    func deviceThatConsumesNoFramesIsStuckAndThenFails() throws {
        var health = health()
        health.recordStart(now: 0)
        _ = try observe(&health, 480, at: 0)
        _ = try observe(&health, 480, at: 100 * millisecond)
        #expect(!health.isPositionStuck && !health.isUnreliable)
        _ = try observe(&health, 480, at: 101 * millisecond)
        #expect(health.isPositionStuck && health.isUnreliable)
        _ = try observe(&health, 481, at: 102 * millisecond)
        #expect(!health.isPositionStuck && !health.isUnreliable, "the position advances again")
        _ = try observe(&health, 481, at: 1102 * millisecond)
        #expect(throws: PCMFailure(.wait, ETIMEDOUT)) { try observe(&health, 481, at: 1103 * millisecond) }
    }

    @Test("the start after a pause resets a stuck position")
    func startAfterAPauseResetsAStuckPosition() throws {
        var health = health()
        health.recordStart(now: 0)
        _ = try observe(&health, 480, at: 0)
        _ = try observe(&health, 480, at: 500 * millisecond)
        #expect(health.isUnreliable)
        health.recordStart(now: 5000 * millisecond)
        _ = try observe(&health, 480, at: 5001 * millisecond)
        #expect(!health.isUnreliable && !health.isPositionStuck)
    }

    @Test(
        "after a failure the device is unreliable until it has played a period",
        arguments: [EPIPE, ESTRPIPE, EIO])
    func deviceIsUnreliableUntilItHasPlayedAPeriod(code: Int32) throws {
        var health = health()
        #expect(health.recordFailure(PCMFailure(.write, code), now: 7) == 7, "the first attempt was delayed")
        #expect(health.isUnreliable)
        health.recordStart(now: 10)
        let isRecoveredAtStart = try observe(&health, 0, at: 10), isRecoveredEarly = try observe(&health, 479, at: 20)
        #expect(!isRecoveredAtStart && !isRecoveredEarly && health.isUnreliable)
        let isRecovered = try observe(&health, 480, at: 30), isReportedAgain = try observe(&health, 481, at: 40)
        #expect(isRecovered && !isReportedAgain && !health.isUnreliable)
    }

    @Test("the delay between attempts doubles, and the seventh failure in a row is final")
    func seventhFailureInARowIsFinal() {
        var health = health()
        let attemptTimes = (0..<7).map { _ in health.recordFailure(PCMFailure(.write, EIO), now: 0) }
        let firstDelay = RenderTuning().firstRecoveryDelay
        #expect(attemptTimes == [0, firstDelay, firstDelay * 2, firstDelay * 4, firstDelay * 8, firstDelay * 16, nil])
    }

    @Test(
        "a failure that cannot be repaired is final",
        arguments: [
            PCMFailure(.write, ENODEV), PCMFailure(.timing, EBADFD), PCMFailure(.timing, ETIME),
            PCMFailure(.prepare, EIO),
        ])
    func failureThatCannotBeRepairedIsFinal(failure: PCMFailure) {
        var health = health()
        #expect(health.recordFailure(failure, now: 0) == nil)
    }

    @Test(
        "underruns are counted from 0 again after a period of playback, other failures after a second",
        arguments: [EPIPE, EIO])
    func playbackResetsTheFailureCount(code: Int32) throws {
        for frames in [480, 47_999, 48_000] {
            var health = health()
            for _ in 0..<6 { _ = health.recordFailure(PCMFailure(.write, code), now: 0) }
            health.recordStart(now: 0)
            _ = try observe(&health, 0, at: 0)
            _ = try observe(&health, frames, at: 1)
            let isRetried = health.recordFailure(PCMFailure(.write, code), now: 0) != nil
            #expect(isRetried == (code == EPIPE || frames >= 48_000), "\(frames)")
        }
    }

    @Test("a device whose clock is off by half in two windows fails; a pause restarts the measurement")
    func deviceWithAWrongClockSpeedFails() throws {
        var health = health(driftWindow: 100 * millisecond)
        health.recordStart(now: 0)
        for step in 0...1 { _ = try observe(&health, step * 2400 + 1, at: Int64(step) * 100 * millisecond) }
        health.recordStart(now: 200 * millisecond)
        for step in 0...1 { _ = try observe(&health, step * 2400 + 5000, at: Int64(step + 2) * 100 * millisecond) }
        #expect(throws: PCMFailure(.timing, ETIME)) { try observe(&health, 9800, at: 400 * millisecond) }
    }
}
