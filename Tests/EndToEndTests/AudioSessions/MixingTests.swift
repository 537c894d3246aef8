import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Section 7.A of the audio policy.
@Suite("Audio sessions: mixing and hints")
struct MixingTests {
    @Test(
        "S01: a game beside music: nobody is told anything, nothing is lowered, and it can read that its own music should be silent",
        .measuresTime)
    func gameBesideMusic() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let music = try stage.actor(.music), game = try stage.actor(.game)
            try stage.start(music)
            let start = MonotonicTime.now
            try game.tell("activate")
            try game.wait(for: "ok activate")
            #expect(try game.state().value("hint") == "true")
            try stage.start(game)
            try stage.listen(.milliseconds(400))
            let now = MonotonicTime.now, heard = try stage.heard()
            #expect(heard.range(of: .music, from: start, to: now - 50_000_000).low > -0.5)
            #expect(heard.range(of: .game, from: now - 250_000_000, to: now - 50_000_000).low > -0.5)
            #expect(music.heard == [] && game.heard == [])
        }
    }

    @Test(
        "S02, S04: the hint begins when music is heard, outlives a gap between two songs, and ends a second after the last",
        .measuresTime)
    func hint() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let game = try stage.actor(.game), music = try stage.actor(.music)
            try game.tell("activate")
            try stage.start(game)
            try music.tell("activate")
            try music.wait(for: "ok activate")
            try stage.listen(.milliseconds(300))
            #expect(game.heard == [])
            let playing = try music.play()
            let told = try game.hear("hint(begin)")
            #expect(told - playing.time < 100_000_000 && told > playing.time - 50_000_000)
            try stage.wait(for: .music)
            // Between two songs.
            try music.tell("pause")
            try music.wait(for: "player paused")
            try stage.listen(.milliseconds(400))
            try music.play()
            try stage.listen(.milliseconds(1200))
            #expect(game.heard == ["hint(begin)"])
            try music.tell("pause")
            let paused = try music.wait(for: "player paused", times: 2)
            let over = try game.hear("hint(end)")
            let after = Double(over - paused.time) / 1e9
            #expect(after > 0.95 && after < 1.3, "\(after) s")
            #expect(game.heard == ["hint(begin)", "hint(end)"])
        }
    }

    @Test(
        "S03: a film that is muted claims nothing; when it is unmuted it takes the music's place, and is not heard before that is silent",
        .measuresTime)
    func muted() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let music = try stage.actor(.music), video = try stage.actor(.video)
            try stage.start(music)
            try video.tell("volume 0")
            try video.play()
            try stage.listen(.milliseconds(500))
            #expect(try video.state().value("active") == "false")
            #expect(music.heard == [])
            #expect(try stage.lately(.music).low > -0.5)
            let start = MonotonicTime.now
            try video.tell("volume 1")
            try music.hear("began(default)")
            try stage.wait(for: .video)
            #expect(try stage.heard().overlap(.music, .video, after: start) == 0)
            #expect(try video.state().value("active") == "true")
        }
    }

    @Test("S05: who is in the background hears no hint, and can read it")
    func background() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let game = try stage.actor(.game), music = try stage.actor(.music)
            try game.tell("activate")
            try game.wait(for: "ok activate")
            try game.tell("place background")
            try stage.start(music)
            #expect(try game.state().value("hint") == "true")
            try game.tell("place front")
            _ = try game.state()
            #expect(game.heard == [])
        }
    }

    @Test("S06: what mixes is other sound, and no reason to be silent", .measuresTime)
    func mixed() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let other = try stage.actor(.mixed), game = try stage.actor(.game), music = try stage.actor(.music)
            try stage.start(other)
            try game.tell("activate")
            try game.wait(for: "ok activate")
            let state = try game.state()
            #expect(state.value("hint") == "false" && state.value("other") == "true")
            let start = MonotonicTime.now
            try music.play()
            try game.hear("hint(begin)")
            try stage.listen(.milliseconds(300))
            #expect(other.heard == ["hint(begin)"])
            #expect(try stage.heard().range(of: .mixed, from: start, to: MonotonicTime.now - 50_000_000).low > -0.5)
        }
    }

    @Test("S07: a game opens while a film floats: both are heard", .measuresTime)
    func floating() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let video = try stage.actor(.video), game = try stage.actor(.game)
            try stage.start(video)
            try video.tell("place pip")
            let start = MonotonicTime.now
            try stage.start(game)
            try stage.listen(.milliseconds(300))
            #expect(try game.state().value("hint") == "true")
            let film = try stage.heard().range(of: .video, from: start, to: MonotonicTime.now - 50_000_000)
            #expect(film.low > -0.5, "\(film)")
            #expect(video.heard == [] && game.heard == [])
        }
    }
}
