import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

@Suite struct PlayerTests {
    @Test func playerWithoutAnItemWaits() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture()
            fixture.player.play()
            try fixture.wait(for: "statusChanged")
            #expect(fixture.player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
            #expect(fixture.player.reasonForWaitingToPlay == .noItemToPlay)
            #expect(fixture.player.rate == 1)
            fixture.player.pause()
            try fixture.wait(for: "statusChanged", times: 2)
            #expect(fixture.player.timeControlStatus == .paused)
            #expect(fixture.player.reasonForWaitingToPlay == nil)
        }
    }

    @Test func playSetsTheDefaultRate() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture("short.mp4")
            fixture.player.defaultRate = 1.5
            #expect(fixture.player.rate == 0)
            fixture.player.rate = 2
            fixture.player.play()
            #expect(fixture.player.rate == 1.5)
            try fixture.wait(for: "playedToEnd")
            // At the end of its queue, a player has no item and rate 0.
            let isPaused: Bool? = Deadline.poll(for: .seconds(10)) {
                fixture.player.rate == 0 && fixture.player.currentItem == nil ? true : nil
            }
            #expect(isPaused == true)
        }
    }

    @Test func actionAtItemEndPausesOrContinues() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture("short.mp4")
            fixture.player.actionAtItemEnd = .none
            fixture.player.rate = 4
            try fixture.wait(for: "playedToEnd")
            #expect(fixture.player.rate == 4)
            let hasContinued: Bool? = Deadline.poll(for: .seconds(10)) {
                fixture.player.currentTime().seconds > 2.2 ? true : nil
            }
            #expect(hasContinued == true)
            fixture.player.actionAtItemEnd = .pause
            let isPaused: Bool? = Deadline.poll(for: .seconds(10)) {
                fixture.player.rate == 0 && fixture.player.timeControlStatus == .paused ? true : nil
            }
            #expect(isPaused == true)
        }
    }

    @Test func playbackStopsAtForwardPlaybackEndTime() async throws {
        try await TestEnvironment.runExclusively {
            let item = PlayerItem(location: try Fixtures.path("count30.mp4"))
            item.forwardPlaybackEndTime = MediaTime(value: 1, timescale: 1)
            let fixture = try PlayerFixture([item])
            fixture.player.actionAtItemEnd = .pause
            fixture.player.rate = 2
            try fixture.wait(for: "playedToEnd")
            #expect(fixture.count("playedToEnd") == 1)
            #expect(abs(fixture.player.currentTime().seconds - 1) < 0.05)
            #expect(fixture.shownFrameTimes.allSatisfy { $0 < 1_000_000_000 })
        }
    }

    @Test func valuesSequenceReportsPropertyChanges() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture("short.mp4")
            let player = fixture.player
            let observingTask = Task {
                var reportedValues: [Player.TimeControlStatus] = []
                for await status in player.values(of: \.timeControlStatus) {
                    if reportedValues.last != status { reportedValues.append(status) }
                    if reportedValues.contains(.playing), status == .paused { break }
                }
                return reportedValues
            }
            player.actionAtItemEnd = .pause
            player.rate = 4
            let reportedValues = await observingTask.value
            #expect(reportedValues.last == .paused)
            #expect(reportedValues.contains(.playing))
        }
    }

    @Test func prerollCompletesWhenPlaybackCanBeginAtItsRate() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture("count30.mp4")
            try fixture.wait(for: "itemReady")
            #expect(await fixture.player.preroll(atRate: 2))
            // The preroll has prepared playback at this rate, so playback starts without another seek.
            let jumpCount = fixture.count("timeJumped")
            fixture.player.rate = 2
            try fixture.waitForFrames(20)
            #expect(fixture.count("timeJumped") == jumpCount && fixture.player.timeControlStatus == .playing)
            #expect(await fixture.player.preroll(atRate: 1) == false, "preroll succeeded during playback")
            fixture.player.pause()
            let player = fixture.player
            let firstResult = Monitor<Bool?>(nil), secondResult = Monitor<Bool?>(nil)
            player.preroll(atRate: 0.5) { isPrepared in firstResult.update { $0 = $0 ?? isPrepared } }
            player.preroll(atRate: 1.5) { isPrepared in secondResult.update { $0 = $0 ?? isPrepared } }
            #expect(firstResult.withLock { $0 } == false, "the second preroll did not cancel the first")
            player.cancelPendingPrerolls()
            #expect(secondResult.withLock { $0 } != nil)
            player.replaceCurrentItem(with: nil)
            #expect(await player.preroll(atRate: 1) == false)
        }
    }

    @Test func asyncSequencesEndWhenThePlayerIsClosed() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture("short.mp4")
            let player = fixture.player
            try fixture.wait(for: "firstFrame")
            let values = player.values(of: \.timeControlStatus), notifications = player.notifications
            player.close()
            var count = 0
            for await _ in values { count += 1 }
            for await _ in notifications { count += 1 }
            // An async sequence that is requested from a closed player ends, too.
            for await status in player.values(of: \.timeControlStatus) { #expect(status == player.timeControlStatus) }
            #expect(count >= 1)
        }
    }

    @Test func closedPlayerStaysPausedAtItsTime() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture("count30.mp4")
            fixture.player.play()
            try fixture.waitForFrames(10)
            fixture.player.close()
            #expect(
                fixture.player.timeControlStatus == .paused && fixture.player.rate == 0
                    && fixture.player.reasonForWaitingToPlay == nil)
            #expect(fixture.events.contains("statusChanged") && fixture.events.last == "closed")
            let time = fixture.player.currentTime()
            #expect(time > .zero && !fixture.player.isSeeking)
            fixture.player.play()
            fixture.player.playImmediately(atRate: 2)
            let failedSeeks = Counter()
            fixture.player.seekExactly(to: .zero) { if !$0 { failedSeeks.add() } }
            #expect(failedSeeks.count == 1)
            #expect(
                fixture.player.rate == 0 && fixture.player.timeControlStatus == .paused && !fixture.player.isSeeking)
            #expect(fixture.player.currentTime() == time)
        }
    }

    @Test func asyncSequencesEndWhenThePlayerIsReleased() async throws {
        try await TestEnvironment.runExclusively {
            let endedSequences = Counter()
            func readSequences(_ player: Player) {
                let times = player.times(every: MediaTime(value: 1, timescale: 10)),
                    notifications = player.notifications
                let values = player.values(of: \.timeControlStatus)
                Task {
                    for await _ in times {}
                    endedSequences.add()
                }
                Task {
                    for await _ in notifications {}
                    endedSequences.add()
                }
                Task {
                    for await _ in values {}
                    endedSequences.add()
                }
            }
            let closedPlayer = try Player()
            readSequences(closedPlayer)
            closedPlayer.close()
            try endedSequences.wait(for: 3)
            do { readSequences(try Player()) }
            try endedSequences.wait(for: 6)
            // Async sequences that are requested from a closed player end at once.
            readSequences(closedPlayer)
            try endedSequences.wait(for: 9)
        }
    }

    @Test @MainActor func observersCanRunOnTheMainActor() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture()
            var reportedValues: [String] = []
            let observation = fixture.player.observe { notification in
                // This closure compiles without `assumeIsolated`, because it runs on the main actor.
                if case .itemReady = notification { reportedValues.append("ready") }
            }
            fixture.player.insert(PlayerItem(location: try Fixtures.path("short.mp4")), after: nil)
            let deadline = Deadline.after(.seconds(30))
            while reportedValues.isEmpty, MonotonicTime.now < deadline { await Task.yield() }
            #expect(reportedValues == ["ready"])
            withExtendedLifetime(observation) {}
        }
    }

    @Test(.measuresTime) func rateSetWhilePausedKeepsAudioAndVideoInSync() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture("count30.mp4")
            try fixture.wait(for: "firstFrame")
            // During the pause, the player has prepared the audio for rate 1.
            fixture.player.rate = 4
            let isReached: Bool? = Deadline.poll(for: .seconds(30)) {
                fixture.player.currentTime().seconds > 8 ? true : nil
            }
            #expect(isReached == true)
            #expect(fixture.player.statistics.synchronisation.largestOffset < 0.2)
        }
    }

    @Test func audioAloneStartsAtANonDefaultRate() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture()
            // The rate is set before the audio device is open.
            fixture.player.rate = 2
            fixture.player.insert(PlayerItem(location: try Fixtures.path("audio.ogg")), after: nil)
            try fixture.wait(for: "playedToEnd")
            #expect(fixture.count("timeJumped") <= 1)
        }
    }

    @Test(.measuresTime) func loopRangeRepeatsUntilRemoved() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture("count30.mp4")
            fixture.player.loopRange = MediaTimeRange(start: MediaTime(seconds: 1), end: MediaTime(seconds: 1.5))
            fixture.player.rate = 2
            try fixture.wait(for: "seekCompleted", times: 3)
            fixture.player.loopRange = nil
            let times = fixture.shownFrameTimes
            let backwardJumps = zip(times, times.dropFirst()).filter { $1 < $0 }
            #expect(backwardJumps.count >= 3)
            #expect(
                backwardJumps.allSatisfy { $0 < 1_500_000_000 && $0 > 1_300_000_000 && $1 == 1_000_000_000 },
                "\(backwardJumps)")
            let hasContinued: Bool? = Deadline.poll(for: .seconds(30)) {
                fixture.player.currentTime().seconds > 2 ? true : nil
            }
            #expect(hasContinued == true)
        }
    }
}
