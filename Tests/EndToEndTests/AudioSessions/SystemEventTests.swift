import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Tests the effects of phone calls, the silent switch, the screen lock and compositor crashes on audio sessions.
@Suite("Audio sessions: system events")
struct SystemEventTests {
    @Test(
        "a call silences and interrupts all programs, and declining it resumes all of them",
        .measuresTime)
    func phoneCallInterruptsAllPrograms() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let video = try setup.startProbe(.video), game = try setup.startProbe(.game),
                navigation = try setup.startProbe(.navigation)
            try setup.startPlayback(of: video)
            try setup.startPlayback(of: game)
            try navigation.send("activate")
            try setup.startPlayback(of: navigation)
            try setup.runSystemCommand("call")
            let interruptionTimes = try [navigation, video, game].map { try $0.waitForNotification("began(default)") }
            try setup.record(for: .milliseconds(250))
            let now = MonotonicTime.now, loudness = try setup.loudness()
            for role in [Role.video, .game, .navigation] {
                let level = loudness.levelRange(of: role, from: now - 80_000_000, to: now).high
                #expect(level < Loudness.silenceLevel, "\(role)")
            }
            #expect((interruptionTimes.max() ?? 0) - (interruptionTimes.min() ?? 0) < 100_000_000)
            try setup.runSystemCommand("hang-up")
            try video.waitForNotification("ended(shouldResume)")
            try game.waitForNotification("ended(shouldResume)")
            try navigation.waitForNotification("ended(shouldResume)")
            try setup.waitUntilAudible(.game, above: -15)
        }
    }

    @Test("during an accepted call a video starts ducked, and solo ambient sessions cannot activate", .measuresTime)
    func videoStartsDuckedDuringAPhoneCall() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            try setup.runSystemCommand("call")
            try setup.runSystemCommand("accept")
            let otherVideo = try setup.startProbe(.otherVideo)
            try otherVideo.play()
            try setup.waitUntilAudible(.otherVideo, above: -15)
            try setup.record(for: .milliseconds(300))
            let range = try setup.recentLevelRange(of: .otherVideo)
            #expect(range.low > -14.5 && range.high < -13.5, "low \(range.low) high \(range.high)")
            try otherVideo.send("category soloAmbient", "deactivate", "activate")
            // The code 561017449 is `AVAudioSession.ErrorCode.insufficientPriority`.
            try otherVideo.wait(for: "failed activate 561017449")
            try setup.runSystemCommand("hang-up")
        }
    }

    @Test("a game that reactivates after a call receives the end of the hint, and its property matches each hint")
    func gameReceivesTheEndOfTheSilenceHintAfterAPhoneCall() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let game = try setup.startProbe(.game), video = try setup.startProbe(.video)
            try game.send("activate")
            try game.wait(for: "ok activate")
            try setup.startPlayback(of: video)
            try game.waitForNotification("hint(begin)")
            try setup.runSystemCommand("call")
            try game.waitForNotification("began(default)")
            try setup.runSystemCommand("hang-up")
            try game.waitForNotification("ended")
            try game.send("activate")
            try game.wait(for: "ok activate", times: 2)
            try setup.waitUntilAudible(.video)
            try video.send("close")
            try game.waitForNotification("hint(end)")
            for line in game.lines where line.text.hasPrefix("notified hint") {
                #expect(line.value("hint") == (line.text.contains("hint(begin)") ? "true" : "false"), "\(line.text)")
            }
        }
    }

    @Test("a call banner does not interrupt a session that opts out of system alerts", .measuresTime)
    func phoneCallBannerDoesNotInterruptASessionThatOptsOutOfAlerts() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let video = try setup.startProbe(.video)
            try video.send("prefer on")
            try setup.startPlayback(of: video)
            let start = MonotonicTime.now
            try setup.runSystemCommand("call-banner")
            try setup.record(for: .milliseconds(500))
            try setup.runSystemCommand("hang-up")
            try setup.record(for: .milliseconds(200))
            #expect(video.notifications == [])
            #expect(
                try setup.loudness().levelRange(of: .video, from: start, to: MonotonicTime.now - 50_000_000).low > -0.5)
        }
    }

    @Test(
        "the silent switch and the lock mute ambient audio, which keeps playing; a video stays audible",
        .measuresTime, arguments: ["silent", "lock"])
    func silentSwitchAndLockMuteAmbientAudio(_ condition: String) async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let video = try setup.startProbe(.video), game = try setup.startProbe(.game)
            try setup.startPlayback(of: video)
            try setup.startPlayback(of: game)
            let earlierPosition = try #require(try game.state().value("time").flatMap { Double($0) })
            let start = MonotonicTime.now
            try setup.runSystemCommand(condition, "on")
            try setup.record(for: .milliseconds(400))
            let now = MonotonicTime.now, loudness = try setup.loudness()
            #expect(loudness.levelRange(of: .game, from: now - 150_000_000, to: now).high < Loudness.silenceLevel)
            try setup.runSystemCommand(condition, "off")
            try setup.waitUntilAudible(.game)
            let position = try #require(try game.state().value("time").flatMap { Double($0) })
            #expect(position - earlierPosition > Double(MonotonicTime.now - start) / 1e9 - 0.3)
            let range = try setup.loudness().levelRange(of: .video, from: start, to: MonotonicTime.now - 50_000_000)
            #expect(range.low > -0.5, "\(range)")
            #expect(video.notifications == [] && game.notifications == [])
        }
    }

    @Test("a compositor crash silences and notifies all programs; the program that played resumes at full volume")
    func playingProgramResumesAfterACompositorCrash() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let video = try setup.startProbe(.video), game = try setup.startProbe(.game),
                navigation = try setup.startProbe(.navigation)
            try setup.startPlayback(of: video)
            try game.send("activate")
            try game.wait(for: "ok activate")
            try navigation.send("activate")
            try setup.waitUntilAudible(.video, above: -15)
            kill(try #require(setup.compositorPID), SIGKILL)
            let crashTime = MonotonicTime.now
            for probe in [video, game, navigation] {
                #expect(try probe.waitForNotification("lost") - crashTime < 200_000_000)
            }
            for probe in [video, game, navigation] { try probe.waitForNotification("reset") }
            try setup.record(for: .milliseconds(250))
            try setup.waitUntilAudible(.video)
            let loudness = try setup.loudness()
            let levels = loudness.levels(of: .video).filter { $0.time > crashTime }
            let lines = video.lines.map { "\(($0.time - crashTime) / 1_000_000) \($0.text)" }
            #expect(
                levels.contains { $0.decibels < Loudness.silenceLevel }, "\(levels.map { Int($0.decibels) }), \(lines)")
            #expect(try game.state().value("active") == "false")
            #expect(try game.state().value("category") == "ambient", "the session lost its category")
        }
    }

    @Test(
        "a call outlasts a compositor crash or a reset of media services, and still ducks new playback",
        .measuresTime, arguments: [true, false])
    func phoneCallOutlastsACompositorCrashAndAReset(isCrash: Bool) async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            try setup.runSystemCommand("call")
            try setup.runSystemCommand("accept")
            let video = try setup.startProbe(.video)
            try video.play()
            try setup.waitUntilAudible(.video, above: -15)
            if isCrash { kill(try #require(setup.compositorPID), SIGKILL) } else { try setup.runSystemCommand("reset") }
            try video.waitForNotification("reset")
            let isActive = Deadline.poll(for: .seconds(10)) {
                (try? video.state().value("active")) == "true" ? true : nil
            }
            #expect(isActive == true)
            try setup.record(for: .milliseconds(500))
            let range = try setup.recentLevelRange(of: .video)
            #expect(range.low > -14.5 && range.high < -13.5, "low \(range.low) high \(range.high)")
            #expect(try setup.runSystemCommand("sessions").contains("conditions: a call\n"))
            try setup.runSystemCommand("hang-up")
            try setup.waitUntilAudible(.video)
        }
    }

    @Test("killing the program that announced a call ends the call and resumes the interrupted program")
    func killingTheProgramThatAnnouncedAPhoneCallEndsTheCall() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup(), music = try setup.startProbe(.music)
            try setup.startPlayback(of: music)
            let phone = try ChildProcess(
                Products.swiftplayPath, ["system", "--hold", "call"], runtimeDirectory: setup.directory)
            try music.waitForNotification("began(default)")
            phone.signal(SIGKILL)
            try phone.waitForExit()
            try music.waitForNotification("ended(shouldResume)")
            try setup.waitUntilAudible(.music)
        }
    }

    @Test("a program that plays alone is audible without a gap when the compositor crashes", .measuresTime)
    func singleProgramPlaysWithoutGapWhenTheCompositorCrashes() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let video = try setup.startProbe(.video)
            try setup.startPlayback(of: video)
            let start = MonotonicTime.now
            kill(try #require(setup.compositorPID), SIGKILL)
            try video.waitForNotification("lost")
            try video.waitForNotification("reset")
            try setup.record(for: .milliseconds(500))
            #expect(
                try setup.loudness().levelRange(of: .video, from: start, to: MonotonicTime.now - 50_000_000).low > -0.5)
            #expect(
                Deadline.poll(for: .seconds(5)) { (try? video.state().value("active")) == "true" ? true : nil } == true)
        }
    }

    @Test("after a crash several programs reactivate at once, and only one of them plays", .measuresTime)
    func onlyOneProgramPlaysAfterACompositorCrash() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let probes = try [Role.music, .video, .otherVideo].map { try setup.startProbe($0) }
            for probe in probes {
                try probe.play()
                try setup.waitUntilAudible(probe.role)
            }
            kill(try #require(setup.compositorPID), SIGKILL)
            for probe in probes { try probe.waitForNotification("reset") }
            try setup.record(for: .milliseconds(300))
            try setup.waitUntilAudible(.otherVideo)
            try setup.record(for: .milliseconds(300))
            #expect(try probes.map { try $0.state().value("rate") } == ["0.0", "0.0", "1.0"])
            let now = MonotonicTime.now, loudness = try setup.loudness()
            #expect(loudness.levelRange(of: .music, from: now - 250_000_000, to: now).high < -40)
            #expect(loudness.levelRange(of: .video, from: now - 250_000_000, to: now).high < -40)
        }
    }

    @Test("a reset of media services acts like a crash; the list of sessions shows every session")
    func resetOfMediaServicesNotifiesProgramsLikeACrash() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let video = try setup.startProbe(.video), navigation = try setup.startProbe(.navigation)
            try setup.startPlayback(of: video)
            try navigation.send("activate")
            try setup.waitUntilAudible(.video, above: -15)
            let lines = try setup.runSystemCommand("sessions").split(separator: "\n")
            #expect(lines.count == 4 && lines[0].hasPrefix("output: "), "\(lines)")
            #expect(
                lines.contains {
                    $0.contains("moviePlayback") && $0.contains("running") && $0.contains("-14 dB")
                        && $0.contains("now playing")
                }, "\(lines)")
            #expect(
                lines.contains { $0.contains("interrupt-spoken,duck") && $0.contains("active") && $0.contains("0 dB") },
                "\(lines)")
            try setup.runSystemCommand("reset")
            try video.waitForNotification("lost")
            try video.waitForNotification("reset")
            try navigation.waitForNotification("reset")
            try setup.waitUntilAudible(.video)
        }
    }

    @Test("invalid categories and wrong arguments are refused and change nothing")
    func invalidCategoriesAndArgumentsAreRefused() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let music = try setup.startProbe(.music)
            try setup.startPlayback(of: music)
            try music.send(
                "category ambient moviePlayback", "category soloAmbient default 1", "category record spokenAudio")
            try music.wait(for: "failed category -50", times: 3)
            #expect(try music.state().value("category") == "playback")
            let child = try ChildProcess(
                Products.swiftplayPath, ["system", "silent", "maybe"], runtimeDirectory: setup.directory)
            #expect(try child.waitForExit().reason == .exited(64))
            #expect(child.errors.text.contains("silent requires on or off"))
        }
    }
}
