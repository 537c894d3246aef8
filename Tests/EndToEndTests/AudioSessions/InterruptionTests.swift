import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Section 7.B of the audio policy, with real processes and what is heard at the sound card.
@Suite("Audio sessions: interruption and resume")
struct InterruptionTests {
    /// Milliseconds until a change of gain begins to be heard: behind a sound server (the policy's budget).
    static let heardStart = 128.0

    @Test(
        "S08: who plays takes the place of who played; S09: and at its end the other goes on where it was last heard",
        .measuresTime)
    func takesOver() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let music = try stage.actor(.music), video = try stage.actor(.video)
            try stage.start(music)
            try stage.listen(.milliseconds(300))
            let start = MonotonicTime.now
            try video.play()
            try music.hear("began(default)")
            try stage.wait(for: .video)
            #expect(try music.state().text.contains("active=false"))
            #expect(try music.state().text.contains("rate=0.0"))
            try stage.listen(.milliseconds(300))
            let first = try stage.heard()
            #expect(first.overlap(.music, .video, after: start) == 0)
            let silent = try #require(first.lastAbove(-40, of: .music)),
                there = try #require(first.firstAbove(-40, of: .video))
            #expect(
                there >= silent - 20_000_000 && Double(there - silent) / 1e6 <= 150,
                "\(Double(there - silent) / 1e6) ms between them")
            // The video leaves, and says so.
            try video.tell("close")
            try music.hear("ended(shouldResume)")
            try stage.wait(for: .music)
            try stage.listen(.milliseconds(200))
            let all = try stage.heard()
            #expect(all.overlap(.music, .video, after: start) == 0)
            #expect(
                music.heard == ["began(default)", "ended(shouldResume)"] && video.heard == [],
                "\(music.heard) \(video.heard)")
            #expect(try music.state().text.contains("rate=1.0"))
        }
    }

    @Test("S40d: a film that is over gives back, and not before its last sound")
    func reachesItsEnd() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let music = try stage.actor(.music)
            try stage.start(music)
            let recorder = try SoundRecorder()
            let player = try RunningPlayer("short.mp4", options: ["--vo=null"], directory: stage.directory)
            try music.hear("began(default)")
            #expect(try player.child.waitForExit().isSuccess)
            try music.hear("ended(shouldResume)")
            try stage.wait(for: .music)
            let heard = recorder.finish()
            // Two seconds with a beep at the beginning of each: so long nobody else is heard.
            let beeps = heard.beeps
            try #require(beeps.count == 2)
            #expect(
                Loudness(heard).range(of: .music, from: beeps[0] + 60_000_000, to: beeps[1] - 20_000_000).high < -40)
            #expect(
                Loudness(heard).range(of: .music, from: beeps[1] + 60_000_000, to: beeps[1] + 980_000_000).high < -40)
        }
    }

    @Test("S10: without notice nobody goes on, but hears that it is over")
    func withoutNotice() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let music = try stage.actor(.music), video = try stage.actor(.video)
            try stage.start(music)
            try video.tell("activate")
            try video.play()
            try music.hear("began(default)")
            try video.tell("pause")
            try video.wait(for: "player paused")
            try video.tell("deactivate")
            try music.hear("ended")
            // The fade of the video is in its device still.
            try stage.listen(.milliseconds(300))
            let end = MonotonicTime.now
            try stage.listen(.seconds(2))
            #expect(try stage.heard().range(of: .music, from: end, to: MonotonicTime.now).high < Loudness.silence)
            #expect(music.heard == ["began(default)", "ended"])
        }
    }

    @Test("S11: who is killed gives back at once")
    func killed() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let music = try stage.actor(.music), video = try stage.actor(.video)
            try stage.start(music)
            try stage.start(video)
            video.child.signal(SIGKILL)
            try music.hear("ended(shouldResume)")
            try stage.wait(for: .music)
            #expect(music.heard == ["began(default)", "ended(shouldResume)"])
        }
    }

    @Test("S12: who is frozen is silent, and makes no sound when it thaws", .measuresTime)
    func frozen() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let music = try stage.actor(.music), video = try stage.actor(.video)
            try stage.start(music)
            try stage.start(video)
            video.child.signal(SIGSTOP)
            try stage.start(music)
            try stage.listen(.milliseconds(300))
            let thawed = MonotonicTime.now
            video.child.signal(SIGCONT)
            try video.hear("began(default)")
            try stage.listen(.milliseconds(400))
            #expect(try stage.heard().range(of: .video, from: thawed, to: MonotonicTime.now).high < Loudness.silence)
            #expect(video.heard == ["began(default)"])
        }
    }

    @Test("S13: who was paused when it was interrupted is not told to go on")
    func wasPaused() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let music = try stage.actor(.music), video = try stage.actor(.video)
            try stage.start(music)
            try music.tell("pause")
            try music.wait(for: "player paused")
            try video.play()
            try music.hear("began(default)")
            try video.tell("close")
            try music.hear("ended")
            #expect(music.heard == ["began(default)", "ended"])
            #expect(try music.state().text.contains("rate=0.0"))
        }
    }

    @Test("S14: what the user decides while it is interrupted holds")
    func userDecides() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let music = try stage.actor(.music), video = try stage.actor(.video)
            try stage.start(music)
            try video.play()
            try music.hear("began(default)")
            try stage.wait(for: .video)
            try music.tell("pause")
            _ = try music.state()
            try video.tell("close")
            try music.hear("ended(shouldResume)")
            let end = MonotonicTime.now
            try stage.listen(.seconds(1))
            #expect(try stage.heard().range(of: .music, from: end, to: MonotonicTime.now).high < Loudness.silence)
            #expect(try music.state().text.contains("rate=0.0"))
        }
    }

    @Test("S15: a call is the innermost: when it ends the newest goes on alone, and the one below it after that")
    func call() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let music = try stage.actor(.music), video = try stage.actor(.video)
            try stage.start(music)
            let start = MonotonicTime.now
            try stage.start(video)
            try stage.system("call")
            try video.hear("began(default)")
            try stage.system("hang-up")
            try video.hear("ended(shouldResume)")
            try stage.wait(for: .video)
            #expect(music.heard == ["began(default)"])
            try video.tell("close")
            try music.hear("ended(shouldResume)")
            try stage.wait(for: .music)
            #expect(try stage.heard().overlap(.music, .video, after: start) == 0)
        }
    }

    @Test("S16, S17: who leaves during the call frees the one below it when the call ends", arguments: [false, true])
    func leavesDuringCall(isKilled: Bool) async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let music = try stage.actor(.music), video = try stage.actor(.video)
            try stage.start(music)
            try stage.start(video)
            try stage.system("call")
            try video.hear("began(default)")
            if isKilled { video.child.signal(SIGKILL) } else { try video.tell("close") }
            try stage.listen(.milliseconds(300))
            #expect(music.heard == ["began(default)"])
            try stage.system("hang-up")
            try music.hear("ended(shouldResume)")
            try stage.wait(for: .music)
            if !isKilled { #expect(video.heard == ["began(default)"]) }
        }
    }

    @Test("S18: who is told to go on and does not keeps those below it, until it gives back")
    func doesNotComeBack() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let music = try stage.actor(.music), video = try stage.actor(.video)
            try stage.start(music)
            try video.tell("activate")
            try stage.start(video)
            try stage.system("call")
            try video.hear("began(default)")
            try video.tell("pause")
            _ = try video.state()
            try stage.system("hang-up")
            try video.hear("ended(shouldResume)")
            try stage.listen(.milliseconds(300))
            #expect(music.heard == ["began(default)"])
            try video.tell("deactivate notify")
            try music.hear("ended(shouldResume)")
            try stage.wait(for: .music)
        }
    }

    @Test("S19: the user's play wins, and its claim is its own")
    func playWins() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let music = try stage.actor(.music), video = try stage.actor(.video)
            try stage.start(music)
            try stage.start(video)
            try music.play()
            try video.hear("began(default)")
            try video.tell("close")
            try stage.listen(.milliseconds(300))
            #expect(music.heard == ["began(default)"])
            try stage.wait(for: .music)
        }
    }

    @Test(
        "S21, S23: from the background nobody is interrupted by who is not listened to, and ambient sound does not begin",
        .measuresTime, arguments: [(Role.otherVideo, 560_557_684), (.game, 561_015_905), (.solo, 561_015_905)])
    func background(_ role: Role, _ code: Int) async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let music = try stage.actor(.music), other = try stage.actor(role)
            try stage.start(music)
            let start = MonotonicTime.now
            try other.tell("place background", "activate")
            try other.wait(for: "failed activate \(code)")
            try other.tell("play")
            try other.wait(for: "warning")
            try stage.listen(.milliseconds(300))
            let range = try stage.heard().range(
                of: .music, from: start + 50_000_000, to: MonotonicTime.now - 50_000_000)
            #expect(range.low > -0.5 && range.high < 0.5, "\(range)")
            #expect(music.heard == [] && other.heard == [])
        }
    }

    @Test("S24: who begins to mix sets free whom it interrupted", .measuresTime)
    func becomesMixable() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let music = try stage.actor(.music), video = try stage.actor(.video)
            try stage.start(music)
            try stage.start(video)
            let start = MonotonicTime.now
            try video.tell("category playback moviePlayback 1")
            try music.hear("ended(shouldResume)")
            try stage.wait(for: .music)
            try stage.listen(.milliseconds(200))
            let range = try stage.heard().range(of: .video, from: start, to: MonotonicTime.now - 50_000_000)
            #expect(range.low > -0.5, "\(range)")
        }
    }
}
