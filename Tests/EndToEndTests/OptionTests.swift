import Foundation
import SystemCalls
import TestSupport
import Testing

@Suite("Options")
struct OptionTests {
    @Test("--start and --end play only the frames between them", .measuresTime)
    func startAndEndLimitPlayback() async throws {
        try await TestEnvironment.runExclusively {
            let recorder = try ScreenRecorder([.player])
            let player = try RunningPlayer("count30.mp4", options: ["--start=10", "--end=11"])
            #expect(try player.child.waitForExit().isSuccess)
            let frameNumbers = Set(recorder.stopRecording().frames().map(\.frame))
            #expect(frameNumbers.min() ?? -1 == 300)
            #expect((329...330).contains(frameNumbers.max() ?? 0), "\(frameNumbers.max() ?? 0)")
            #expect(frameNumbers.count >= 29)
        }
    }

    @Test(
        "--start takes percentages and times, also relative to the end",
        arguments: [("50%", 300), ("-1", 570), ("0:02.5", 75)])
    func startOptionAcceptsPercentagesAndTimes(text: String, frame: Int) async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("count30.mp4", options: ["--start=\(text)", "--pause"]),
                watcher = try ScreenWatcher()
            try watcher.waitForFrame(in: .player) { $0 == frame }
            try player.quit()
        }
    }

    @Test("--pause waits at the first frame; --title and --geometry set up the window")
    func pauseTitleAndGeometryOptionsTakeEffect() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer(
                "count30.mp4", options: ["--pause", "--title=A title", "--geometry=320x180+50+60"])
            let watcher = try ScreenWatcher()
            try watcher.waitForFrame(in: .player) { $0 == 0 }
            let window = try watcher.waitForWindow(.title("A title"))
            #expect(window.area == Window.Area(x: 50, y: 60, width: 320, height: 180))
            #expect(try player.ipc.property("pause") == true)
            #expect(try player.ipc.property("time-pos") == 0)
            try player.ipc.command(["cycle", "pause"])
            try watcher.waitForFrame(in: .player) { $0 >= 10 }
            try player.quit()
        }
    }

    @Test("without --title the window has the name of the file as title")
    func windowTitleIsTheFileNameByDefault() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("count30.mp4"), watcher = try ScreenWatcher()
            try watcher.waitForFrame(in: .player)
            #expect(try watcher.waitForWindow(.player).title == "count30.mp4 - swiftplay")
            try player.quit()
        }
    }

    @Test(
        "a video output that cannot be opened is reported with the outputs that can be used",
        arguments: [
            ("--vo=terminal", "--vo=terminal needs a terminal on standard output; use --vo=null"),
            ("--vo=x11", "cannot connect to the X display :4711; check DISPLAY, or use --vo=terminal or --vo=null"),
        ])
    func anUnusableVideoOutputIsReported(option: String, message: String) async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer(
                "count30.mp4", options: ["--ao=null", option], environment: ["DISPLAY": ":4711"])
            #expect(try player.child.waitForExit().reason == .exited(1))
            #expect(player.child.errors.text.contains("swiftplay: \(message)\n"), "\(player.child.errors.text)")
        }
    }

    @Test("--loop-file=1 plays the file twice")
    func loopFileRepeatsTheFile() async throws {
        try await TestEnvironment.runExclusively {
            let scratch = try TemporaryDirectory()
            let player = try RunningPlayer(
                "short.mp4", options: ["--vo=null", "--ao=null", "--loop-file=1", "--stats=\(scratch.file("stats"))"])
            #expect(try player.child.waitForExit().isSuccess, "\(player.child.errors.text)")
            let statistics = try JSONDecoder().decode(JSONValue.self, from: Data(scratch.text("stats").utf8))
            let frameCounts = ["frames-presented", "frames-dropped"].map { statistics[$0]?.number ?? 0 }
            #expect(frameCounts[0] + frameCounts[1] == 120, "\(statistics)")
        }
    }

    @Test(
        "--untimed plays audio to its end, and --sound-checksums covers every sample",
        arguments: [("audio.ogg", 144_000), ("count30.mkv", 960_000)])
    func soundChecksumsCoverEverySample(name: String, sampleCount: Int) async throws {
        try await TestEnvironment.runExclusively {
            let scratch = try TemporaryDirectory()
            let player = try RunningPlayer(
                name,
                options: [
                    "--vo=null", "--ao=null", "--untimed", "--sound-checksums=\(scratch.file("sound"))",
                    "--stats=\(scratch.file("stats"))",
                ])
            #expect(try player.child.waitForExit().isSuccess, "\(player.child.errors.text)")
            let blocks = try scratch.text("sound").split(separator: "\n").map { $0.split(separator: ",") }
            #expect(blocks.allSatisfy { $0.count == 6 && $0[1] == "48000" && $0[2] == "2" && $0[5].count == 32 })
            #expect(blocks.compactMap { Int($0[4]) }.reduce(0, +) == sampleCount)
            let statistics = try JSONDecoder().decode(JSONValue.self, from: Data(scratch.text("stats").utf8))
            #expect(
                statistics["media"]?["audio-streams"] == 1
                    && statistics["media"]?["duration"]?.number == (name == "audio.ogg" ? 3 : 20))
        }
    }

    @Test("--keep-open stays at the last frame; resuming plays from the beginning")
    func keepOpenStaysAtTheLastFrame() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("short.mp4", options: ["--keep-open", "--start=1.5"]),
                watcher = try ScreenWatcher()
            try player.ipc.waitForProperty("eof-reached") { $0 == true }
            try watcher.waitForFrame(in: .player) { $0 == 59 }
            #expect(player.child.isRunning)
            #expect(try player.ipc.property("pause") == true)
            try player.ipc.setProperty("pause", false)
            try watcher.waitForFrame(in: .player) { $0 < 40 }
            try player.quit()
        }
    }

    @Test(
        "--volume follows mpv's cubic curve, and --mute is silent", .measuresTime,
        arguments: [("--volume=50", 0.0025), ("--volume=100", 0.02), ("--mute", 0)])
    func volumeIsCubicAndMuteIsSilent(option: String, amplitude: Double) async throws {
        try await TestEnvironment.runExclusively {
            let audioRecorder = try AudioRecorder(), recorder = try ScreenRecorder([.player])
            let player = try RunningPlayer("count30.mp4", options: [option])
            let startChange = try recorder.wait { ($0.frame ?? 0) >= 8 }
            let endChange = try recorder.wait { ($0.frame ?? 0) >= 26 }
            try audioRecorder.wait(until: endChange.time)
            let recording = audioRecorder.stopRecording().between(startChange.time, endChange.time)
            #expect(
                abs(recording.toneAmplitude(200) - amplitude) <= max(amplitude * 0.15, 0.0002),
                "\(recording.toneAmplitude(200))")
            if amplitude == 0 { #expect(recording.peak == 0) }
            try player.quit()
        }
    }

    @Test(
        "wrong arguments are reported and exit with 64",
        arguments: ["--vo=paper", "--start=soon", "--no-such-option", "--volume=loud"])
    func wrongArgumentsAreReported(option: String) async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("short.mp4", options: [option])
            #expect(try player.child.waitForExit().reason == .exited(64))
            #expect(player.child.errors.text.contains("Error:"), "\(player.child.errors.text)")
        }
    }
}
