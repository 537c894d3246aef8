import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

@Suite struct PlayerSynchronisingTests {
    /// Returns a player that has shown the first frame of `clip` and does not wait for more data.
    private func makeReadyPlayer(_ clip: String) throws -> PlayerFixture {
        let fixture = try PlayerFixture(clip)
        fixture.player.automaticallyWaitsToMinimizeStalling = false
        try fixture.wait(for: "firstFrame")
        return fixture
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
    private func waitForAudio(_ fixture: PlayerFixture, beyond seconds: Double) throws {
        let isReached: Bool? = Deadline.poll(for: .seconds(60)) {
            fixture.player.currentTime().seconds > seconds && fixture.player.statistics.synchronisation.offset != 0
                ? true : nil
        }
        if isReached == nil { throw TestFailure("no audio at \(fixture.player.currentTime())") }
    }

    @Test(.measuresTime, arguments: [1, 2] as [Float])
    func itemTimeIsReachedAtTheHostTime(_ rate: Float) async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try makeReadyPlayer("count30.mp4")
            let time = MediaTime(seconds: 5), hostTime = MediaTime(seconds: Timebase.hostTime.seconds + 1)
            fixture.player.setRate(rate, time: time, atHostTime: hostTime)
            #expect(fixture.player.rate == rate)
            try fixture.wait(for: "seekCompleted")
            let currentTime = fixture.player.currentTime()
            if Timebase.hostTime < hostTime { #expect(currentTime == time, "the time advances before the host time") }
            try waitForAudio(fixture, beyond: 5.5)
            // The audio device drives the clock, which must follow the schedule.
            #expect(abs(scheduleDeviation(fixture.player, time, hostTime, rate: Double(rate))) < 0.015)
            #expect(abs(fixture.player.statistics.synchronisation.offset) < 0.05)
            #expect(fixture.shownFrameTimes.contains(5_000_000_000))
        }
    }

    @Test(.measuresTime) func playbackCatchesUpWithAPastHostTime() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try makeReadyPlayer("count30.mp4")
            let time = MediaTime(seconds: 2), hostTime = MediaTime(seconds: Timebase.hostTime.seconds - 1)
            fixture.player.setRate(1, time: time, atHostTime: hostTime)
            try waitForAudio(fixture, beyond: 4)
            #expect(abs(scheduleDeviation(fixture.player, time, hostTime, rate: 1)) < 0.015)
            #expect(fixture.player.timeControlStatus == .playing)
        }
    }

    @Test(.measuresTime) func invalidItemTimeMeansTheCurrentTime() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try makeReadyPlayer("count30.mp4")
            await fixture.player.seekExactly(to: MediaTime(seconds: 3))
            let hostTime = MediaTime(seconds: Timebase.hostTime.seconds + 0.8)
            fixture.player.setRate(1, time: .invalid, atHostTime: hostTime)
            try waitForAudio(fixture, beyond: 3.5)
            #expect(abs(scheduleDeviation(fixture.player, MediaTime(seconds: 3), hostTime, rate: 1)) < 0.015)
            // Without a host time, playback starts as soon as possible.
            fixture.clearShownFrames()
            fixture.player.setRate(2, time: MediaTime(seconds: 10), atHostTime: .invalid)
            try fixture.waitForFrames(5)
            #expect(fixture.shownFrameTimes.contains(10_000_000_000) && fixture.player.rate == 2)
            fixture.player.setRate(0, time: MediaTime(seconds: 1), atHostTime: .invalid)
            let isPaused: Bool? = Deadline.poll(for: .seconds(30)) {
                fixture.player.timeControlStatus == .paused && fixture.shownFrameTimes.last == 1_000_000_000
                    ? true : nil
            }
            #expect(
                isPaused == true && fixture.player.rate == 0 && fixture.player.currentTime() == MediaTime(seconds: 1))
        }
    }

    @Test func newRateCancelsAScheduledStart() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try makeReadyPlayer("count30.mp4")
            let distantHostTime = MediaTime(seconds: Timebase.hostTime.seconds + 3600)
            fixture.player.setRate(1, time: MediaTime(seconds: 5), atHostTime: distantHostTime)
            let isPlaying: Bool? = Deadline.poll(for: .seconds(30)) {
                fixture.player.timeControlStatus == .playing ? true : nil
            }
            #expect(isPlaying == true && fixture.player.currentTime() == MediaTime(seconds: 5))
            fixture.player.play()
            let hasAdvanced: Bool? = Deadline.poll(for: .seconds(30)) {
                fixture.player.currentTime().seconds > 5.2 ? true : nil
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
