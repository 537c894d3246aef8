import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Section 7.C of the audio policy.
@Suite("Audio sessions: ducking")
struct DuckingTests {
    /// Waits until a tone is within half a decibel of a level for as long as it takes to be sure.
    private func settle(_ stage: SoundStage, _ role: Role, at level: Double) throws {
        let found = Deadline.poll(for: .seconds(5), every: .milliseconds(50)) { () -> Bool? in
            guard let range = try? stage.lately(role) else { return nil }
            return abs(range.low - level) < 0.5 && abs(range.high - level) < 0.5 ? true : nil
        }
        guard found == true else { throw RigError("\(role) is at \(try stage.lately(role)) and not at \(level) dB") }
    }

    /// Music that a prompt has lowered.
    private func lowered() throws -> (stage: SoundStage, music: RunningActor, navigation: RunningActor) {
        let stage = try SoundStage()
        let music = try stage.actor(.music), navigation = try stage.actor(.navigation)
        try stage.start(music)
        try navigation.tell("activate")
        try settle(stage, .music, at: -14)
        return (stage, music, navigation)
    }

    @Test(
        "S25: a prompt lowers music by 14 dB in a straight line, is told when that is done, and music is back after it",
        .measuresTime)
    func prompt() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let music = try stage.actor(.music), navigation = try stage.actor(.navigation)
            try stage.start(music)
            try stage.listen(.milliseconds(300))
            try navigation.tell("activate")
            let answer = try navigation.wait(for: "ok activate")
            let complete = try #require(answer.value("ducked").flatMap { Int64($0) })
            try stage.listen(.milliseconds(500))
            try settle(stage, .music, at: -14)
            try navigation.tell("deactivate notify")
            let back = try navigation.wait(for: "ok deactivate").time
            try settle(stage, .music, at: 0)
            let heard = try stage.heard()
            let start = try #require(heard.firstBelow(-0.5, of: .music, after: answer.time - 5_000_000))
            let bottom = try #require(heard.firstBelow(-13.5, of: .music, after: answer.time))
            let milliseconds = { (time: Int64, from: Int64) in Double(time - from) / 1e6 }
            #expect(
                milliseconds(start, answer.time) <= InterruptionTests.heardStart,
                "heard after \(milliseconds(start, answer.time)) ms")
            #expect(
                milliseconds(bottom, start) <= 260 && milliseconds(bottom, start) > 180,
                "down in \(milliseconds(bottom, start)) ms")
            // What the prompt is told is not too early.
            #expect(heard.range(of: .music, from: complete + 43_000_000, to: back).high < -13)
            // A straight line: in its middle it is at half its depth.
            let line = heard.levels(of: .music, from: start, to: bottom)
            let slope = -14.0 / 250
            for level in line {
                let expected = -0.5 + slope * milliseconds(level.time, line[0].time)
                #expect(abs(level.decibels - max(expected, -14)) < 1)
            }
            let top = try #require(heard.firstAbove(-0.5, of: .music, after: back))
            #expect(
                milliseconds(top, back) <= InterruptionTests.heardStart + 500, "up after \(milliseconds(top, back)) ms")
            #expect(music.heard == [])
        }
    }

    @Test(
        "S26: speech is paused by a prompt, not lowered; S27: beside it what mixes is lowered, and without notice speech stays paused"
    )
    func spoken() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let podcast = try stage.actor(.podcast), other = try stage.actor(.mixed),
                navigation = try stage.actor(.navigation)
            try stage.start(podcast)
            try navigation.tell("activate")
            try podcast.hear("began(default)")
            try navigation.tell("deactivate notify")
            try podcast.hear("ended(shouldResume)")
            try stage.wait(for: .podcast)
            try stage.start(other)
            try navigation.tell("activate")
            try podcast.hear("began(default)", times: 2)
            try settle(stage, .mixed, at: -14)
            try navigation.tell("deactivate")
            try podcast.hear("ended")
            try settle(stage, .mixed, at: 0)
            #expect(podcast.heard == ["began(default)", "ended(shouldResume)", "began(default)", "ended"])
            #expect(try podcast.state().value("rate") == "0.0")
        }
    }

    @Test("S28: two that lower others lower them once, and not each other", .measuresTime)
    func twice() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let music = try stage.actor(.music), navigation = try stage.actor(.navigation),
                timer = try stage.actor(.timer)
            try stage.start(music)
            try navigation.tell("activate")
            try navigation.play()
            try settle(stage, .music, at: -14)
            let start = MonotonicTime.now
            try timer.tell("activate")
            try stage.start(timer)
            try settle(stage, .timer, at: 0)
            try settle(stage, .navigation, at: 0)
            try navigation.tell("pause")
            try navigation.wait(for: "player paused")
            try navigation.tell("deactivate notify")
            try navigation.wait(for: "ok deactivate")
            try stage.listen(.milliseconds(400))
            let range = try stage.heard().range(of: .music, from: start, to: MonotonicTime.now - 100_000_000)
            #expect(range.low > -14.6 && range.high < -13.4, "\(range)")
            try timer.tell("pause")
            try timer.wait(for: "player paused")
            try timer.tell("deactivate notify")
            try settle(stage, .music, at: 0)
        }
    }

    @Test("S29: a prompt that comes again while music is on its way up turns it round from where it is")
    func turn() async throws {
        try await Desk.alone {
            let (stage, _, navigation) = try lowered()
            try navigation.tell("deactivate notify")
            try navigation.wait(for: "ok deactivate")
            let start = MonotonicTime.now
            try stage.listen(.milliseconds(250))
            try navigation.tell("activate")
            try navigation.wait(for: "ok activate", times: 2)
            try settle(stage, .music, at: -14)
            let levels = try stage.heard().levels(of: .music).filter { $0.time > start }.map(\.decibels)
            let top = levels.max() ?? 0
            #expect(top > -13 && top < -2, "\(top)")
            // Windows 5 ms apart: 0.3 dB for each of them.
            #expect(zip(levels, levels.dropFirst()).allSatisfy { abs($1 - $0) < 1.5 }, "\(levels)")
        }
    }

    @Test("S40c: a file follows another without a gap while both are lowered", .measuresTime)
    func gapless() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let navigation = try stage.actor(.navigation)
            try navigation.tell("activate")
            try navigation.wait(for: "ok activate")
            let recorder = try SoundRecorder()
            let player = try RunningPlayer(
                "half-a.flac", "half-b.flac", options: ["--vo=null"], directory: stage.directory)
            #expect(try player.child.waitForExit().isSuccess)
            try recorder.wait(until: MonotonicTime.now)
            let heard = recorder.finish().trimmed(threshold: 0.01)
            // An amplitude of 0.4, 14 dB down; 2.3 s of it. The first and the last window have edges.
            let levels = heard.toneEnvelope(441, window: .milliseconds(20)).dropFirst(4).dropLast(4).map {
                20 * log10(max($0.amplitude, 1e-6) / 0.4)
            }
            #expect(heard.duration > 2.2 && heard.duration < 2.4, "\(heard.duration)")
            #expect(levels.allSatisfy { abs($0 + 14) < 0.3 }, "\(levels)")
        }
    }

    @Test("S30: the death of a prompt is its end; S34: who begins while it speaks is born lowered")
    func deathAndBirth() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let timer = try stage.actor(.timer), music = try stage.actor(.music)
            try timer.tell("activate")
            try timer.wait(for: "ok activate")
            let start = MonotonicTime.now
            try music.play()
            try settle(stage, .music, at: -14)
            #expect(try stage.heard().range(of: .music, from: start, to: MonotonicTime.now).high < -13)
            timer.child.signal(SIGKILL)
            try settle(stage, .music, at: 0)
            #expect(music.heard == [])
        }
    }

    @Test("S31: what begins anew while it is lowered never is louder, and is back afterwards")
    func newStream() async throws {
        try await Desk.alone {
            let (stage, music, navigation) = try lowered()
            let start = MonotonicTime.now
            try music.tell("close", "load \(try Fixtures.path("tone-440.flac"))")
            try music.play()
            try settle(stage, .music, at: -14)
            #expect(try stage.heard().range(of: .music, from: start, to: MonotonicTime.now).high < -13)
            try navigation.tell("deactivate notify")
            try settle(stage, .music, at: 0)
        }
    }

    @Test("S32: the user's volume is a factor of its own")
    func volume() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let music = try stage.actor(.music), navigation = try stage.actor(.navigation)
            try music.tell("volume 0.5012")
            try music.play()
            try settle(stage, .music, at: -6)
            try navigation.tell("activate")
            try settle(stage, .music, at: -20)
            try music.tell("volume 0.7079")
            try settle(stage, .music, at: -17)
            try navigation.tell("deactivate notify")
            try settle(stage, .music, at: -3)
        }
    }

    @Test("S33: who was paused while it was lowered knows nothing of it when it plays again")
    func pausedWhileLowered() async throws {
        try await Desk.alone {
            let (stage, music, navigation) = try lowered()
            try music.tell("pause")
            try music.wait(for: "player paused")
            try stage.listen(.milliseconds(200))
            try navigation.tell("deactivate notify")
            try navigation.wait(for: "ok deactivate")
            try stage.start(music)
            let heard = try stage.heard()
            // No ramp of 500 ms, but a start.
            let last = try #require(heard.levels(of: .music).last { $0.decibels < -60 }?.time),
                up = try #require(heard.firstAbove(-0.5, of: .music, after: last))
            #expect(Double(up - last) / 1e6 < 80, "\(Double(up - last) / 1e6) ms")
        }
    }

    @Test("S40a: a prompt that comes and goes 10 times a second leaves music where it was", .measuresTime)
    func toggles() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let music = try stage.actor(.music), navigation = try stage.actor(.navigation)
            try stage.start(music)
            try stage.listen(.milliseconds(100))
            let start = MonotonicTime.now
            for turn in 1...25 {
                try navigation.tell("activate")
                try navigation.wait(for: "ok activate", times: turn)
                try stage.listen(.milliseconds(50))
                try navigation.tell("deactivate notify")
                try navigation.wait(for: "ok deactivate", times: turn)
                try stage.listen(.milliseconds(50))
            }
            try settle(stage, .music, at: 0)
            let range = try stage.heard().range(of: .music, from: start, to: MonotonicTime.now - 50_000_000)
            #expect(range.low > -14.5 && range.high < 0.5, "\(range)")
            #expect(music.heard == [] && navigation.heard == [])
        }
    }
}
