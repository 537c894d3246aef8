import Foundation
import SystemCalls
import TestSupport
import Testing

@Suite("Options")
struct OptionTests {
    @Test("--start and --end: the frames between are played, and no other", .measuresTime)
    func part() async throws {
        try await Desk.alone {
            let eyes = try ScreenRecorder([.player])
            let player = try RunningPlayer("count30.mp4", options: ["--start=10", "--end=11"])
            #expect(try player.child.waitForExit().isSuccess)
            let seen = Set(eyes.finish().frames().map(\.frame))
            #expect(seen.min() ?? -1 == 300)
            #expect((329...330).contains(seen.max() ?? 0), "\(seen.max() ?? 0)")
            #expect(seen.count >= 29)
        }
    }

    @Test(
        "--start takes parts of the whole and places from the end",
        arguments: [("50%", 300), ("-1", 570), ("0:02.5", 75)])
    func starts(text: String, frame: Int) async throws {
        try await Desk.alone {
            let player = try RunningPlayer("count30.mp4", options: ["--start=\(text)", "--pause"]),
                watcher = try ScreenWatcher()
            try watcher.waitForFrame(in: .player) { $0 == frame }
            try player.quit()
        }
    }

    @Test("--pause shows the first frame and waits; --title and --geometry say how the window is")
    func window() async throws {
        try await Desk.alone {
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

    @Test("without --title the window bears the film's name")
    func title() async throws {
        try await Desk.alone {
            let player = try RunningPlayer("count30.mp4"), watcher = try ScreenWatcher()
            try watcher.waitForFrame(in: .player)
            #expect(try watcher.waitForWindow(.player).title == "count30.mp4 - swiftplay")
            try player.quit()
        }
    }

    @Test("--loop-file=1 plays everything twice")
    func loop() async throws {
        try await Desk.alone {
            let scratch = try Scratch()
            let player = try RunningPlayer(
                "short.mp4", options: ["--vo=null", "--ao=null", "--loop-file=1", "--stats=\(scratch.file("stats"))"])
            #expect(try player.child.waitForExit().isSuccess, "\(player.child.errors.text)")
            let statistics = try JSONDecoder().decode(JSONValue.self, from: Data(scratch.text("stats").utf8))
            #expect(statistics["frames-presented"] == 120)
        }
    }

    @Test(
        "--untimed plays sound alone to its end, and --sound-checksums has every sample",
        arguments: [("audio.ogg", 144_000), ("count30.mkv", 960_000)])
    func soundChecksums(name: String, samples: Int) async throws {
        try await Desk.alone {
            let scratch = try Scratch()
            let player = try RunningPlayer(
                name,
                options: [
                    "--vo=null", "--ao=null", "--untimed", "--sound-checksums=\(scratch.file("sound"))",
                    "--stats=\(scratch.file("stats"))",
                ])
            #expect(try player.child.waitForExit().isSuccess, "\(player.child.errors.text)")
            let blocks = try scratch.text("sound").split(separator: "\n").map { $0.split(separator: ",") }
            #expect(blocks.allSatisfy { $0.count == 6 && $0[1] == "48000" && $0[2] == "2" && $0[5].count == 32 })
            #expect(blocks.compactMap { Int($0[4]) }.reduce(0, +) == samples)
            let statistics = try JSONDecoder().decode(JSONValue.self, from: Data(scratch.text("stats").utf8))
            #expect(
                statistics["media"]?["audio-streams"] == 1
                    && statistics["media"]?["duration"]?.number == (name == "audio.ogg" ? 3 : 20))
        }
    }

    @Test("--keep-open stays at the last frame, and plays again from the beginning")
    func keepOpen() async throws {
        try await Desk.alone {
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
        "--volume is a cube as mpv's, --mute is silence",
        arguments: [("--volume=50", 0.0025), ("--volume=100", 0.02), ("--mute", 0)])
    func loudness(option: String, amplitude: Double) async throws {
        try await Desk.alone {
            let ears = try SoundRecorder(), eyes = try ScreenRecorder([.player])
            let player = try RunningPlayer("count30.mp4", options: [option])
            let start = try eyes.wait { ($0.frame ?? 0) >= 8 }, end = try eyes.wait { ($0.frame ?? 0) >= 26 }
            try ears.wait(until: end.time)
            let heard = ears.finish().between(start.time, end.time)
            #expect(
                abs(heard.toneAmplitude(200) - amplitude) <= max(amplitude * 0.15, 0.0002),
                "\(heard.toneAmplitude(200))")
            if amplitude == 0 { #expect(heard.peak == 0) }
            try player.quit()
        }
    }

    @Test(
        "wrong arguments are told of and end with 64",
        arguments: ["--vo=paper", "--start=soon", "--no-such-option", "--volume=loud"])
    func wrong(option: String) async throws {
        try await Desk.alone {
            let player = try RunningPlayer("short.mp4", options: [option])
            #expect(try player.child.waitForExit().reason == .exited(64))
            #expect(player.child.errors.text.contains("Error:"), "\(player.child.errors.text)")
        }
    }
}
