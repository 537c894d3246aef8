import Glibc
import Testing

@testable import AudioOutput

@Suite("The health of a device")
struct DeviceHealthTests {
    private let millisecond: Int64 = 1_000_000

    /// At 48 kHz in periods of 10 ms. Clocks are judged only where a test wants it.
    private func health(paceWindow: Int64 = .max) -> DeviceHealth {
        var tuning = RenderTuning()
        tuning.paceWindow = paceWindow
        return DeviceHealth(.init(rate: 48_000, periodFrames: 480), tuning)
    }

    private func observe(_ health: inout DeviceHealth, _ frames: Int, at now: Int64) throws -> Bool {
        try health.observe(taken: frames, time: now, now: now)
    }

    @Test("a device has moved once it has taken more than at its start")
    func moves() throws {
        var health = health()
        #expect(!health.hasMoved)
        health.deviceStarts(now: 0)
        _ = try observe(&health, 100, at: 0)
        #expect(!health.hasMoved)
        _ = try observe(&health, 101, at: millisecond)
        #expect(health.hasMoved)
        health.deviceStarts(now: 2 * millisecond)
        #expect(!health.hasMoved, "after a pause it starts anew")
    }

    @Test("a device that takes nothing is no clock after 100 ms and broken after a second")
    func standsStill() throws {
        var health = health()
        health.deviceStarts(now: 0)
        _ = try observe(&health, 480, at: 0)
        _ = try observe(&health, 480, at: 100 * millisecond)
        #expect(!health.standsStill && !health.isFaltering)
        _ = try observe(&health, 480, at: 101 * millisecond)
        #expect(health.standsStill && health.isFaltering)
        _ = try observe(&health, 481, at: 102 * millisecond)
        #expect(!health.standsStill && !health.isFaltering, "it goes on")
        _ = try observe(&health, 481, at: 1102 * millisecond)
        #expect(throws: PCMFailure(.wait, ETIMEDOUT)) { try observe(&health, 481, at: 1103 * millisecond) }
    }

    @Test("a device that stood still when it was paused is no worse after that")
    func pausedWhileStanding() throws {
        var health = health()
        health.deviceStarts(now: 0)
        _ = try observe(&health, 480, at: 0)
        _ = try observe(&health, 480, at: 500 * millisecond)
        #expect(health.isFaltering)
        health.deviceStarts(now: 5000 * millisecond)
        _ = try observe(&health, 480, at: 5001 * millisecond)
        #expect(!health.isFaltering && !health.standsStill)
    }

    @Test(
        "after a failure it falters until it has played a period, and then it works again",
        arguments: [EPIPE, ESTRPIPE, EIO])
    func recovers(code: Int32) throws {
        var health = health()
        #expect(health.failed(PCMFailure(.write, code), now: 7) == 7, "the first attempt is made at once")
        #expect(health.isFaltering)
        health.deviceStarts(now: 10)
        let atStart = try observe(&health, 0, at: 10), early = try observe(&health, 479, at: 20)
        #expect(!atStart && !early && health.isFaltering)
        let isBack = try observe(&health, 480, at: 30), isTwice = try observe(&health, 481, at: 40)
        #expect(isBack && !isTwice && !health.isFaltering)
    }

    @Test("attempts are further and further apart, and the seventh failure in a row is the last")
    func attempts() {
        var health = health()
        let waits = (0..<7).map { _ in health.failed(PCMFailure(.write, EIO), now: 0) }
        let step = RenderTuning().backoff
        #expect(waits == [0, step, step * 2, step * 4, step * 8, step * 16, nil])
    }

    @Test(
        "what cannot be repaired is lost at once",
        arguments: [
            PCMFailure(.write, ENODEV), PCMFailure(.timing, EBADFD), PCMFailure(.timing, ETIME),
            PCMFailure(.prepare, EIO),
        ])
    func final(failure: PCMFailure) {
        var health = health()
        #expect(health.failed(failure, now: 0) == nil)
    }

    @Test("an underrun is forgiven after a period, other failures after a second of sound", arguments: [EPIPE, EIO])
    func forgiven(code: Int32) throws {
        for frames in [480, 47_999, 48_000] {
            var health = health()
            for _ in 0..<6 { _ = health.failed(PCMFailure(.write, code), now: 0) }
            health.deviceStarts(now: 0)
            _ = try observe(&health, 0, at: 0)
            _ = try observe(&health, frames, at: 1)
            let isForgiven = health.failed(PCMFailure(.write, code), now: 0) != nil
            #expect(isForgiven == (code == EPIPE || frames >= 48_000), "\(frames)")
        }
    }

    @Test("a device whose clock is off by half in two windows is broken; after a pause it is judged anew")
    func wrongClock() throws {
        var health = health(paceWindow: 100 * millisecond)
        health.deviceStarts(now: 0)
        for step in 0...1 { _ = try observe(&health, step * 2400 + 1, at: Int64(step) * 100 * millisecond) }
        health.deviceStarts(now: 200 * millisecond)
        for step in 0...1 { _ = try observe(&health, step * 2400 + 5000, at: Int64(step + 2) * 100 * millisecond) }
        #expect(throws: PCMFailure(.timing, ETIME)) { try observe(&health, 9800, at: 400 * millisecond) }
    }
}
