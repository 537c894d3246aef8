import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

@Suite struct PlayerSynchronisingTests {
    /// Returns a player that has shown the first frame of `clip` and does not wait for more data.
    private func makeReadyPlayer(_ clip: String) throws -> PlayerTestRig {
        let rig = try PlayerTestRig(clip)
        rig.player.automaticallyWaitsToMinimizeStalling = false
        try rig.wait(for: "firstFrame")
        return rig
    }

    /// Returns the deviation of the player's time from a schedule, in seconds. On the schedule, the player reaches the
    /// item time `time` at the host time `host`. The deviation is 0 if the player's time fits a host time during the
    /// measurement.
    private func scheduleDeviation(_ player: Player, _ time: MediaTime, _ host: MediaTime, rate: Double) -> Double {
        let before = Timebase.hostTime
        let now = player.currentTime().seconds
        let after = Timebase.hostTime
        let least = time.seconds + (before.seconds - host.seconds) * rate,
            most = time.seconds + (after.seconds - host.seconds) * rate
        return now < least ? now - least : max(0, now - most)
    }

    /// Waits until the player's time exceeds `seconds` and the player has measured the offset of the audio from its
    /// clock.
    private func waitForSound(_ rig: PlayerTestRig, beyond seconds: Double) throws {
        let came: Bool? = Deadline.poll(for: .seconds(60)) {
            rig.player.currentTime().seconds > seconds && rig.player.statistics.synchronisation.offset != 0 ? true : nil
        }
        if came == nil { throw TestFailure("no audio at \(rig.player.currentTime())") }
    }

    @Test(.measuresTime, arguments: [1, 2] as [Float])
    func itemTimeIsReachedAtTheHostTime(_ rate: Float) async throws {
        try await TestEnvironment.runExclusively {
            let rig = try makeReadyPlayer("count30.mp4")
            let time = MediaTime(seconds: 5), host = MediaTime(seconds: Timebase.hostTime.seconds + 1)
            rig.player.setRate(rate, time: time, atHostTime: host)
            #expect(rig.player.rate == rate)
            try rig.wait(for: "seekCompleted")
            let first = rig.player.currentTime()
            if Timebase.hostTime < host { #expect(first == time, "the time advances before the host time") }
            try waitForSound(rig, beyond: 5.5)
            // The audio device drives the clock, which must follow the schedule.
            #expect(abs(scheduleDeviation(rig.player, time, host, rate: Double(rate))) < 0.015)
            #expect(abs(rig.player.statistics.synchronisation.offset) < 0.05)
            #expect(rig.shownFrameTimes.contains(5_000_000_000))
        }
    }

    @Test(.measuresTime) func playbackCatchesUpWithAPastHostTime() async throws {
        try await TestEnvironment.runExclusively {
            let rig = try makeReadyPlayer("count30.mp4")
            let time = MediaTime(seconds: 2), host = MediaTime(seconds: Timebase.hostTime.seconds - 1)
            rig.player.setRate(1, time: time, atHostTime: host)
            try waitForSound(rig, beyond: 4)
            #expect(abs(scheduleDeviation(rig.player, time, host, rate: 1)) < 0.015)
            #expect(rig.player.timeControlStatus == .playing)
        }
    }

    @Test(.measuresTime) func missingItemTimeMeansTheCurrentTime() async throws {
        try await TestEnvironment.runExclusively {
            let rig = try makeReadyPlayer("count30.mp4")
            await rig.player.seekExactly(to: MediaTime(seconds: 3))
            let host = MediaTime(seconds: Timebase.hostTime.seconds + 0.8)
            rig.player.setRate(1, time: .invalid, atHostTime: host)
            try waitForSound(rig, beyond: 3.5)
            #expect(abs(scheduleDeviation(rig.player, MediaTime(seconds: 3), host, rate: 1)) < 0.015)
            // Without a host time, playback starts as soon as possible.
            rig.forgetShownFrames()
            rig.player.setRate(2, time: MediaTime(seconds: 10), atHostTime: .invalid)
            try rig.waitForFrames(5)
            #expect(rig.shownFrameTimes.contains(10_000_000_000) && rig.player.rate == 2)
            rig.player.setRate(0, time: MediaTime(seconds: 1), atHostTime: .invalid)
            let stands: Bool? = Deadline.poll(for: .seconds(30)) {
                rig.player.timeControlStatus == .paused && rig.shownFrameTimes.last == 1_000_000_000 ? true : nil
            }
            #expect(stands == true && rig.player.rate == 0 && rig.player.currentTime() == MediaTime(seconds: 1))
        }
    }

    @Test func newRateCancelsAScheduledStart() async throws {
        try await TestEnvironment.runExclusively {
            let rig = try makeReadyPlayer("count30.mp4")
            let never = MediaTime(seconds: Timebase.hostTime.seconds + 3600)
            rig.player.setRate(1, time: MediaTime(seconds: 5), atHostTime: never)
            let begins: Bool? = Deadline.poll(for: .seconds(30)) {
                rig.player.timeControlStatus == .playing ? true : nil
            }
            #expect(begins == true && rig.player.currentTime() == MediaTime(seconds: 5))
            rig.player.play()
            let plays: Bool? = Deadline.poll(for: .seconds(30)) { rig.player.currentTime().seconds > 5.2 ? true : nil }
            #expect(plays == true)
        }
    }

    @Test func scheduledStartTrapsIfThePlayerWaitsForMedia() async {
        await #expect(processExitsWith: .failure) {
            try Player().setRate(1, time: .zero, atHostTime: .invalid)
        }
    }
}
