import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Tests the interruptions and notifications of audio sessions when output devices appear and disappear.
///
/// An ALSA plug-in (`Tests/StandIns/ctl.c`) stands in for a sound card with a headphone jack.
@Suite("Audio sessions: routes")
struct RouteTests {
    /// Three running programs: paused music, a playing video, and a game whose audio mixes with the video.
    private struct ThreeProgramSetup {
        let setup: AudioTestSetup
        let music: RunningAudioProbe, video: RunningAudioProbe, game: RunningAudioProbe
        var probes: [RunningAudioProbe] { [music, video, game] }

        init(environment: [String: String?] = [:]) throws {
            setup = try AudioTestSetup()
            music = try setup.startProbe(.music, environment: environment)
            video = try setup.startProbe(.video, environment: environment)
            game = try setup.startProbe(.game, environment: environment)
            try setup.startPlayback(of: music)
            try music.send("pause")
            try music.wait(for: "player paused")
            try setup.startPlayback(of: video)
            try setup.startPlayback(of: game)
        }

        /// Calls `removeOutput`, which removes the output device, and checks that only the video is interrupted.
        ///
        /// - Parameter portType: the port type of the removed device.
        func checkOutputLossStopsVideo(of portType: String, _ removeOutput: () throws -> Void) throws {
            let initialCounts = probes.map(\.notifications.count)
            let notification = "route(oldDeviceUnavailable,\(portType))", start = MonotonicTime.now
            try removeOutput()
            for probe in probes { try probe.waitForNotification(notification) }
            try video.wait(for: "player paused")
            try setup.record(for: .milliseconds(300))
            let now = MonotonicTime.now, loudness = try setup.loudness()
            // The compositor silences the video before it notifies the audio session of the video.
            let interruptionTime = try video.waitForNotification("began(routeDisconnected)"),
                end = try #require(loudness.lastTime(above: -40, of: .video))
            #expect(end - interruptionTime < 100_000_000, "audible for \((end - interruptionTime) / 1_000_000) ms more")
            #expect(loudness.levelRange(of: .game, from: start, to: now - 50_000_000).low > -0.5, "the game has a gap")
            let newNotifications = zip(probes, initialCounts).map { Array($0.notifications.dropFirst($1)) }
            #expect(newNotifications == [[notification], ["began(routeDisconnected)", notification], [notification]])
            // The interrupted player of the video keeps its playback position.
            let firstState = try video.state(), secondState = try video.state()
            #expect(
                firstState.value("rate") == "0.0" && firstState.value("active") == "false"
                    && firstState.value("time") == secondState.value("time"))
            #expect((firstState.value("time").flatMap { Double($0) } ?? 0) > 0.1)
            #expect(try game.state().value("rate") == "1.0")
        }

