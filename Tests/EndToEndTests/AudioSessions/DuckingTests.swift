import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Ducking: prompts that lower other programs by 14 dB, checked by a recording of the sound card.
@Suite("Audio sessions: ducking")
struct DuckingTests {
    /// Waits until a role's tone stays within 0.5 dB of `level` (in decibels relative to the tone files) for 200 ms.
    private func waitUntilLevelIsSteady(_ setup: AudioTestSetup, _ role: Role, at level: Double) throws {
        let isSteady = Deadline.poll(for: .seconds(5), every: .milliseconds(50)) { () -> Bool? in
            guard let range = try? setup.recentLevelRange(of: role) else { return nil }
            return abs(range.low - level) < 0.5 && abs(range.high - level) < 0.5 ? true : nil
        }
        guard isSteady == true else {
            throw TestFailure("\(role) is at \(try setup.recentLevelRange(of: role)) dB instead of \(level) dB")
        }
    }

    /// Starts music, and a navigation prompt that lowers the music by 14 dB.
    private func startMusicLoweredByPrompt() throws -> (
        setup: AudioTestSetup, music: RunningAudioProbe, navigation: RunningAudioProbe
    ) {
        let setup = try AudioTestSetup()
        let music = try setup.startProbe(.music), navigation = try setup.startProbe(.navigation)
        try setup.startPlayback(of: music)
        try navigation.send("activate")
        try waitUntilLevelIsSteady(setup, .music, at: -14)
        return (setup, music, navigation)
    }

