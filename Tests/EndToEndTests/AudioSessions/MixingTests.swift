import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Tests programs whose audio mixes with that of others, and `secondaryAudioShouldBeSilencedHint`.
@Suite("Audio sessions: mixing and hints")
struct MixingTests {
    @Test(
        "a game and music play together at full level; the game reads the hint to silence its own music",
        .measuresTime)
    func gameAndMusicPlayTogetherAtFullLevel() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let music = try setup.startProbe(.music), game = try setup.startProbe(.game)
            try setup.startPlayback(of: music)
            let start = MonotonicTime.now
            try game.send("activate")
            try game.wait(for: "ok activate")
            #expect(try game.state().value("hint") == "true")
            try setup.startPlayback(of: game)
            try setup.record(for: .milliseconds(400))
            let now = MonotonicTime.now, loudness = try setup.loudness()
            #expect(loudness.levelRange(of: .music, from: start, to: now - 50_000_000).low > -0.5)
            #expect(loudness.levelRange(of: .game, from: now - 250_000_000, to: now - 50_000_000).low > -0.5)
            #expect(music.notifications == [] && game.notifications == [])
        }
    }

    @Test(
        "the hint begins when music starts, continues between two songs, and ends 1 s after the last song",
        .measuresTime)
    func silenceHintContinuesBetweenTwoSongs() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let game = try setup.startProbe(.game), music = try setup.startProbe(.music)
            try game.send("activate")
            try setup.startPlayback(of: game)
            try music.send("activate")
            try music.wait(for: "ok activate")
            try setup.record(for: .milliseconds(300))
            #expect(game.notifications == [])
            let playLine = try music.play()
            let hintBeginTime = try game.waitForNotification("hint(begin)")
            #expect(hintBeginTime - playLine.time < 100_000_000 && hintBeginTime > playLine.time - 50_000_000)
            try setup.waitUntilAudible(.music)
            // Pause briefly, as between two songs.
            try music.send("pause")
            try music.wait(for: "player paused")
            try setup.record(for: .milliseconds(400))
            try music.play()
            try setup.record(for: .milliseconds(1200))
            #expect(game.notifications == ["hint(begin)"])
            try music.send("pause")
            let pauseLine = try music.wait(for: "player paused", times: 2)
            let hintEndTime = try game.waitForNotification("hint(end)")
            let secondsAfterPause = Double(hintEndTime - pauseLine.time) / 1e9
            #expect(secondsAfterPause > 0.95 && secondsAfterPause < 1.3, "\(secondsAfterPause) s")
            #expect(game.notifications == ["hint(begin)", "hint(end)"])
        }
    }

    @Test(
        "a muted film does not interrupt music; when it is unmuted, it does, and starts after the music is silent",
        .measuresTime)
    func mutedFilmInterruptsMusicOnlyWhenUnmuted() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let music = try setup.startProbe(.music), video = try setup.startProbe(.video)
            try setup.startPlayback(of: music)
            try video.send("volume 0")
            try video.play()
            try setup.record(for: .milliseconds(500))
            #expect(try video.state().value("active") == "false")
            #expect(music.notifications == [])
            #expect(try setup.recentLevelRange(of: .music).low > -0.5)
            let start = MonotonicTime.now
            try video.send("volume 1")
            try music.waitForNotification("began(default)")
            try setup.waitUntilAudible(.video)
            #expect(try setup.loudness().overlapMilliseconds(.music, .video, after: start) == 0)
            #expect(try video.state().value("active") == "true")
        }
    }

    @Test("a program in the background receives no hint notification, but can read the hint")
    func backgroundProgramCanReadTheSilenceHintButIsNotNotified() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let game = try setup.startProbe(.game), music = try setup.startProbe(.music)
            try game.send("activate")
            try game.wait(for: "ok activate")
            try game.send("place background")
            try setup.startPlayback(of: music)
            #expect(try game.state().value("hint") == "true")
            try game.send("place front")
            _ = try game.state()
            #expect(game.notifications == [])
        }
    }

    @Test("mixed audio counts as other audio, but does not set the hint", .measuresTime)
    func mixedAudioDoesNotSetTheSilenceHint() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let mixedProgram = try setup.startProbe(.mixed), game = try setup.startProbe(.game),
                music = try setup.startProbe(.music)
            try setup.startPlayback(of: mixedProgram)
            try game.send("activate")
            try game.wait(for: "ok activate")
            let state = try game.state()
            #expect(state.value("hint") == "false" && state.value("other") == "true")
            let start = MonotonicTime.now
            try music.play()
            try game.waitForNotification("hint(begin)")
            try setup.record(for: .milliseconds(300))
            #expect(mixedProgram.notifications == ["hint(begin)"])
            #expect(
                try setup.loudness().levelRange(of: .mixed, from: start, to: MonotonicTime.now - 50_000_000).low > -0.5)
        }
    }

    @Test("a game and a film in Picture-in-Picture are heard together", .measuresTime)
    func gameAndFilmInPictureInPictureAreHeardTogether() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let video = try setup.startProbe(.video), game = try setup.startProbe(.game)
            try setup.startPlayback(of: video)
            try video.send("place pip")
            let start = MonotonicTime.now
            try setup.startPlayback(of: game)
            try setup.record(for: .milliseconds(300))
            #expect(try game.state().value("hint") == "true")
            let range = try setup.loudness().levelRange(of: .video, from: start, to: MonotonicTime.now - 50_000_000)
            #expect(range.low > -0.5, "\(range)")
            #expect(video.notifications == [] && game.notifications == [])
        }
    }
}
