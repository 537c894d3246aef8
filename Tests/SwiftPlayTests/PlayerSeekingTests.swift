import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

@Suite struct PlayerSeekingTests {
    @Test func newSeekCancelsThePreviousSeek() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture("count30.mp4")
            try fixture.wait(for: "firstFrame")
            let results = Monitor<[Int: [Bool]]>([:])
            for number in 0..<100 {
                fixture.player.seekExactly(to: MediaTime(value: Int64(number), timescale: 10)) { finished in
                    results.update { $0[number, default: []].append(finished) }
                }
                // `seek` cancels the previous seek before it returns.
                if number > 0 { #expect(results.withLock { $0[number - 1] } != nil) }
            }
            let isComplete: Bool? = results.wait(until: Deadline.after(.seconds(60))) { $0.count == 100 ? true : nil }
            try #require(isComplete == true)
            let resultsBySeek = results.withLock { $0 }
            #expect(resultsBySeek.values.allSatisfy { $0.count == 1 })
            // A few earlier seeks may also finish, before the next seek cancels them.
            #expect(resultsBySeek[99] == [true])
            #expect(resultsBySeek.values.count { $0 == [false] } >= 90)
            #expect(fixture.shownFrameTimes.last == 9_900_000_000)
        }
    }

    @Test func audioPlaysAfterASeekThatInterruptsItsPreparation() async throws {
        try await TestEnvironment.runExclusively {
            for round in 0..<5 {
                let fixture = try PlayerFixture("count30.mp4")
                try fixture.wait(for: "firstFrame")
                // The seek discards the audio that the player has prepared for the start at 0 s.
                fixture.player.seekExactly(to: MediaTime(seconds: 5))
                fixture.player.play()
                let isAudioPlaying: Bool? = Deadline.poll(for: .seconds(30)) {
                    fixture.player.statistics.synchronisation.offset != 0 ? true : nil
                }
                #expect(isAudioPlaying == true, "round \(round)")
            }
        }
    }

    @Test func seekWithoutAnItemFailsAtOnce() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture()
            fixture.player.rate = 1.5
            let result = Monitor<Bool?>(nil)
            fixture.player.seekExactly(to: .zero) { finished in result.withLock { $0 = finished } }
            #expect(result.withLock { $0 } == false)
            #expect(fixture.player.rate == 1.5)
        }
    }

    @Test func seekRejectsInvalidTimesAndTimesOutsideTheItem() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture("count30.mp4")
            try fixture.wait(for: "firstFrame")
            await fixture.player.seekExactly(to: MediaTime(value: 3, timescale: 1))
            for time in [
                MediaTime.invalid, .indefinite, .positiveInfinity, MediaTime(value: -1, timescale: 1),
                MediaTime(value: 21, timescale: 1),
            ] {
                #expect(await fixture.player.seekExactly(to: time) == false, "\(time)")
            }
            #expect(await fixture.player.seek(to: .zero, toleranceBefore: .invalid, toleranceAfter: .zero) == false)
            #expect(
                await fixture.player.seek(
                    to: .zero, toleranceBefore: .zero, toleranceAfter: MediaTime(value: -1, timescale: 1)) == false)
            #expect(fixture.player.currentTime() == MediaTime(value: 3, timescale: 1))
        }
    }

    @Test func seekWithoutTolerancesGoesToThePrecedingKeyframe() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture("count30.mp4")
            try fixture.wait(for: "firstFrame")
            // The clip has keyframes at 0, 2, 4 s …
            #expect(await fixture.player.seek(to: MediaTime(seconds: 3.5)))
            #expect(
                fixture.shownFrameTimes.last == 2_000_000_000 && fixture.player.currentTime() == MediaTime(seconds: 2))
            #expect(await fixture.player.currentItem?.seek(to: MediaTime(seconds: 5)) == true)
            #expect(fixture.shownFrameTimes.last == 4_000_000_000)
        }
    }

    @Test func shownFrameLiesWithinTheTolerance() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture("count30.mp4")
            try fixture.wait(for: "firstFrame")
            // The clip has keyframes at 0, 2, 4 s …
            let time = MediaTime(seconds: 3.5)
            #expect(await fixture.player.seekExactly(to: time))
            #expect(fixture.shownFrameTimes.last == 3_500_000_000)
            #expect(
                await fixture.player.seek(
                    to: time, toleranceBefore: .positiveInfinity, toleranceAfter: .positiveInfinity))
            #expect(fixture.shownFrameTimes.last == 2_000_000_000)
            #expect(
                await fixture.player.seek(to: time, toleranceBefore: MediaTime(seconds: 0.5), toleranceAfter: .zero))
            let frameTime = try #require(fixture.shownFrameTimes.last)
            #expect((2_960_000_000...3_500_000_000).contains(frameTime))
        }
    }

    /// Both clips have keyframes at 0, 2, 4 s …. The arguments are the clip and, in seconds, the requested time, the
    /// tolerances before and after this time, and the expected time.
    @Test(arguments: [
        // A keyframe lies before the requested time and within the tolerances.
        ("count30.mp4", 2.5, 1.0, 0.0, 2.0), ("count30.mkv", 2.5, 1.0, 0.0, 2.0), ("count30.mp4", 2.5, 1.0, 9.0, 2.0),
        // A keyframe within the tolerances lies only after the requested time.
        ("count30.mp4", 3.5, 0.0, 1.0, 4.0), ("count30.mkv", 3.5, 1.0, 1.0, 4.0),
        ("count30.mp4", 2.5, 0.2, .infinity, 4.0),
        // No keyframe lies within the tolerances: the result is the exact frame.
        ("count30.mp4", 3.0, 0.5, 0.5, 3.0), ("count30.mkv", 3.0, 0.5, 0.5, 3.0), ("count30.mp4", 3.0, 0.5, 0.0, 3.0),
        ("count30.mp4", 19.5, 0.5, 0.5, 19.5),
    ])
    func seekPrefersAKeyframeWithinTheTolerances(
        _ name: String, _ target: Double, _ toleranceBefore: Double, _ toleranceAfter: Double, _ expected: Double
    ) async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture(name)
            try fixture.waitForFrames(1)
            let firstFrameTime = try #require(fixture.shownFrameTimes.first)
            func tolerance(_ seconds: Double) -> MediaTime {
                seconds.isFinite ? MediaTime(seconds: seconds) : .positiveInfinity
            }
            let offset = Double(firstFrameTime) / 1e9
            #expect(
                await fixture.player.seek(
                    to: MediaTime(seconds: target + offset), toleranceBefore: tolerance(toleranceBefore),
                    toleranceAfter: tolerance(toleranceAfter)))
            let frameTime = try #require(fixture.shownFrameTimes.last)
            #expect(
                abs(Double(frameTime) / 1e9 - offset - expected) < 0.034,
                "\(Double(frameTime) / 1e9) with an offset of \(offset)")
            #expect(abs(fixture.player.currentTime().seconds - offset - expected) < 0.034)
            // Playback continues from the frame that the seek has shown.
            fixture.clearShownFrames()
            fixture.player.play()
            try fixture.waitForFrames(5)
            #expect(fixture.shownFrameTimes.allSatisfy { $0 >= frameTime })
        }
    }

    @Test func pendingSeeksCanBeCancelled() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture()
            // The seek is pending until the item is open.
            let item = PlayerItem(location: try Fixtures.path("count30.mp4"))
            fixture.player.insert(item, after: nil)
            let results = Monitor<[Bool]>([])
            fixture.player.seekExactly(to: MediaTime(value: 15, timescale: 1)) { finished in
                results.update { $0.append(finished) }
            }
            item.cancelPendingSeeks()
            #expect(results.withLock { $0.count } == 1)
            try fixture.wait(for: "firstFrame")
            #expect(results.withLock { $0.count } == 1)
        }
    }

    @Test func seekDoesNotChangeTheRate() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture("count30.mp4")
            // A low rate keeps the clip from ending before the test continues on a busy machine.
            fixture.player.rate = 0.25
            try fixture.waitForFrames(3)
            #expect(await fixture.player.seekExactly(to: MediaTime(value: 1, timescale: 1)))
            #expect(fixture.player.rate == 0.25)
            fixture.clearShownFrames()
            try fixture.waitForFrames(10)
            #expect(fixture.player.timeControlStatus == .playing)
        }
    }

    @Test func stepMovesByFramesInBothDirections() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture("count30.mp4")
            try fixture.wait(for: "firstFrame")
            #expect(await fixture.player.seekExactly(to: MediaTime(value: 5, timescale: 1)))
            fixture.clearShownFrames()
            for _ in 0..<5 { fixture.player.step(byCount: 1) }
            fixture.player.step(byCount: 40)
            try fixture.wait(for: "timeJumped", times: 2)
            let expectedTime = MediaTime(value: 195, timescale: 30)
            let isReached: Bool? = Deadline.poll(for: .seconds(30)) {
                fixture.player.currentTime() >= MediaTime(seconds: 6.499) ? true : nil
            }
            #expect(isReached == true)
            #expect(abs((fixture.shownFrameTimes.last ?? 0) - (expectedTime.nanoseconds ?? 0)) < 1_000_000)
            let seekCount = fixture.count("seekCompleted")
            fixture.player.step(byCount: -1)
            try fixture.wait(for: "seekCompleted", times: seekCount + 1)
            #expect(abs((fixture.shownFrameTimes.last ?? 0) - 194 * 1_000_000_000 / 30) < 1_000_000)
            fixture.player.step(byCount: -10)
            try fixture.wait(for: "seekCompleted", times: seekCount + 2)
            #expect(abs((fixture.shownFrameTimes.last ?? 0) - 184 * 1_000_000_000 / 30) < 1_000_000)
            #expect(fixture.player.rate == 0)
        }
    }
}
