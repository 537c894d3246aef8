import Foundation
import SystemCalls
import TestSupport
import Testing

@Suite("Playback in a window")
struct WindowPlaybackTests {
    @Test("every frame of the first seconds is seen in the window, in order", .measuresTime)
    func frames() async throws {
        try await Desk.alone {
            let recorder = try ScreenRecorder([.player])
            let player = try RunningPlayer("count30.mp4")
            try recorder.wait { ($0.frame ?? 0) >= 100 }
            let seen = recorder.finish()
            // From the first frame on, unless nobody could look when the window came.
            let first = try #require(seen.frames().first)
            #expect(first.frame <= 1 || seen.blinks.contains { $0.overlaps(first.time - 50_000_000...first.time) })
            let dropped = try player.ipc.property("frame-drop-count")
            // A busy machine may make the player drop a few frames, and then it says so; all others are seen.
            #expect(
                seen.missed.count <= Int(min(dropped.number ?? 0, 10)),
                "missed \(seen.missed); the player dropped \(dropped)")
            #expect(seen.backwardSteps(in: .player) == 0)
            try player.quit()
        }
    }

    @Test(
        "the whole sound of a clip is heard without a gap or a click, and the end of the clip is the end of the program",
        .measuresTime)
    func sound() async throws {
        try await Desk.alone {
            let recorder = try SoundRecorder()
            let player = try RunningPlayer("short.mp4")
            let status = try player.child.waitForExit()
            #expect(status.isSuccess, "\(status): \(player.child.errors.text)")
            #expect(player.child.errors.total == 0)
            try recorder.wait(until: MonotonicTime.now)
            let heard = recorder.finish().trimmed()
            let beeps = heard.beeps
            try #require(beeps.count == 2)
            #expect(abs(beeps[1] - beeps[0] - 1_000_000_000) < 5_000_000)
            #expect(heard.duration > 1.9)
            #expect(heard.toneAmplitude(200) > 0.015)
            #expect(heard.silentGaps().isEmpty)
            #expect(heard.clicks().isEmpty)
        }
    }

    @Test(
        "sound and picture that begin two seconds apart are heard and seen from their own start",
        .measuresTime, arguments: ["late-picture.mkv", "late-sound.mkv"])
    func lateStarts(_ name: String) async throws {
        try await Desk.alone {
            let recorder = try SoundRecorder()
            let player = try RunningPlayer(name)
            #expect(try player.child.waitForExit(within: .seconds(30)).isSuccess, "\(player.child.errors.text)")
            try recorder.wait(until: MonotonicTime.now)
            let heard = recorder.finish().trimmed()
            // One at each second of the sound's four.
            #expect(heard.beeps.count == 4 && heard.duration > 3.9, "\(heard.beeps.count) beeps in \(heard.duration) s")
            #expect(heard.silentGaps().isEmpty)
        }
    }

    @Test("a file that is repeated counts once in the closing line")
    func repeatedFile() async throws {
        try await Desk.alone {
            let player = try RunningPlayer(
                "short.mp4", options: ["--vo=null", "--ao=null", "--untimed", "--loop-file=2"])
            #expect(try player.child.waitForExit().isSuccess, "\(player.child.errors.text)")
            #expect(player.child.output.text.contains("played 1 of 1: "), "\(player.child.output.text)")
        }
    }

    @Test("without a window the clip is played to its end, and --stats tells what was done")
    func nullOutput() async throws {
        try await Desk.alone {
            let scratch = try Scratch()
            let player = try RunningPlayer("short.mp4", options: ["--vo=null", "--stats=\(scratch.file("stats"))"])
            #expect(try player.child.waitForExit().isSuccess, "\(player.child.errors.text)")
            #expect(
                player.child.output.text.contains("played 1 of 1: 60 frames shown, 0 dropped"),
                "\(player.child.output.text)")
            let statistics = try JSONDecoder().decode(JSONValue.self, from: Data(scratch.text("stats").utf8))
            #expect(statistics["files"] == .array([.string(try Fixtures.path("short.mp4"))]))
            #expect(statistics["frames-decoded"] == 60)
            #expect(statistics["frames-presented"] == 60)
            #expect(statistics["frames-dropped"] == 0)
            // How many is the machine's; that nothing of it is heard is what the recordings above tell.
            #expect(statistics["audio-underruns"]?.number != nil)
            #expect(statistics["handoffs"] == .array([]))
            #expect(abs(statistics["avsync-largest"]?.number ?? 1) < 0.045)
        }
    }

    @Test("untimed, every decoded frame is ffmpeg's, bit for bit and in its order")
    func checksums() async throws {
        try await Desk.alone {
            let scratch = try Scratch(), clip = try Fixtures.path("count30.mp4")
            let player = try RunningPlayer(
                clip, options: ["--vo=null", "--ao=null", "--untimed", "--frame-checksums=\(scratch.file("sums"))"])
            let expected = try run(
                "ffmpeg", ["-v", "error", "-nostdin", "-i", clip, "-map", "0:v", "-f", "framemd5", "-"]
            )
            .split(separator: "\n").filter { !$0.hasPrefix("#") }
            .map { $0.split(separator: ",").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "" }
            #expect(try player.child.waitForExit(within: .seconds(20)).isSuccess, "\(player.child.errors.text)")
            let lines = try scratch.text("sums").split(separator: "\n").map {
                $0.split(separator: ",").map(String.init)
            }
            #expect(lines.count == 600)
            #expect(lines.allSatisfy { $0.count == 5 && $0[1...3] == ["640", "360", "yuv420p"] })
            #expect(lines.map { $0.last ?? "" } == expected)
            let stamps = lines.compactMap { $0.first.flatMap { Int($0) } }
            #expect(stamps.count == 600 && zip(stamps, stamps.dropFirst()).allSatisfy { $0 < $1 })
        }
    }
}