        /// Calls `addOutput`, which adds an output device, and checks that no player resumes by itself.
        ///
        /// - Parameter portType: the port type of the output device that was used before.
        func checkNewOutputResumesNothing(after portType: String, _ addOutput: () throws -> Void) throws {
            let notification = "route(newDeviceAvailable,\(portType))", start = MonotonicTime.now
            let expectedCounts = probes.map { $0.notifications.count { $0 == notification } + 1 }
            try addOutput()
            for (probe, count) in zip(probes, expectedCounts) {
                try probe.waitForNotification(notification, times: count)
            }
            try setup.record(for: .milliseconds(500))
            let loudness = try setup.loudness()
            #expect(loudness.levelRange(of: .video, from: start, to: MonotonicTime.now).high < Loudness.silenceLevel)
            #expect(loudness.levelRange(of: .music, from: start, to: MonotonicTime.now).high < Loudness.silenceLevel)
            for probe in [music, video] {
                #expect(try probe.state().value("rate") == "0.0")
                #expect(!probe.notifications.contains { $0.hasPrefix("ended") })
            }
        }
    }

    @Test(
        "unplugging headphones interrupts the video and notifies all programs; plugging them in resumes no player",
        .measuresTime)
    func unpluggingHeadphonesInterruptsTheVideo() async throws {
        try await TestEnvironment.runExclusively {
            let card = try SoundCardStandIn(forOtherPrograms: true)
            let programs = try ThreeProgramSetup(environment: card.environment)
            try card.send("i")
            for probe in programs.probes { try probe.waitForNotification("route(newDeviceAvailable,Speaker)") }
            #expect(try programs.video.state().value("route") == "Headphones")
            #expect(try programs.setup.runSystemCommand("sessions").hasPrefix("output: Stand-in (headphones)\n"))
            try programs.checkOutputLossStopsVideo(of: "Headphones") { try card.send("o") }
            #expect(try programs.video.state().value("route") == "Speaker")
            try programs.checkNewOutputResumesNothing(after: "Speaker") { try card.send("i") }
            // After the user presses play, the video is audible on the new output.
            try programs.setup.startPlayback(of: programs.video)
        }
    }

    @Test(
        "choosing another device moves playback to it without an interruption; a missing device changes nothing",
        .measuresTime)
    func choosingADeviceDoesNotInterruptPlayback() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup(), video = try setup.startProbe(.video), game = try setup.startProbe(.game)
            try setup.startPlayback(of: video)
            try setup.startPlayback(of: game)
            try setup.record(for: .milliseconds(300))
            let start = MonotonicTime.now, startState = try video.state()
            try video.send("device pulse")
            try video.waitForNotification("route(override,SoundServer)")
            try setup.record(for: .milliseconds(500))
            let endState = try video.state(), loudness = try setup.loudness()
            let silentMilliseconds =
                loudness.levels(of: .video, from: start, to: endState.time).count { $0.decibels < -20 } * 5
            #expect(silentMilliseconds <= 200, "\(silentMilliseconds) ms without sound")
            let positionAdvance =
                try #require(endState.value("time").flatMap { Double($0) }) - #require(
                    startState.value("time").flatMap { Double($0) })
            let elapsed = Double(endState.time - startState.time) / 1e9
            #expect(abs(positionAdvance - elapsed) < 0.2, "the position advanced by \(positionAdvance) s")
            #expect(loudness.levelRange(of: .game, from: start, to: endState.time).low > -0.5, "the game has a gap")
            #expect(endState.value("rate") == "1.0" && endState.value("active") == "true")
            #expect(endState.value("route") == "SoundServer")
            try video.send("device nowhere")
            try video.wait(for: "warning")
            try setup.record(for: .milliseconds(300))
            let end = MonotonicTime.now
            #expect(try setup.loudness().levelRange(of: .video, from: endState.time, to: end - 50_000_000).low > -0.5)
            #expect(video.notifications == ["route(override,SoundServer)"] && game.notifications == [])
        }
    }

    @Test("device changes that the desktop reports for a sound server have the same effects", .measuresTime)
    func deviceChangesOfASoundServerHaveTheEffectsOfCardChanges() async throws {
        try await TestEnvironment.runExclusively {
            let programs = try ThreeProgramSetup()
            #expect(try programs.video.state().value("route") == "SoundServer")
            try programs.setup.runSystemCommand("device-added", "Buds")
            for probe in programs.probes { try probe.waitForNotification("route(newDeviceAvailable,SoundServer)") }
            #expect(try programs.setup.runSystemCommand("sessions").hasPrefix("output: Buds (sound server)\n"))
            try programs.checkOutputLossStopsVideo(of: "SoundServer") {
                try programs.setup.runSystemCommand("device-lost")
            }
            #expect(try programs.setup.runSystemCommand("sessions").hasPrefix("output: PulseAudio (sound server)\n"))
            // A phone call that begins and ends now does not make the interrupted video resume.
            try programs.setup.runSystemCommand("call")
            try programs.game.waitForNotification("began(default)")
            try programs.setup.runSystemCommand("hang-up")
            try programs.game.waitForNotification("ended(shouldResume)")
            try programs.video.waitForNotification("ended")
            #expect(try programs.video.state().value("rate") == "0.0")
        }
    }

    @Test("choosing another device of the sound server notifies the program and does not pause it")
    func choosingADeviceOfTheSoundServerDoesNotPausePlayback() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup(), video = try setup.startProbe(.video)
            try setup.startPlayback(of: video)
            try setup.directory.waitUntilAudioRouteIsKnown()
            try setup.runSystemCommand("device-chosen", "Television")
            try video.waitForNotification("route(override,SoundServer)")
            #expect(try setup.runSystemCommand("sessions").hasPrefix("output: Television (sound server)\n"))
            #expect(try video.state().value("rate") == "1.0")
            #expect(video.notifications == ["route(override,SoundServer)"])
        }
    }

    @Test(
        "removing the card pauses at the last audible position, also if the removal is reported late",
        .measuresTime, arguments: [false, true])
    func removingTheCardPausesAtTheLastAudiblePosition(isReportedLate: Bool) async throws {
        try await TestEnvironment.runExclusively {
            let device = try AudioDeviceStandIn()
            let card = try SoundCardStandIn(forOtherPrograms: true, extending: device), setup = try AudioTestSetup()
            let video = try setup.startProbe(.video, environment: card.environment)
            try video.play()
            try device.wait("a second of sound") { _ in device.playedFrameCount > 24_000 }
            let state = try video.state()
            #expect(
                state.value("samplerate") == "48000.0" && state.value("period") == "0.02"
                    && state.value("route") == "Speaker", "\(state.text)")
            try device.send("enodev")
            if isReportedLate {
                // Playback continues without sound until the removal of the card is reported.
                try video.wait(for: "warning")
                let isAdvancing = Deadline.poll(for: .seconds(5)) {
                    (try? video.state())?.value("time").flatMap { Double($0) }.flatMap { $0 > 1.5 ? true : nil }
                }
                #expect(isAdvancing == true)
            }
            try card.send("x")
            try video.waitForNotification("began(routeDisconnected)")
            try video.waitForNotification("route(noSuitableRouteForCategory,Speaker)")
            try video.wait(for: "player paused")
            let time = try #require(try video.state().value("time").flatMap { Double($0) })
            // The tone is mono, but `recording` reads the samples as stereo, so each of its frames contains two
            // samples.
            let audibleSeconds = Double(device.recording.trimmed().samples.count) * 2 / 48_000
            #expect(abs(time - audibleSeconds) < 0.1, "the position is \(time) s, but \(audibleSeconds) s were audible")
            #expect(try video.state().value("route") == "-")
            // Without an output device an audio session cannot be activated.
            try video.send("activate")
            // The code 561145203 is `AVAudioSession.ErrorCode.resourceNotAvailable`.
            try video.wait(for: "failed activate 561145203")
            #expect(device.logEntryCount(ofKind: "open") <= 11)
            #expect(video.notifications == ["began(routeDisconnected)", "route(noSuitableRouteForCategory,Speaker)"])
        }
    }

    @Test("plugging in a device makes the player open its lost device again")
    func pluggingInADeviceReopensTheLostDevice() async throws {
        try await TestEnvironment.runExclusively {
            let device = try AudioDeviceStandIn()
            let card = try SoundCardStandIn(forOtherPrograms: true, extending: device), setup = try AudioTestSetup()
            let video = try setup.startProbe(.video, environment: card.environment)
            try video.play()
            try device.wait("sound") { _ in device.playedFrameCount > 24_000 }
            try device.send("enodev")
            let isGivenUp = Deadline.poll(for: .seconds(20)) {
                video.lines.contains { $0.text.contains("10 attempts") } ? true : nil
            }
            #expect(isGivenUp == true, "\(video.lines.map(\.text))")
            let earlierFrameCount = device.playedFrameCount
            try device.send("ok")
            try card.send("i")
            try device.wait("sound after the retry") { _ in device.playedFrameCount > earlierFrameCount + 24_000 }
            #expect(video.notifications == ["route(newDeviceAvailable,Speaker)"])
        }
    }

    @Test("the session reads the system volume, then receives every change of it")
    func sessionReceivesChangesOfTheSystemVolume() async throws {
        try await TestEnvironment.runExclusively {
            func runPactl(_ arguments: String...) throws {
                #expect(try ChildProcess(Products.systemProgram("pactl"), arguments).waitForExit().isSuccess)
            }
            defer {
                try? runPactl("set-sink-volume", "null", "100%")
                try? runPactl("set-sink-mute", "null", "0")
            }
            let setup = try AudioTestSetup(), video = try setup.startProbe(.video)
            try video.send("outputvolume")
            try video.wait(for: "outputvolume 1.0")
            try runPactl("set-sink-volume", "null", "50%")
            try video.waitForNotification("volume(0.5)")
            try runPactl("set-sink-mute", "null", "1")
            try video.waitForNotification("volume(0.0)")
            try video.send("outputvolume")
            try video.wait(for: "outputvolume 0.0")
            try runPactl("set-sink-mute", "null", "0")
            try video.waitForNotification("volume(0.5)", times: 2)
        }
    }

    @Test("a first volume that arrives late is a change, if the session has assumed another one")
    func lateFirstVolumeIsAChange() async throws {
        try await TestEnvironment.runExclusively {
            let scratch = try TemporaryDirectory(), server = try SoundServerSetup.startServer(in: scratch)
            let address = "unix:\(scratch.file("sound"))"
            _ = try run("pactl", ["-s", address, "set-sink-volume", "null", "50%"])
            let setup = try AudioTestSetup()
            let video = try setup.startProbe(.video, environment: ["PULSE_SERVER": address])
            server.signal(SIGSTOP)
            try video.send("outputvolume")
            try video.wait(for: "outputvolume 1.0")
            #expect(video.notifications.isEmpty)
            server.signal(SIGCONT)
            try video.waitForNotification("volume(0.5)")
        }
    }
}
