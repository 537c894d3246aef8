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
        var all: [RunningAudioProbe] { [music, video, game] }

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

        /// Performs `act`, which removes the output device, and checks that only the video is interrupted.
        ///
        /// - Parameter portType: the port type of the removed device.
        func checkOutputLossStopsVideo(of portType: String, _ act: () throws -> Void) throws {
            let before = all.map(\.notifications.count), change = "route(oldDeviceUnavailable,\(portType))",
                start = MonotonicTime.now
            try act()
            for probe in all { try probe.waitForNotification(change) }
            try video.wait(for: "player paused")
            try setup.record(for: .milliseconds(300))
            let now = MonotonicTime.now, heard = try setup.loudness()
            // The compositor silences the video before it notifies the audio session of the video.
            let interruptedAt = try video.waitForNotification("began(routeDisconnected)"),
                end = try #require(heard.lastTime(above: -40, of: .video))
            #expect(end - interruptedAt < 100_000_000, "audible for \((end - interruptedAt) / 1_000_000) ms more")
            #expect(heard.levelRange(of: .game, from: start, to: now - 50_000_000).low > -0.5, "the game has a gap")
            let received = zip(all, before).map { Array($0.notifications.dropFirst($1)) }
            #expect(received == [[change], ["began(routeDisconnected)", change], [change]])
            // The interrupted player of the video keeps its playback position.
            let first = try video.state(), second = try video.state()
            #expect(
                first.value("rate") == "0.0" && first.value("active") == "false"
                    && first.value("time") == second.value("time"))
            #expect((first.value("time").flatMap { Double($0) } ?? 0) > 0.1)
            #expect(try game.state().value("rate") == "1.0")
        }

        /// Performs `act`, which adds an output device, and checks that no player resumes by itself.
        ///
        /// - Parameter portType: the port type of the output device before.
        func checkNewOutputResumesNothing(after portType: String, _ act: () throws -> Void) throws {
            let change = "route(newDeviceAvailable,\(portType))",
                counts = all.map { $0.notifications.count { $0 == change } + 1 }, start = MonotonicTime.now
            try act()
            for (probe, count) in zip(all, counts) { try probe.waitForNotification(change, times: count) }
            try setup.record(for: .milliseconds(500))
            let heard = try setup.loudness()
            #expect(heard.levelRange(of: .video, from: start, to: MonotonicTime.now).high < Loudness.silenceLevel)
            #expect(heard.levelRange(of: .music, from: start, to: MonotonicTime.now).high < Loudness.silenceLevel)
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
            let scene = try ThreeProgramSetup(environment: card.environment)
            try card.send("i")
            for probe in scene.all { try probe.waitForNotification("route(newDeviceAvailable,Speaker)") }
            #expect(try scene.video.state().value("route") == "Headphones")
            #expect(try scene.setup.runSystemCommand("sessions").hasPrefix("output: Stand-in (headphones)\n"))
            try scene.checkOutputLossStopsVideo(of: "Headphones") { try card.send("o") }
            #expect(try scene.video.state().value("route") == "Speaker")
            try scene.checkNewOutputResumesNothing(after: "Speaker") { try card.send("i") }
            // After the user presses play, the video is audible on the new output.
            try scene.setup.startPlayback(of: scene.video)
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
            let start = MonotonicTime.now, before = try video.state()
            try video.send("device pulse")
            try video.waitForNotification("route(override,SoundServer)")
            try setup.record(for: .milliseconds(500))
            let after = try video.state(), heard = try setup.loudness()
            let quiet = heard.levels(of: .video, from: start, to: after.time).count { $0.decibels < -20 } * 5
            #expect(quiet <= 200, "\(quiet) ms without sound")
            let passed =
                try #require(after.value("time").flatMap { Double($0) }) - #require(
                    before.value("time").flatMap { Double($0) })
            #expect(abs(passed - Double(after.time - before.time) / 1e9) < 0.2, "the position advanced by \(passed) s")
            #expect(heard.levelRange(of: .game, from: start, to: after.time).low > -0.5, "the game has a gap")
            #expect(after.value("rate") == "1.0" && after.value("active") == "true")
            #expect(after.value("route") == "SoundServer")
            try video.send("device nowhere")
            try video.wait(for: "warning")
            try setup.record(for: .milliseconds(300))
            let end = MonotonicTime.now
            #expect(try setup.loudness().levelRange(of: .video, from: after.time, to: end - 50_000_000).low > -0.5)
            #expect(video.notifications == ["route(override,SoundServer)"] && game.notifications == [])
        }
    }

    @Test("device changes that the desktop reports for a sound server have the same effects", .measuresTime)
    func deviceChangesOfASoundServerHaveTheSameEffects() async throws {
        try await TestEnvironment.runExclusively {
            let scene = try ThreeProgramSetup()
            #expect(try scene.video.state().value("route") == "SoundServer")
            try scene.setup.runSystemCommand("device-added", "Buds")
            for probe in scene.all { try probe.waitForNotification("route(newDeviceAvailable,SoundServer)") }
            #expect(try scene.setup.runSystemCommand("sessions").hasPrefix("output: Buds (sound server)\n"))
            try scene.checkOutputLossStopsVideo(of: "SoundServer") { try scene.setup.runSystemCommand("device-lost") }
            #expect(try scene.setup.runSystemCommand("sessions").hasPrefix("output: PulseAudio (sound server)\n"))
            // A phone call that begins and ends now does not make the interrupted video resume.
            try scene.setup.runSystemCommand("call")
            try scene.game.waitForNotification("began(default)")
            try scene.setup.runSystemCommand("hang-up")
            try scene.game.waitForNotification("ended(shouldResume)")
            try scene.video.waitForNotification("ended")
            #expect(try scene.video.state().value("rate") == "0.0")
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
            let device = try AudioDeviceStandIn(), card = try SoundCardStandIn(forOtherPrograms: true, beside: device),
                setup = try AudioTestSetup()
            let video = try setup.startProbe(.video, environment: card.environment)
            try video.play()
            try device.wait("a second of sound") { _ in device.playedFrameCount > 24_000 }
            let state = try video.state()
            #expect(
                state.value("samplerate") == "48000.0" && state.value("period") == "0.015"
                    && state.value("route") == "Speaker", "\(state.text)")
            try device.send("enodev")
            if isReportedLate {
                // Playback continues without sound until the removal of the card is reported.
                try video.wait(for: "warning")
                let goesOn = Deadline.poll(for: .seconds(5)) {
                    (try? video.state())?.value("time").flatMap { Double($0) }.flatMap { $0 > 1.5 ? true : nil }
                }
                #expect(goesOn == true)
            }
            try card.send("x")
            try video.waitForNotification("began(routeDisconnected)")
            try video.waitForNotification("route(noSuitableRouteForCategory,Speaker)")
            try video.wait(for: "player paused")
            let time = try #require(try video.state().value("time").flatMap { Double($0) })
            // The tone is mono, but `recording` reads the samples as stereo, so each of its frames contains two
            // samples.
            let heard = Double(device.recording.trimmed().samples.count) * 2 / 48_000
            #expect(abs(time - heard) < 0.1, "the position is \(time) s, but \(heard) s were audible")
            #expect(try video.state().value("route") == "-")
            // Without an output device an audio session cannot be activated.
            try video.send("activate")
            try video.wait(for: "failed activate 561145203")
            #expect(device.logEntryCount(ofKind: "open") <= 11)
            #expect(video.notifications == ["began(routeDisconnected)", "route(noSuitableRouteForCategory,Speaker)"])
        }
    }

    @Test("plugging in a device makes the player open its lost device again")
    func pluggingInADeviceReopensTheLostDevice() async throws {
        try await TestEnvironment.runExclusively {
            let device = try AudioDeviceStandIn(), card = try SoundCardStandIn(forOtherPrograms: true, beside: device),
                setup = try AudioTestSetup()
            let video = try setup.startProbe(.video, environment: card.environment)
            try video.play()
            try device.wait("sound") { _ in device.playedFrameCount > 24_000 }
            try device.send("enodev")
            let isGivenUp = Deadline.poll(for: .seconds(20)) {
                video.lines.contains { $0.text.contains("10 attempts") } ? true : nil
            }
            #expect(isGivenUp == true, "\(video.lines.map(\.text))")
            let before = device.playedFrameCount
            try device.send("ok")
            try card.send("i")
            try device.wait("sound after the retry") { _ in device.playedFrameCount > before + 24_000 }
            #expect(video.notifications == ["route(newDeviceAvailable,Speaker)"])
        }
    }

    @Test("the session reads the system volume, then receives every change of it")
    func sessionReceivesChangesOfTheSystemVolume() async throws {
        try await TestEnvironment.runExclusively {
            func set(_ words: String...) throws {
                #expect(try ChildProcess(Products.systemProgram("pactl"), words).waitForExit().isSuccess)
            }
            defer {
                try? set("set-sink-volume", "null", "100%")
                try? set("set-sink-mute", "null", "0")
            }
            let setup = try AudioTestSetup(), video = try setup.startProbe(.video)
            try video.send("outputvolume")
            try video.wait(for: "outputvolume 1.0")
            try set("set-sink-volume", "null", "50%")
            try video.waitForNotification("volume(0.5)")
            try set("set-sink-mute", "null", "1")
            try video.waitForNotification("volume(0.0)")
            try video.send("outputvolume")
            try video.wait(for: "outputvolume 0.0")
            try set("set-sink-mute", "null", "0")
            try video.waitForNotification("volume(0.5)", times: 2)
        }
    }
}
