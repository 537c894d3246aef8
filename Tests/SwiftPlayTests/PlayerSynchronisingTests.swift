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
    /// item time `time` at the host time `hostTime`. The deviation is 0 if the player's time fits a host time during
    /// the measurement.
    private func scheduleDeviation(_ player: Player, _ time: MediaTime, _ hostTime: MediaTime, rate: Double) -> Double {
        let hostTimeBefore = Timebase.hostTime
        let currentTime = player.currentTime().seconds
        let hostTimeAfter = Timebase.hostTime
        let earliestTime = time.seconds + (hostTimeBefore.seconds - hostTime.seconds) * rate,
            latestTime = time.seconds + (hostTimeAfter.seconds - hostTime.seconds) * rate
        return currentTime < earliestTime ? currentTime - earliestTime : max(0, currentTime - latestTime)
    }

    /// Waits until the player's time exceeds `seconds` and the player has measured the offset of the audio from its
    /// clock.
    private func waitForAudio(_ rig: PlayerTestRig, beyond seconds: Double) throws {
        let isReached: Bool? = Deadline.poll(for: .seconds(60)) {
            rig.player.currentTime().seconds > seconds && rig.player.statistics.synchronisation.offset != 0 ? true : nil
        }
        if isReached == nil { throw TestFailure("no audio at \(rig.player.currentTime())") }
    }

    @Test(.measuresTime, arguments: [1, 2] as [Float])
    func itemTimeIsReachedAtTheHostTime(_ rate: Float) async throws {
        try await TestEnvironment.runExclusively {
            let rig = try makeReadyPlayer("count30.mp4")
            let time = MediaTime(seconds: 5), hostTime = MediaTime(seconds: Timebase.hostTime.seconds + 1)
            rig.player.setRate(rate, time: time, atHostTime: hostTime)
            #expect(rig.player.rate == rate)
            try rig.wait(for: "seekCompleted")
            let currentTime = rig.player.currentTime()
            if Timebase.hostTime < hostTime { #expect(currentTime == time, "the time advances before the host time") }
            try waitForAudio(rig, beyond: 5.5)
            // The audio device drives the clock, which must follow the schedule.
            #expect(abs(scheduleDeviation(rig.player, time, hostTime, rate: Double(rate))) < 0.015)
            #expect(abs(rig.player.statistics.synchronisation.offset) < 0.05)
            #expect(rig.shownFrameTimes.contains(5_000_000_000))
        }
    }

    @Test(.measuresTime) func playbackCatchesUpWithAPastHostTime() async throws {
        try await TestEnvironment.runExclusively {
            let rig = try makeReadyPlayer("count30.mp4")
            let time = MediaTime(seconds: 2), hostTime = MediaTime(seconds: Timebase.hostTime.seconds - 1)
            rig.player.setRate(1, time: time, atHostTime: hostTime)
            try waitForAudio(rig, beyond: 4)
            #expect(abs(scheduleDeviation(rig.player, time, hostTime, rate: 1)) < 0.015)
            #expect(rig.player.timeControlStatus == .playing)
        }
    }

    @Test(.measuresTime) func invalidItemTimeMeansTheCurrentTime() async throws {
        try await TestEnvironment.runExclusively {
            let rig = try makeReadyPlayer("count30.mp4")
            await rig.player.seekExactly(to: MediaTime(seconds: 3))
            let hostTime = MediaTime(seconds: Timebase.hostTime.seconds + 0.8)
            rig.player.setRate(1, time: .invalid, atHostTime: hostTime)
            try waitForAudio(rig, beyond: 3.5)
            #expect(abs(scheduleDeviation(rig.player, MediaTime(seconds: 3), hostTime, rate: 1)) < 0.015)
            // Without a host time, playback starts as soon as possible.
            rig.clearShownFrames()
            rig.player.setRate(2, time: MediaTime(seconds: 10), atHostTime: .invalid)
            try rig.waitForFrames(5)
            #expect(rig.shownFrameTimes.contains(10_000_000_000) && rig.player.rate == 2)
            rig.player.setRate(0, time: MediaTime(seconds: 1), atHostTime: .invalid)
            let isPaused: Bool? = Deadline.poll(for: .seconds(30)) {
                rig.player.timeControlStatus == .paused && rig.shownFrameTimes.last == 1_000_000_000 ? true : nil
            }
            #expect(isPaused == true && rig.player.rate == 0 && rig.player.currentTime() == MediaTime(seconds: 1))
        }
    }

    @Test func newRateCancelsAScheduledStart() async throws {
        try await TestEnvironment.runExclusively {
            let rig = try makeReadyPlayer("count30.mp4")
            let distantHostTime = MediaTime(seconds: Timebase.hostTime.seconds + 3600)
            rig.player.setRate(1, time: MediaTime(seconds: 5), atHostTime: distantHostTime)
            let isPlaying: Bool? = Deadline.poll(for: .seconds(30)) {
                rig.player.timeControlStatus == .playing ? true : nil
            }
            #expect(isPlaying == true && rig.player.currentTime() == MediaTime(seconds: 5))
            rig.player.play()
            let hasAdvanced: Bool? = Deadline.poll(for: .seconds(30)) {
                rig.player.currentTime().seconds > 5.2 ? true : nil
            }
            #expect(hasAdvanced == true)
        }
    }

    @Test func scheduledStartTrapsIfThePlayerWaitsForMedia() async {
        await #expect(processExitsWith: .failure) {
            try Player().setRate(1, time: .zero, atHostTime: .invalid)
        }
    }
}
