import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Tests audio session interruptions between processes, by the notifications that they receive and by a recording of
/// the sound card.
@Suite("Audio sessions: interruption and resume")
struct InterruptionTests {
    /// The time, in milliseconds, within which a change of a program's gain must be audible at the output of the sound
    /// server.
    static let gainLatencyLimitInMilliseconds = 128.0

    @Test(
        "a video interrupts music without overlap; when the video closes, the music resumes",
        .measuresTime)
    func videoInterruptsMusicUntilItCloses() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let music = try setup.startProbe(.music), video = try setup.startProbe(.video)
            try setup.startPlayback(of: music)
            try setup.record(for: .milliseconds(300))
            let start = MonotonicTime.now
            try video.play()
            try music.waitForNotification("began(default)")
            try setup.waitUntilAudible(.video)
            #expect(try music.state().text.contains("active=false"))
            #expect(try music.state().text.contains("rate=0.0"))
            try setup.record(for: .milliseconds(300))
            let loudness = try setup.loudness()
            #expect(loudness.overlapMilliseconds(.music, .video, after: start) == 0)
            let musicEnd = try #require(loudness.lastTime(above: -40, of: .music)),
                videoStart = try #require(loudness.firstTime(above: -40, of: .video))
            #expect(
                videoStart >= musicEnd - 20_000_000 && Double(videoStart - musicEnd) / 1e6 <= 150,
                "\(Double(videoStart - musicEnd) / 1e6) ms between the end of the music and the start of the video")
            // Closing the player of the video deactivates its session and notifies the music program.
            try video.send("close")
            try music.waitForNotification("ended(shouldResume)")
            try setup.waitUntilAudible(.music)
            try setup.record(for: .milliseconds(200))
            let completeLoudness = try setup.loudness()
            #expect(completeLoudness.overlapMilliseconds(.music, .video, after: start) == 0)
            #expect(
                music.notifications == ["began(default)", "ended(shouldResume)"] && video.notifications == [],
                "\(music.notifications) \(video.notifications)")
            #expect(try music.state().text.contains("rate=1.0"))
        }
    }

    @Test("a film releases its audio session at its end, but not before its last sample is heard", .measuresTime)
    func filmReleasesItsAudioSessionAtItsEnd() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let music = try setup.startProbe(.music)
            try setup.startPlayback(of: music)
            let recorder = try AudioRecorder()
            let player = try RunningPlayer("short.mp4", options: ["--vo=null"], directory: setup.directory)
            try music.waitForNotification("began(default)")
            #expect(try player.child.waitForExit().isSuccess)
            try music.waitForNotification("ended(shouldResume)")
            try setup.waitUntilAudible(.music)
            let recording = recorder.stopRecording()
            // The film lasts two seconds, and each second begins with a beep. The music is silent until the film ends.
            let beeps = recording.beepTimes
            try #require(beeps.count == 2)
            let loudness = Loudness(recording)
            #expect(loudness.highestLevel(of: .music, from: beeps[0] + 60_000_000, to: beeps[1] - 20_000_000) < -40)
            #expect(loudness.highestLevel(of: .music, from: beeps[1] + 60_000_000, to: beeps[1] + 980_000_000) < -40)
        }
    }

    @Test("after a deactivation without notifyOthers, interrupted music is notified but does not resume")
    func deactivationWithoutNotifyingOthersDoesNotResumeMusic() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let music = try setup.startProbe(.music), video = try setup.startProbe(.video)
            try setup.startPlayback(of: music)
            try video.send("activate")
            try video.play()
            try music.waitForNotification("began(default)")
            try video.send("pause")
            try video.wait(for: "player paused")
            try video.send("deactivate")
            try music.waitForNotification("ended")
            // Wait until the end of the video's fade-out, which is still in the buffer of the sound card, has been
            // played.
            try setup.record(for: .milliseconds(300))
            let silenceStart = MonotonicTime.now
            try setup.record(for: .seconds(2))
            let level = try setup.loudness().levelRange(of: .music, from: silenceStart, to: MonotonicTime.now).high
            #expect(level < Loudness.silenceLevel)
            #expect(music.notifications == ["began(default)", "ended"])
        }
    }

    @Test("if an interrupting program is killed, the interrupted program resumes immediately")
    func killingTheInterruptingProgramResumesMusic() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let music = try setup.startProbe(.music), video = try setup.startProbe(.video)
            try setup.startPlayback(of: music)
            try setup.startPlayback(of: video)
            video.child.signal(SIGKILL)
            try music.waitForNotification("ended(shouldResume)")
            try setup.waitUntilAudible(.music)
            #expect(music.notifications == ["began(default)", "ended(shouldResume)"])
        }
    }

    @Test("a program that was interrupted while it was stopped makes no sound when it continues", .measuresTime)
    func programInterruptedWhileStoppedIsSilentAfterSIGCONT() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let music = try setup.startProbe(.music), video = try setup.startProbe(.video)
            try setup.startPlayback(of: music)
            try setup.startPlayback(of: video)
            try video.child.stopWhileSleeping()
            try setup.startPlayback(of: music)
            try setup.record(for: .milliseconds(300))
            let resumeTime = MonotonicTime.now
            video.child.signal(SIGCONT)
            try video.waitForNotification("began(default)")
            try setup.record(for: .milliseconds(400))
            let level = try setup.loudness().highestLevel(of: .video, from: resumeTime, to: MonotonicTime.now)
            #expect(level < Loudness.silenceLevel)
            #expect(video.notifications == ["began(default)"])
        }
    }

    @Test("a program that was paused when it was interrupted does not receive shouldResume")
    func programPausedBeforeAnInterruptionDoesNotResume() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let music = try setup.startProbe(.music), video = try setup.startProbe(.video)
            try setup.startPlayback(of: music)
            try music.send("pause")
            try music.wait(for: "player paused")
            try video.play()
            try music.waitForNotification("began(default)")
            try video.send("close")
            try music.waitForNotification("ended")
            #expect(music.notifications == ["began(default)", "ended"])
            #expect(try music.state().text.contains("rate=0.0"))
        }
    }

    @Test("a program that the user pauses during an interruption stays paused after it")
    func programPausedDuringAnInterruptionStaysPaused() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let music = try setup.startProbe(.music), video = try setup.startProbe(.video)
            try setup.startPlayback(of: music)
            try video.play()
            try music.waitForNotification("began(default)")
            try setup.waitUntilAudible(.video)
            try music.send("pause")
            _ = try music.state()
            try video.send("close")
            try music.waitForNotification("ended(shouldResume)")
            let silenceStart = MonotonicTime.now
            try setup.record(for: .seconds(1))
            let level = try setup.loudness().levelRange(of: .music, from: silenceStart, to: MonotonicTime.now).high
            #expect(level < Loudness.silenceLevel)
            #expect(try music.state().text.contains("rate=0.0"))
        }
    }

    @Test("after a call only the video that the call interrupted resumes; the music resumes when the video closes")
    func onlyTheProgramThatAPhoneCallInterruptedResumesAfterTheCall() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let music = try setup.startProbe(.music), video = try setup.startProbe(.video)
            try setup.startPlayback(of: music)
            let start = MonotonicTime.now
            try setup.startPlayback(of: video)
            try setup.runSystemCommand("call")
            try video.waitForNotification("began(default)")
            try setup.runSystemCommand("hang-up")
            try video.waitForNotification("ended(shouldResume)")
            try setup.waitUntilAudible(.video)
            #expect(music.notifications == ["began(default)"])
            try video.send("close")
            try music.waitForNotification("ended(shouldResume)")
            try setup.waitUntilAudible(.music)
            #expect(try setup.loudness().overlapMilliseconds(.music, .video, after: start) == 0)
        }
    }

    @Test(
        "if a video that interrupted music closes or is killed during a call, the music resumes after the call",
        arguments: [false, true])
    func musicResumesAfterAPhoneCallDuringWhichTheVideoEnded(isKilled: Bool) async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let music = try setup.startProbe(.music), video = try setup.startProbe(.video)
            try setup.startPlayback(of: music)
            try setup.startPlayback(of: video)
            try setup.runSystemCommand("call")
            try video.waitForNotification("began(default)")
            if isKilled { video.child.signal(SIGKILL) } else { try video.send("close") }
            try setup.record(for: .milliseconds(300))
            #expect(music.notifications == ["began(default)"])
            try setup.runSystemCommand("hang-up")
            try music.waitForNotification("ended(shouldResume)")
            try setup.waitUntilAudible(.music)
            if !isKilled { #expect(video.notifications == ["began(default)"]) }
        }
    }

    @Test("a program that does not resume after a call keeps the music interrupted until it deactivates its session")
    func programThatStaysPausedAfterAPhoneCallKeepsMusicInterrupted() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let music = try setup.startProbe(.music), video = try setup.startProbe(.video)
            try setup.startPlayback(of: music)
            try video.send("activate")
            try setup.startPlayback(of: video)
            try setup.runSystemCommand("call")
            try video.waitForNotification("began(default)")
            try video.send("pause")
            _ = try video.state()
            try setup.runSystemCommand("hang-up")
            try video.waitForNotification("ended(shouldResume)")
            try setup.record(for: .milliseconds(300))
            #expect(music.notifications == ["began(default)"])
            try video.send("deactivate notify")
            try music.waitForNotification("ended(shouldResume)")
            try setup.waitUntilAudible(.music)
        }
    }

    @Test("interrupted music that the user plays interrupts the video, and is not notified when the video closes")
    func interruptedMusicThatTheUserPlaysInterruptsTheVideo() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let music = try setup.startProbe(.music), video = try setup.startProbe(.video)
            try setup.startPlayback(of: music)
            try setup.startPlayback(of: video)
            try music.play()
            try video.waitForNotification("began(default)")
            try video.send("close")
            try setup.record(for: .milliseconds(300))
            #expect(music.notifications == ["began(default)"])
            try setup.waitUntilAudible(.music)
        }
    }

    @Test(
        "a program in the background cannot interrupt others, and ambient audio cannot start there",
        .measuresTime,
        // The codes are `cannotInterruptOthers` and `cannotStartPlaying` of `AVAudioSession.ErrorCode`.
        arguments: [(Role.otherVideo, 560_557_684), (.game, 561_015_905), (.solo, 561_015_905)])
    func activationInBackgroundFails(_ role: Role, _ code: Int) async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let music = try setup.startProbe(.music), backgroundProgram = try setup.startProbe(role)
            try setup.startPlayback(of: music)
            let start = MonotonicTime.now
            try backgroundProgram.send("place background", "activate")
            try backgroundProgram.wait(for: "failed activate \(code)")
            try backgroundProgram.send("play")
            try backgroundProgram.wait(for: "warning")
            try setup.record(for: .milliseconds(300))
            let range = try setup.loudness().levelRange(
                of: .music, from: start + 50_000_000, to: MonotonicTime.now - 50_000_000)
            #expect(range.low > -0.5 && range.high < 0.5, "\(range)")
            #expect(music.notifications == [] && backgroundProgram.notifications == [])
        }
    }

    @Test("when an interrupting program becomes mixable, the interrupted program resumes beside it", .measuresTime)
    func musicResumesWhenTheInterruptingProgramBecomesMixable() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let music = try setup.startProbe(.music), video = try setup.startProbe(.video)
            try setup.startPlayback(of: music)
            try setup.startPlayback(of: video)
            let start = MonotonicTime.now
            try video.send("category playback moviePlayback 1")
            try music.waitForNotification("ended(shouldResume)")
            try setup.waitUntilAudible(.music)
            try setup.record(for: .milliseconds(200))
            let range = try setup.loudness().levelRange(of: .video, from: start, to: MonotonicTime.now - 50_000_000)
            #expect(range.low > -0.5, "\(range)")
        }
    }
}
