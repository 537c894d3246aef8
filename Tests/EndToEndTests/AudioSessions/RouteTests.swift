import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// S38 of the audio policy: what is listened to goes and comes. The jack is an ALSA plug-in that stands in for one
/// (`Tests/StandIns/ctl.c`).
@Suite("Audio sessions: routes")
struct RouteTests {
    /// Music that was paused, a film that plays, and a game beside it.
    private struct Scene {
        let stage: SoundStage
        let music: RunningActor, video: RunningActor, game: RunningActor
        var all: [RunningActor] { [music, video, game] }

        init(environment: [String: String?] = [:]) throws {
            stage = try SoundStage()
            music = try stage.actor(.music, environment: environment)
            video = try stage.actor(.video, environment: environment)
            game = try stage.actor(.game, environment: environment)
            try stage.start(music)
            try music.tell("pause")
            try music.wait(for: "player paused")
            try stage.start(video)
            try stage.start(game)
        }

        /// Lets what was listened to go, and checks what comes of it.
        func lose(_ previous: String, _ act: () throws -> Void) throws {
            let before = all.map(\.heard.count), told = "route(oldDeviceUnavailable,\(previous))",
                start = MonotonicTime.now
            try act()
            for actor in all { try actor.hear(told) }
            try video.wait(for: "player paused")
            try stage.listen(.milliseconds(300))
            let now = MonotonicTime.now, heard = try stage.heard()
            // The gate comes before the word.
            let word = try video.hear("began(routeDisconnected)"), end = try #require(heard.lastAbove(-40, of: .video))
            #expect(end - word < 100_000_000, "heard for \((end - word) / 1_000_000) ms more")
            #expect(heard.range(of: .game, from: start, to: now - 50_000_000).low > -0.5, "a game plays on")
            let news = zip(all, before).map { Array($0.heard.dropFirst($1)) }
            #expect(news == [[told], ["began(routeDisconnected)", told], [told]])
            // It stands where it was left.
            let first = try video.state(), second = try video.state()
            #expect(
                first.value("rate") == "0.0" && first.value("active") == "false"
                    && first.value("time") == second.value("time"))
            #expect((first.value("time").flatMap { Double($0) } ?? 0) > 0.1)
            #expect(try game.state().value("rate") == "1.0")
        }

