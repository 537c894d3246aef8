import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Sections 7.D and 7.E of the audio policy: calls, the silent switch, the lock, and the compositor's death.
@Suite("Audio sessions: the system's rules")
struct SystemRuleTests {
    @Test(
        "S35: a call silences all, and when it is declined they are told in the order of their activation, from the last",
        .measuresTime)
    func call() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let video = try stage.actor(.video), game = try stage.actor(.game),
                navigation = try stage.actor(.navigation)
            try stage.start(video)
            try stage.start(game)
            try navigation.tell("activate")
            try stage.start(navigation)
            try stage.system("call")
            let began = try [navigation, video, game].map { try $0.hear("began(default)") }
            try stage.listen(.milliseconds(250))
            let now = MonotonicTime.now, silent = try stage.heard()
            for role in [Role.video, .game, .navigation] {
                #expect(silent.range(of: role, from: now - 80_000_000, to: now).high < Loudness.silence, "\(role)")
            }
            #expect((began.max() ?? 0) - (began.min() ?? 0) < 100_000_000)
            try stage.system("hang-up")
            try video.hear("ended(shouldResume)")
            try game.hear("ended(shouldResume)")
            try navigation.hear("ended(shouldResume)")
            try stage.wait(for: .game, above: -15)
        }
    }

    @Test("S35: during a call that was accepted a film may begin, lowered; solo sound may not", .measuresTime)
    func duringCall() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            try stage.system("call")
            try stage.system("accept")
            let other = try stage.actor(.otherVideo)
            try other.play()
            try stage.wait(for: .otherVideo, above: -15)
            try stage.listen(.milliseconds(300))
            let range = try stage.lately(.otherVideo)
            #expect(range.low > -14.5 && range.high < -13.5, "low \(range.low) high \(range.high)")
            try other.tell("category soloAmbient", "deactivate", "activate")
            try other.wait(for: "failed activate 561017449")
            try stage.system("hang-up")
        }
    }

    @Test(
        "after a call a game that is there again still hears when the film beside it is over, and reads what it hears")
    func hintAfterCall() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let game = try stage.actor(.game), video = try stage.actor(.video)
            try game.tell("activate")
            try game.wait(for: "ok activate")
            try stage.start(video)
            try game.hear("hint(begin)")
            try stage.system("call")
            try game.hear("began(default)")
            try stage.system("hang-up")
            try game.hear("ended")
            try game.tell("activate")
            try game.wait(for: "ok activate", times: 2)
            try stage.wait(for: .video)
            try video.tell("close")
            try game.hear("hint(end)")
            for line in game.lines where line.text.hasPrefix("heard hint") {
                #expect(line.value("hint") == (line.text.contains("hint(begin)") ? "true" : "false"), "\(line.text)")
            }
        }
    }

    @Test("S36: a call at the edge of the screen does not disturb who does not want that", .measuresTime)
    func banner() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let video = try stage.actor(.video)
            try video.tell("prefer on")
            try stage.start(video)
            let start = MonotonicTime.now
            try stage.system("call-banner")
            try stage.listen(.milliseconds(500))
            try stage.system("hang-up")
            try stage.listen(.milliseconds(200))
            #expect(video.heard == [])
            #expect(try stage.heard().range(of: .video, from: start, to: MonotonicTime.now - 50_000_000).low > -0.5)
        }
    }

    @Test(
        "S37: the silent switch and the lock silence ambient sound, which plays on unheard; a film is heard on",
        .measuresTime, arguments: ["silent", "lock"])
    func silentSwitch(_ what: String) async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let video = try stage.actor(.video), game = try stage.actor(.game)
            try stage.start(video)
            try stage.start(game)
            let before = try #require(try game.state().value("time").flatMap { Double($0) }), start = MonotonicTime.now
            try stage.system(what, "on")
            try stage.listen(.milliseconds(400))
            let now = MonotonicTime.now, heard = try stage.heard()
            #expect(heard.range(of: .game, from: now - 150_000_000, to: now).high < Loudness.silence)
            try stage.system(what, "off")
            try stage.wait(for: .game)
            let after = try #require(try game.state().value("time").flatMap { Double($0) })
            #expect(after - before > Double(MonotonicTime.now - start) / 1e9 - 0.3)
            let film = try stage.heard().range(of: .video, from: start, to: MonotonicTime.now - 50_000_000)
            #expect(film.low > -0.5, "\(film)")
            #expect(video.heard == [] && game.heard == [])
        }
    }

    @Test(
        "S39: the compositor dies: all fall silent and are told; when it is back who played goes on by itself, at its own level"
    )
    func compositorDies() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let video = try stage.actor(.video), game = try stage.actor(.game),
                navigation = try stage.actor(.navigation)
            try stage.start(video)
            try game.tell("activate")
            try game.wait(for: "ok activate")
            try navigation.tell("activate")
            try stage.wait(for: .video, above: -15)
            kill(try #require(stage.compositor), SIGKILL)
            let killed = MonotonicTime.now
            for actor in [video, game, navigation] { #expect(try actor.hear("lost") - killed < 200_000_000) }
            for actor in [video, game, navigation] { try actor.hear("reset") }
            try stage.listen(.milliseconds(250))
            try stage.wait(for: .video)
            let heard = try stage.heard()
            let levels = heard.levels(of: .video).filter { $0.time > killed }
            #expect(
                levels.contains { $0.decibels < Loudness.silence },
                "\(levels.map { Int($0.decibels) }), \(video.lines.map { "\(($0.time - killed) / 1_000_000) \($0.text)" })"
            )
            #expect(try game.state().value("active") == "false")
            #expect(try game.state().value("category") == "ambient", "a session that survived keeps its category")
        }
    }

    @Test(
        "the compositor crashes during a call, or media services are reset: the call goes on, and lowers what begins",
        .measuresTime, arguments: [true, false])
    func callOutlivesCrash(isCrash: Bool) async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            try stage.system("call")
            try stage.system("accept")
            let video = try stage.actor(.video)
            try video.play()
            try stage.wait(for: .video, above: -15)
            if isCrash { kill(try #require(stage.compositor), SIGKILL) } else { try stage.system("reset") }
            try video.hear("reset")
            let isActive = Deadline.poll(for: .seconds(10)) {
                (try? video.state().value("active")) == "true" ? true : nil
            }
            #expect(isActive == true)
            try stage.listen(.milliseconds(500))
            let range = try stage.lately(.video)
            #expect(range.low > -14.5 && range.high < -13.5, "low \(range.low) high \(range.high)")
            #expect(try stage.system("sessions").contains("conditions: a call\n"))
            try stage.system("hang-up")
            try stage.wait(for: .video)
        }
    }

    @Test("a program announces a call and is killed: the call ends with it, and who was interrupted goes on")
    func callOfAProgram() async throws {
        try await Desk.alone {
            let stage = try SoundStage(), music = try stage.actor(.music)
            try stage.start(music)
            let phone = try ChildProcess(
                Products.swiftplay, ["system", "--hold", "call"], runtimeDirectory: stage.directory)
            try music.hear("began(default)")
            phone.signal(SIGKILL)
            try phone.waitForExit()
            try music.hear("ended(shouldResume)")
            try stage.wait(for: .music)
        }
    }

    @Test("the compositor dies while one is alone: it is heard on without a seam", .measuresTime)
    func aloneWithoutCompositor() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let video = try stage.actor(.video)
            try stage.start(video)
            let start = MonotonicTime.now
            kill(try #require(stage.compositor), SIGKILL)
            try video.hear("lost")
            try video.hear("reset")
            try stage.listen(.milliseconds(500))
            #expect(try stage.heard().range(of: .video, from: start, to: MonotonicTime.now - 50_000_000).low > -0.5)
            #expect(
                Deadline.poll(for: .seconds(5)) { (try? video.state().value("active")) == "true" ? true : nil } == true)
        }
    }

    @Test("S39d: all come back at once, and one that does not mix is heard")
    func herd() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let actors = try [Role.music, .video, .otherVideo].map { try stage.actor($0) }
            for actor in actors {
                try actor.play()
                try stage.wait(for: actor.role)
            }
            kill(try #require(stage.compositor), SIGKILL)
            for actor in actors { try actor.hear("reset") }
            try stage.listen(.milliseconds(300))
            try stage.wait(for: .otherVideo)
            try stage.listen(.milliseconds(300))
            #expect(try actors.map { try $0.state().value("rate") } == ["0.0", "0.0", "1.0"])
            let now = MonotonicTime.now, heard = try stage.heard()
            #expect(heard.range(of: .music, from: now - 250_000_000, to: now).high < -40)
            #expect(heard.range(of: .video, from: now - 250_000_000, to: now).high < -40)
        }
    }

    @Test("reset media services: as its death, and the list of sessions tells who is there")
    func reset() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let video = try stage.actor(.video), navigation = try stage.actor(.navigation)
            try stage.start(video)
            try navigation.tell("activate")
            try stage.wait(for: .video, above: -15)
            let lines = try stage.system("sessions").split(separator: "\n")
            #expect(lines.count == 4 && lines[0].hasPrefix("output: "), "\(lines)")
            #expect(
                lines.contains {
                    $0.contains("moviePlayback") && $0.contains("running") && $0.contains("-14 dB")
                        && $0.contains("now playing")
                }, "\(lines)")
            #expect(
                lines.contains { $0.contains("interrupt-spoken,duck") && $0.contains("active") && $0.contains("0 dB") },
                "\(lines)")
            try stage.system("reset")
            try video.hear("lost")
            try video.hear("reset")
            try navigation.hear("reset")
            try stage.wait(for: .video)
        }
    }

    @Test("what does not go together is refused, and nothing is changed")
    func badInput() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let music = try stage.actor(.music)
            try stage.start(music)
            try music.tell(
                "category ambient moviePlayback", "category soloAmbient default 1", "category record spokenAudio")
            try music.wait(for: "failed category -50", times: 3)
            #expect(try music.state().value("category") == "playback")
            let child = try ChildProcess(
                Products.swiftplay, ["system", "silent", "maybe"], runtimeDirectory: stage.directory)
            #expect(try child.waitForExit().reason == .exited(64))
            #expect(child.errors.text.contains("silent is on or off"))
        }
    }
}
