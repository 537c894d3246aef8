import Foundation
import SystemCalls
import TestSupport
import Testing

@Suite("Playback in a window")
struct WindowPlaybackTests {
    @Test("every frame of the first seconds is visible in the window, in order", .measuresTime)
    func everyFrameOfTheFirstSecondsIsVisible() async throws {
        try await TestEnvironment.runExclusively {
            let recorder = try ScreenRecorder([.player])
            let player = try RunningPlayer("count30.mp4")
            try recorder.wait { ($0.frame ?? 0) >= 100 }
            let recording = recorder.stopRecording()
            // The recording begins with the first frame, unless the recorder stalled when the window appeared.
            let first = try #require(recording.frames().first)
            #expect(first.frame <= 1 || recording.stalls.contains { $0.overlaps(first.time - 50_000_000...first.time) })
            let droppedCount = try player.ipc.property("frame-drop-count")
            // On a busy machine the player may drop a few frames, which it counts. All other frames must be visible.
            #expect(
                recording.missedFrameNumbers.count <= Int(min(droppedCount.number ?? 0, 10)),
                "missed \(recording.missedFrameNumbers); the player dropped \(droppedCount)")
            #expect(recording.backwardStepCount(in: .player) == 0)
            try player.quit()
        }
    }

    @Test(
        "the audio of a clip is played without gaps or clicks, and the player exits at the end of the clip",
        .measuresTime)
    func audioHasNoGapsOrClicks() async throws {
        try await TestEnvironment.runExclusively {
            let recorder = try AudioRecorder()
            let player = try RunningPlayer("short.mp4")
            let status = try player.child.waitForExit()
            #expect(status.isSuccess, "\(status): \(player.child.errors.text)")
            #expect(player.child.errors.totalByteCount == 0)
            try recorder.wait(until: MonotonicTime.now)
            let recording = recorder.stopRecording().trimmed()
            let beeps = recording.beepTimes
            try #require(beeps.count == 2)
            #expect(abs(beeps[1] - beeps[0] - 1_000_000_000) < 5_000_000)
            #expect(recording.duration > 1.9)
            #expect(recording.toneAmplitude(200) > 0.015)
            #expect(recording.silentGaps().isEmpty)
            #expect(recording.clickTimes().isEmpty)
        }
    }

    @Test(
        "audio and video that start two seconds apart are played from their own start",
        .measuresTime, arguments: ["late-picture.mkv", "late-sound.mkv"])
    func audioAndVideoThatStartAtDifferentTimesArePlayedCompletely(_ name: String) async throws {
        try await TestEnvironment.runExclusively {
            let recorder = try AudioRecorder()
            let player = try RunningPlayer(name)
            #expect(try player.child.waitForExit(within: .seconds(30)).isSuccess, "\(player.child.errors.text)")
            try recorder.wait(until: MonotonicTime.now)
            let recording = recorder.stopRecording().trimmed()
            // The audio lasts four seconds and has one beep in each second.
            #expect(
                recording.beepTimes.count == 4 && recording.duration > 3.9,
                "\(recording.beepTimes.count) beeps in \(recording.duration) s")
            #expect(recording.silentGaps().isEmpty)
        }
    }

    @Test("a repeated file counts once in the summary")
    func repeatedFileCountsOnceInTheSummary() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer(
                "short.mp4", options: ["--vo=null", "--ao=null", "--untimed", "--loop-file=2"])
            #expect(try player.child.waitForExit().isSuccess, "\(player.child.errors.text)")
            #expect(player.child.output.text.contains("played 1 of 1: "), "\(player.child.output.text)")
        }
    }

    @Test("without a window the clip is played to its end, and --stats writes the statistics", .measuresTime)
    func clipIsPlayedWithoutAWindow() async throws {
        try await TestEnvironment.runExclusively {
            let scratch = try TemporaryDirectory()
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
            // The number of audio underruns depends on the machine. Other tests check that no underrun is audible.
            #expect(statistics["audio-underruns"]?.number != nil)
            #expect(statistics["handoffs"] == .array([]))
            #expect(abs(statistics["avsync-largest"]?.number ?? 1) < 0.045)
        }
    }

    @Test("with --untimed the checksums of all frames equal those of ffmpeg, in order", arguments: ["MD5", "murmur3"])
    func frameChecksumsEqualThoseOfFFmpeg(hash: String) async throws {
        try await TestEnvironment.runExclusively {
            let scratch = try TemporaryDirectory(), clip = try Fixtures.path("count30.mp4")
            let player = try RunningPlayer(
                clip,
                options: [
                    "--vo=null", "--ao=null", "--untimed", "--frame-checksums=\(scratch.file("sums"))",
                    "--checksum-hash=\(hash)",
                ])
            let expectedSums = try run(
                "ffmpeg", ["-v", "error", "-nostdin", "-i", clip, "-map", "0:v", "-f", "framehash", "-hash", hash, "-"]
            )
            .split(separator: "\n").filter { !$0.hasPrefix("#") }
            .map { $0.split(separator: ",").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "" }
            #expect(try player.child.waitForExit(within: .seconds(20)).isSuccess, "\(player.child.errors.text)")
            let lines = try scratch.text("sums").split(separator: "\n").map {
                $0.split(separator: ",").map(String.init)
            }
            #expect(lines.count == 600)
            #expect(lines.allSatisfy { $0.count == 5 && $0[1...3] == ["640", "360", "yuv420p"] })
            #expect(lines.map { $0.last ?? "" } == expectedSums)
            let timestamps = lines.compactMap { $0.first.flatMap { Int($0) } }
            #expect(timestamps.count == 600 && zip(timestamps, timestamps.dropFirst()).allSatisfy { $0 < $1 })
        }
    }
}