        /// Lets something come, and checks that nothing goes on by itself.
        func find(_ previous: String, _ act: () throws -> Void) throws {
            let told = "route(newDeviceAvailable,\(previous))", counts = all.map { $0.heard.count { $0 == told } + 1 },
                start = MonotonicTime.now
            try act()
            for (actor, count) in zip(all, counts) { try actor.hear(told, times: count) }
            try stage.listen(.milliseconds(500))
            let heard = try stage.heard()
            #expect(heard.range(of: .video, from: start, to: MonotonicTime.now).high < Loudness.silence)
            #expect(heard.range(of: .music, from: start, to: MonotonicTime.now).high < Loudness.silence)
            for actor in [music, video] {
                #expect(try actor.state().value("rate") == "0.0")
                #expect(!actor.heard.contains { $0.hasPrefix("ended") })
            }
        }
    }

    @Test(
        "S38 a, b: headphones are pulled: who plays is silent, interrupted, and then told, who was paused is told; plugged in again, nothing goes on",
        .measuresTime)
    func headphones() async throws {
        try await Desk.alone {
            let card = try CardStandIn(forOthers: true)
            let scene = try Scene(environment: card.environment)
            try card.say("i")
            for actor in scene.all { try actor.hear("route(newDeviceAvailable,Speaker)") }
            #expect(try scene.video.state().value("route") == "Headphones")
            #expect(try scene.stage.system("sessions").hasPrefix("output: Stand-in (headphones)\n"))
            try scene.lose("Headphones") { try card.say("o") }
            #expect(try scene.video.state().value("route") == "Speaker")
            try scene.find("Speaker") { try card.say("i") }
            // The user presses play: it is heard where he listens now.
            try scene.stage.start(scene.video)
        }
    }

    @Test(
        "S38 c: another device is chosen while it plays: it plays on there, and nothing is interrupted; one that is not there changes nothing",
        .measuresTime)
    func chosen() async throws {
        try await Desk.alone {
            let stage = try SoundStage(), video = try stage.actor(.video), game = try stage.actor(.game)
            try stage.start(video)
            try stage.start(game)
            try stage.listen(.milliseconds(300))
            let start = MonotonicTime.now, before = try video.state()
            try video.tell("device pulse")
            try video.hear("route(override,SoundServer)")
            try stage.listen(.milliseconds(500))
            let after = try video.state(), heard = try stage.heard()
            let quiet = heard.levels(of: .video, from: start, to: after.time).count { $0.decibels < -20 } * 5
            #expect(quiet <= 200, "\(quiet) ms without sound")
            let passed =
                try #require(after.value("time").flatMap { Double($0) }) - #require(
                    before.value("time").flatMap { Double($0) })
            #expect(abs(passed - Double(after.time - before.time) / 1e9) < 0.2, "it stands \(passed) s later")
            #expect(heard.range(of: .game, from: start, to: after.time).low > -0.5, "a game plays on")
            #expect(after.value("rate") == "1.0" && after.value("active") == "true")
            #expect(after.value("route") == "SoundServer")
            try video.tell("device nowhere")
            try video.wait(for: "warning")
            try stage.listen(.milliseconds(300))
            let end = MonotonicTime.now
            #expect(try stage.heard().range(of: .video, from: after.time, to: end - 50_000_000).low > -0.5)
            #expect(video.heard == ["route(override,SoundServer)"] && game.heard == [])
        }
    }

    @Test("S38 e: behind a sound server the desktop tells of it, with the same outcome", .measuresTime)
    func server() async throws {
        try await Desk.alone {
            let scene = try Scene()
            #expect(try scene.video.state().value("route") == "SoundServer")
            try scene.stage.system("device-added", "Buds")
            for actor in scene.all { try actor.hear("route(newDeviceAvailable,SoundServer)") }
            #expect(try scene.stage.system("sessions").hasPrefix("output: Buds (sound server)\n"))
            try scene.lose("SoundServer") { try scene.stage.system("device-lost") }
            #expect(try scene.stage.system("sessions").hasPrefix("output: PulseAudio (sound server)\n"))
            // What a call interrupts meanwhile does not go on after it either.
            try scene.stage.system("call")
            try scene.game.hear("began(default)")
            try scene.stage.system("hang-up")
            try scene.game.hear("ended(shouldResume)")
            try scene.video.hear("ended")
            #expect(try scene.video.state().value("rate") == "0.0")
        }
    }

    @Test("the user chooses another of the sound server's devices: everyone is told, and nobody pauses")
    func chosenAtServer() async throws {
        try await Desk.alone {
            let stage = try SoundStage(), video = try stage.actor(.video)
            try stage.start(video)
            try stage.directory.waitUntilRouteIsKnown()
            try stage.system("device-chosen", "Television")
            try video.hear("route(override,SoundServer)")
            #expect(try stage.system("sessions").hasPrefix("output: Television (sound server)\n"))
            #expect(try video.state().value("rate") == "1.0")
            #expect(video.heard == ["route(override,SoundServer)"])
        }
    }

    @Test(
        "S38 d: the card is pulled while it plays: paused where it was heard last, also when that is known later, and the card is not asked without end",
        arguments: [false, true])
    func card(isLate: Bool) async throws {
        try await Desk.alone {
            let device = try SoundStandIn(), card = try CardStandIn(forOthers: true, beside: device),
                stage = try SoundStage()
            let video = try stage.actor(.video, environment: card.environment)
            try video.play()
            try device.wait("a second of sound") { _ in device.framesHeard > 24_000 }
            let state = try video.state()
            #expect(
                state.value("samplerate") == "48000.0" && state.value("period") == "0.015"
                    && state.value("route") == "Speaker", "\(state.text)")
            try device.say("enodev")
            if isLate {
                // It goes on without sound meanwhile.
                try video.wait(for: "warning")
                let goesOn = Deadline.poll(for: .seconds(5)) {
                    (try? video.state())?.value("time").flatMap { Double($0) }.flatMap { $0 > 1.5 ? true : nil }
                }
                #expect(goesOn == true)
            }
            try card.say("x")
            try video.hear("began(routeDisconnected)")
            try video.hear("route(noSuitableRouteForCategory,Speaker)")
            try video.wait(for: "player paused")
            let time = try #require(try video.state().value("time").flatMap { Double($0) })
            // The tone has one channel: the stand-in counts two.
            let heard = Double(device.heard.trimmed().samples.count) * 2 / 48_000
            #expect(abs(time - heard) < 0.1, "it stands at \(time) s, and \(heard) s were heard")
            #expect(try video.state().value("route") == "-")
            // Nothing is activated without a device.
            try video.tell("activate")
            try video.wait(for: "failed activate 561145203")
            #expect(device.count("open") <= 11)
            #expect(video.heard == ["began(routeDisconnected)", "route(noSuitableRouteForCategory,Speaker)"])
        }
    }

    @Test("a device that was given up is tried again when one is plugged in")
    func again() async throws {
        try await Desk.alone {
            let device = try SoundStandIn(), card = try CardStandIn(forOthers: true, beside: device),
                stage = try SoundStage()
            let video = try stage.actor(.video, environment: card.environment)
            try video.play()
            try device.wait("sound") { _ in device.framesHeard > 24_000 }
            try device.say("enodev")
            let isGivenUp = Deadline.poll(for: .seconds(20)) {
                video.lines.contains { $0.text.contains("10 attempts") } ? true : nil
            }
            #expect(isGivenUp == true, "\(video.lines.map(\.text))")
            let before = device.framesHeard
            try device.say("ok")
            try card.say("i")
            try device.wait("sound once more") { _ in device.framesHeard > before + 24_000 }
            #expect(video.heard == ["route(newDeviceAvailable,Speaker)"])
        }
    }

    @Test("the user's volume is known, and every change of it is told from then on")
    func volume() async throws {
        try await Desk.alone {
            func set(_ words: String...) throws {
                #expect(try ChildProcess(Products.system("pactl"), words).waitForExit().isSuccess)
            }
            defer {
                try? set("set-sink-volume", "null", "100%")
                try? set("set-sink-mute", "null", "0")
            }
            let stage = try SoundStage(), video = try stage.actor(.video)
            try video.tell("outputvolume")
            try video.wait(for: "outputvolume 1.0")
            try set("set-sink-volume", "null", "50%")
            try video.hear("volume(0.5)")
            try set("set-sink-mute", "null", "1")
            try video.hear("volume(0.0)")
            try video.tell("outputvolume")
            try video.wait(for: "outputvolume 0.0")
            try set("set-sink-mute", "null", "0")
            try video.hear("volume(0.5)", times: 2)
        }
    }
}