    @Test(
        "a prompt lowers music linearly by 14 dB and receives the time of completion; the music rises after it",
        .measuresTime)
    func promptLowersMusicUntilThePromptEnds() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let music = try setup.startProbe(.music), navigation = try setup.startProbe(.navigation)
            try setup.startPlayback(of: music)
            try setup.record(for: .milliseconds(300))
            try navigation.send("activate")
            let activated = try navigation.wait(for: "ok activate")
            let duckedTime = try #require(activated.value("ducked").flatMap { Int64($0) })
            try setup.record(for: .milliseconds(500))
            try waitUntilLevelIsSteady(setup, .music, at: -14)
            try navigation.send("deactivate notify")
            let deactivationTime = try navigation.wait(for: "ok deactivate").time
            try waitUntilLevelIsSteady(setup, .music, at: 0)
            let loudness = try setup.loudness()
            let rampStart = try #require(loudness.firstTime(below: -0.5, of: .music, after: activated.time - 5_000_000))
            let rampEnd = try #require(loudness.firstTime(below: -13.5, of: .music, after: activated.time))
            let elapsedMilliseconds = { (time: Int64, startTime: Int64) in Double(time - startTime) / 1e6 }
            #expect(
                elapsedMilliseconds(rampStart, activated.time) <= InterruptionTests.gainLatencyLimitInMilliseconds,
                "audible after \(elapsedMilliseconds(rampStart, activated.time)) ms")
            #expect(
                elapsedMilliseconds(rampEnd, rampStart) <= 260 && elapsedMilliseconds(rampEnd, rampStart) > 180,
                "down in \(elapsedMilliseconds(rampEnd, rampStart)) ms")
            // At the time that the activation reported as `duckCompleteTime`, the music has reached its low level.
            #expect(loudness.levelRange(of: .music, from: duckedTime + 43_000_000, to: deactivationTime).high < -13)
            // The music falls linearly in decibels: by 14 dB in 250 ms.
            let fallLevels = loudness.levels(of: .music, from: rampStart, to: rampEnd)
            let slope = -14.0 / 250
            for level in fallLevels {
                let expected = -0.5 + slope * elapsedMilliseconds(level.time, fallLevels[0].time)
                #expect(abs(level.decibels - max(expected, -14)) < 1)
            }
            let riseEnd = try #require(loudness.firstTime(above: -0.5, of: .music, after: deactivationTime))
            #expect(
                elapsedMilliseconds(riseEnd, deactivationTime) <= InterruptionTests.gainLatencyLimitInMilliseconds
                    + 500,
                "up after \(elapsedMilliseconds(riseEnd, deactivationTime)) ms")
            #expect(music.notifications == [])
        }
    }

    @Test(
        "a prompt pauses speech and lowers mixed audio; speech stays paused if the prompt does not notify others"
    )
    func promptPausesSpeechAndLowersMixedAudio() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let podcast = try setup.startProbe(.podcast), mixedProgram = try setup.startProbe(.mixed),
                navigation = try setup.startProbe(.navigation)
            try setup.startPlayback(of: podcast)
            try navigation.send("activate")
            try podcast.waitForNotification("began(default)")
            try navigation.send("deactivate notify")
            try podcast.waitForNotification("ended(shouldResume)")
            try setup.waitUntilAudible(.podcast)
            try setup.startPlayback(of: mixedProgram)
            try navigation.send("activate")
            try podcast.waitForNotification("began(default)", times: 2)
            try waitUntilLevelIsSteady(setup, .mixed, at: -14)
            try navigation.send("deactivate")
            try podcast.waitForNotification("ended")
            try waitUntilLevelIsSteady(setup, .mixed, at: 0)
            #expect(podcast.notifications == ["began(default)", "ended(shouldResume)", "began(default)", "ended"])
            #expect(try podcast.state().value("rate") == "0.0")
        }
    }

    @Test("two programs that duck others lower music once and do not lower each other", .measuresTime)
    func twoDuckingProgramsLowerMusicOnce() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let music = try setup.startProbe(.music), navigation = try setup.startProbe(.navigation),
                timer = try setup.startProbe(.timer)
            try setup.startPlayback(of: music)
            try navigation.send("activate")
            try navigation.play()
            try waitUntilLevelIsSteady(setup, .music, at: -14)
            let start = MonotonicTime.now
            try timer.send("activate")
            try setup.startPlayback(of: timer)
            try waitUntilLevelIsSteady(setup, .timer, at: 0)
            try waitUntilLevelIsSteady(setup, .navigation, at: 0)
            try navigation.send("pause")
            try navigation.wait(for: "player paused")
            try navigation.send("deactivate notify")
            try navigation.wait(for: "ok deactivate")
            try setup.record(for: .milliseconds(400))
            let range = try setup.loudness().levelRange(of: .music, from: start, to: MonotonicTime.now - 100_000_000)
            #expect(range.low > -14.6 && range.high < -13.4, "\(range)")
            try timer.send("pause")
            try timer.wait(for: "player paused")
            try timer.send("deactivate notify")
            try waitUntilLevelIsSteady(setup, .music, at: 0)
        }
    }

    @Test("a prompt that returns while music rises reverses the ramp at the current level", .measuresTime)
    func promptDuringTheRampReversesTheRamp() async throws {
        try await TestEnvironment.runExclusively {
            let (setup, _, navigation) = try startMusicLoweredByPrompt()
            try navigation.send("deactivate notify")
            try navigation.wait(for: "ok deactivate")
            let start = MonotonicTime.now
            try setup.record(for: .milliseconds(250))
            try navigation.send("activate")
            try navigation.wait(for: "ok activate", times: 2)
            try waitUntilLevelIsSteady(setup, .music, at: -14)
            let levels = try setup.loudness().levels(of: .music).filter { $0.time > start }.map(\.decibels)
            let highestLevel = levels.max() ?? 0
            #expect(highestLevel > -13 && highestLevel < -2, "\(highestLevel)")
            // A ramp of 14 dB in 250 ms changes the level by 0.3 dB in 5 ms, the time between two measured levels. A
            // jump changes it by more.
            #expect(zip(levels, levels.dropFirst()).allSatisfy { abs($1 - $0) < 1.5 }, "\(levels)")
        }
    }

    @Test("two files play without a gap while they are lowered", .measuresTime)
    func twoFilesOfADuckedProgramPlayWithoutGap() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let navigation = try setup.startProbe(.navigation)
            try navigation.send("activate")
            try navigation.wait(for: "ok activate")
            let recorder = try AudioRecorder()
            let player = try RunningPlayer(
                "half-a.flac", "half-b.flac", options: ["--vo=null"], directory: setup.directory)
            #expect(try player.child.waitForExit().isSuccess)
            try recorder.wait(until: MonotonicTime.now)
            let recording = recorder.stopRecording().trimmed(threshold: 0.01)
            // The two files together last 2.3 s and contain a tone with an amplitude of 0.4. The first and last four
            // windows of 20 ms are dropped, because they contain the start and the end of the tone.
            let levels = recording.toneEnvelope(441, window: .milliseconds(20)).dropFirst(4).dropLast(4).map {
                20 * log10(max($0.amplitude, 1e-6) / 0.4)
            }
            #expect(recording.duration > 2.2 && recording.duration < 2.4, "\(recording.duration)")
            #expect(levels.allSatisfy { abs($0 + 14) < 0.3 }, "\(levels)")
        }
    }

    @Test("music that starts during a prompt starts lowered; if the prompt is killed, the music rises")
    func musicThatStartsDuringAPromptStartsDucked() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let timer = try setup.startProbe(.timer), music = try setup.startProbe(.music)
            try timer.send("activate")
            try timer.wait(for: "ok activate")
            let start = MonotonicTime.now
            try music.play()
            try waitUntilLevelIsSteady(setup, .music, at: -14)
            #expect(try setup.loudness().levelRange(of: .music, from: start, to: MonotonicTime.now).high < -13)
            timer.child.signal(SIGKILL)
            try waitUntilLevelIsSteady(setup, .music, at: 0)
            #expect(music.notifications == [])
        }
    }

    @Test("a new item of a lowered program starts lowered, and rises after the prompt")
    func newItemOfADuckedProgramStartsDucked() async throws {
        try await TestEnvironment.runExclusively {
            let (setup, music, navigation) = try startMusicLoweredByPrompt()
            let start = MonotonicTime.now
            try music.send("close", "load \(try Fixtures.path("tone-440.flac"))")
            try music.play()
            try waitUntilLevelIsSteady(setup, .music, at: -14)
            #expect(try setup.loudness().levelRange(of: .music, from: start, to: MonotonicTime.now).high < -13)
            try navigation.send("deactivate notify")
            try waitUntilLevelIsSteady(setup, .music, at: 0)
        }
    }

    @Test("the user's volume multiplies the gain of ducking")
    func volumeMultipliesTheDuckingGain() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let music = try setup.startProbe(.music), navigation = try setup.startProbe(.navigation)
            try music.send("volume 0.5012")
            try music.play()
            try waitUntilLevelIsSteady(setup, .music, at: -6)
            try navigation.send("activate")
            try waitUntilLevelIsSteady(setup, .music, at: -20)
            try music.send("volume 0.7079")
            try waitUntilLevelIsSteady(setup, .music, at: -17)
            try navigation.send("deactivate notify")
            try waitUntilLevelIsSteady(setup, .music, at: -3)
        }
    }

    @Test("music that was paused before the prompt ended plays again at full level, without a ramp", .measuresTime)
    func musicPausedDuringAPromptResumesAtFullLevel() async throws {
        try await TestEnvironment.runExclusively {
            let (setup, music, navigation) = try startMusicLoweredByPrompt()
            try music.send("pause")
            try music.wait(for: "player paused")
            try setup.record(for: .milliseconds(200))
            try navigation.send("deactivate notify")
            try navigation.wait(for: "ok deactivate")
            try setup.startPlayback(of: music)
            let loudness = try setup.loudness()
            // Resuming fades the music in within 30 ms; the ramp after a prompt would take 500 ms.
            let lastSilentTime = try #require(loudness.levels(of: .music).last { $0.decibels < -60 }?.time),
                fullLevelTime = try #require(loudness.firstTime(above: -0.5, of: .music, after: lastSilentTime))
            let milliseconds = Double(fullLevelTime - lastSilentTime) / 1e6
            #expect(milliseconds < 80, "\(milliseconds) ms")
        }
    }

    @Test("after a prompt that starts and ends 10 times a second, music is at its full level", .measuresTime)
    func musicIsAtFullLevelAfterRapidPrompts() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let music = try setup.startProbe(.music), navigation = try setup.startProbe(.navigation)
            try setup.startPlayback(of: music)
            try setup.record(for: .milliseconds(100))
            let start = MonotonicTime.now
            for turn in 1...25 {
                try navigation.send("activate")
                try navigation.wait(for: "ok activate", times: turn)
                try setup.record(for: .milliseconds(50))
                try navigation.send("deactivate notify")
                try navigation.wait(for: "ok deactivate", times: turn)
                try setup.record(for: .milliseconds(50))
            }
            try waitUntilLevelIsSteady(setup, .music, at: 0)
            let range = try setup.loudness().levelRange(of: .music, from: start, to: MonotonicTime.now - 50_000_000)
            #expect(range.low > -14.5 && range.high < 0.5, "\(range)")
            #expect(music.notifications == [] && navigation.notifications == [])
        }
    }
}
