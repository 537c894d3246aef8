import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Tests JSON IPC with a player process: compares the replies of the player with the visible frames.
@Suite("Remote control")
struct RemoteControlTests {
    @Test("properties have their values, and can be set as in mpv", .measuresTime)
    func propertiesHaveValuesAndCanBeSet() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("count30.mp4"), watcher = try ScreenWatcher(), ipc = try player.ipc
            let frame = try {
                try watcher.waitForFrame(in: .player)
                return try player.pauseAtFrame(watcher)
            }()
            let expectedValues: [String: JSONValue] = [
                "pause": true, "volume": 100, "mute": false, "speed": 1,
                "path": .string(try Fixtures.path("count30.mp4")),
                "media-title": "count30.mp4", "eof-reached": false, "seeking": false, "width": 640, "height": 360,
                "container-fps": 30,
                "video-format": "h264", "audio-codec-name": "aac", "frame-drop-count": 0, "fullscreen": false,
                "picture-in-picture": false,
            ]
            for (name, value) in expectedValues { #expect(try ipc.property(name) == value, "\(name)") }
            let time = try #require(ipc.property("time-pos").number)
            #expect(abs(time * 30 - Double(frame)) < 1.5, "\(time) at frame \(frame)")
            #expect(try abs(#require(ipc.property("percent-pos").number) - time * 5) < 0.2)
            #expect(try abs(#require(ipc.property("duration").number) - 20) < 0.1)
            #expect(try abs(#require(ipc.property("avsync").number)) < 0.045)
            #expect(try #require(ipc.property("vo-frame-id").number) >= Double(frame))
            try ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
            #expect(try ipc.exchange(["get_property", "no-such-thing"])["error"] == "property not found")
            #expect(try ipc.exchange(["set_property", "duration", 3])["error"] != "success")

            for (name, value) in [("volume", 50), ("mute", true), ("speed", 1.5)] as [(String, JSONValue)] {
                try ipc.setProperty(name, value)
                #expect(try ipc.property(name) == value)
            }
            try ipc.setProperty("time-pos", 5)
            try watcher.waitForFrame(in: .player) { $0 == 150 }
            try ipc.setProperty("percent-pos", 50)
            try watcher.waitForFrame(in: .player) { $0 == 300 }
            let areaBeforeFullScreen = try watcher.waitForWindow(.player).area
            try ipc.setProperty("fullscreen", true)
            #expect(
                Deadline.poll(for: .seconds(5)) { watcher.window(.player)?.area.width == 1920 ? true : nil } == true)
            try watcher.waitForFrame(in: .player) { $0 == 300 }
            try ipc.command(["cycle", "fullscreen"])
            #expect(
                Deadline.poll(for: .seconds(5)) { watcher.window(.player)?.area == areaBeforeFullScreen ? true : nil }
                    == true)
            try player.quit()
        }
    }

    @Test("every kind of seek shows the requested frame, and steps move by one frame")
    func seeksAndStepsShowTheRequestedFrame() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("count30.mp4", options: ["--pause"]), watcher = try ScreenWatcher(),
                ipc = try player.ipc
            try watcher.waitForFrame(in: .player) { $0 == 0 }
            let seeks: [([JSONValue], Int)] = [
                (["seek", 10, "absolute"], 300), (["seek", 1], 330), (["seek", -2, "relative+exact"], 270),
                (["seek", 25, "absolute-percent"], 150), (["seek", 10, "relative-percent"], 210),
                (["seek", 5, "absolute+keyframes"], 120),
                (["seek", -1, "absolute"], 570), (["seek", -100, "relative"], 0),
                (["seek", 4.5, "absolute", "exact"], 135),
            ]
            for (command, frame) in seeks {
                try ipc.command(command)
                do {
                    try watcher.waitForFrame(in: .player, within: .seconds(3)) { $0 == frame }
                } catch { Issue.record("\(command): \(error)") }
            }
            try ipc.waitForProperty("seeking") { $0 == false }
            for frame in 136...140 {
                try ipc.command(["frame-step"])
                try watcher.waitForFrame(in: .player) { $0 == frame }
            }
            for frame in (136...139).reversed() {
                try ipc.command(["frame-back-step"])
                try watcher.waitForFrame(in: .player) { $0 == frame }
            }
            #expect(try ipc.property("pause") == true)
            #expect(try ipc.exchange(["seek", 1, "sideways"])["error"] == "invalid parameter")
            try player.quit()
        }
    }

    @Test("dragging a slider shows pictures on the way, and finally the last position")
    func fastSeeksShowIntermediatePictures() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("count30.mp4", options: ["--pause"]), watcher = try ScreenWatcher(),
                ipc = try player.ipc
            try watcher.waitForFrame(in: .player) { $0 == 0 }
            let recorder = try ScreenRecorder([.player])
            // Send each seek after the reply to the previous seek, even if the picture of that seek is not visible yet.
            var position = 1.0
            let pictureCount = Deadline.poll(for: .seconds(10), every: .milliseconds(1)) { () -> Int? in
                position = position < 15 ? position + 0.11 : 1
                _ = try? ipc.command(["seek", .number(position), "absolute+exact"])
                let count = Set(recorder.recording.frames().map(\.frame)).count
                return count > 6 ? count : nil
            }
            let recordedCount = recorder.recording.frames().count
            #expect(pictureCount != nil, "\(recordedCount) pictures were seen while the slider was dragged")
            try ipc.command(["seek", 17, "absolute+exact"])
            try watcher.waitForFrame(in: .player) { $0 == 510 }
            try player.quit()
        }
    }

    @Test("observing a property sends its value and its changes")
    func observedPropertiesSendTheirValuesAndChanges() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("count30.mp4"), ipc = try player.ipc
            let observedNames = [
                "pause", "time-pos", "volume", "picture-in-picture", "picture-in-picture-possible", "seeking",
            ]
            for (id, name) in observedNames.enumerated() {
                try ipc.command(["observe_property", .number(Double(id + 1)), .string(name)])
            }
            func waitForChange(_ name: String, where condition: (JSONValue) -> Bool) throws {
                try ipc.waitForEvent("property-change") {
                    $0["name"] == .string(name) && condition($0["data"] ?? .null)
                }
            }
            try waitForChange("pause") { $0 == false }
            try waitForChange("volume") { $0 == 100 }
            try waitForChange("time-pos") { ($0.number ?? 0) > 0.5 }
            try waitForChange("picture-in-picture-possible") { $0 == true }
            try ipc.setProperty("picture-in-picture", true)
            try waitForChange("picture-in-picture") { $0 == true }
            try ipc.setProperty("volume", 40)
            try waitForChange("volume") { $0 == 40 }
            try ipc.command(["cycle", "pause"])
            try waitForChange("pause") { $0 == true }
            try player.quit()
            try ipc.waitForEvent("shutdown")
        }
    }

    @Test("loading, playing and ending a file sends mpv's events in mpv's order")
    func eventsArriveInTheOrderOfMpv() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("count30.mp4", options: ["--vo=null"]), ipc = try player.ipc
            try ipc.waitForProperty("duration") { ($0.number ?? 0) > 19 }
            try ipc.command(["seek", 3])
            try ipc.waitForEvent("seek")
            try ipc.waitForProperty("time-pos") { ($0.number ?? 0) > 3 }
            let shortClip = try Fixtures.path("short.mp4")
            try ipc.command(["loadfile", .string(shortClip)])
            try ipc.waitForEvent("end-file") { $0["reason"] == "stop" }
            try ipc.waitForProperty("path") { $0 == .string(shortClip) }
            try ipc.waitForEvent("end-file") { $0["reason"] == "eof" }
            try ipc.waitForEvent("shutdown")
            #expect(try player.child.waitForExit().isSuccess)
            let names = ipc.events.compactMap { $0["event"]?.string }
            let stopIndex = try #require(names.firstIndex(of: "end-file"))
            let relevantNames = names[stopIndex...].filter {
                ["end-file", "start-file", "file-loaded", "playback-restart", "shutdown"].contains($0)
            }
            #expect(
                relevantNames == ["end-file", "start-file", "file-loaded", "playback-restart", "end-file", "shutdown"],
                "\(names)")
            #expect(names[..<stopIndex].contains("playback-restart"))
        }
    }

    @Test("the socket is private; malformed input does not end the connection; the socket is removed at exit")
    func socketIsPrivateAndRemovedAtExit() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("count30.mp4", options: ["--vo=null", "--ao=null"]), ipc = try player.ipc
            var status = stat()
            #expect(stat(player.socketPath, &status) == 0 && status.st_mode & 0o777 == 0o600)
            try ipc.send(bytes: Array("{\"command\": [\n\u{1}\u{2}{}\n[]\n".utf8))
            #expect(try ipc.property("volume") == 100)
            #expect(try ipc.exchange(["make-coffee"])["error"] == "invalid parameter")
            #expect(try player.quit().isSuccess)
            try ipc.waitForEvent("end-file") { $0["reason"] == "quit" }
            #expect(!FileManager.default.fileExists(atPath: player.socketPath))
        }
    }

    @Test("every change of the file keeps the pause")
    func changesOfTheFileKeepThePause() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer(
                "count30.mp4", "count30.ts", "short.mp4", options: ["--vo=null", "--ao=null", "--pause"])
            let ipc = try player.ipc
            try ipc.waitForProperty("seekable") { $0 == true }
            let changes: [([JSONValue], String)] = [
                (["playlist-next"], "count30.ts"), (["playlist-prev"], "count30.mp4"),
                (["set_property", "playlist-pos", 2], "short.mp4"), (["playlist-play-index", 1], "count30.ts"),
                (["keypress", ">"], "short.mp4"),
            ]
            for (command, file) in changes {
                try ipc.command(command)
                try ipc.waitForProperty("filename") { $0 == .string(file) }
                try ipc.waitForProperty("seekable") { $0 == true }
                #expect(try ipc.property("pause") == true, "\(command)")
            }
            try player.quit()
        }
    }

    @Test("loadfile keeps the pause", arguments: [true, false])
    func loadfileKeepsThePause(isPaused: Bool) async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("count30.mp4", options: ["--vo=null", "--ao=null"]), ipc = try player.ipc
            try ipc.waitForProperty("time-pos") { ($0.number ?? 0) > 0 }
            try ipc.setProperty("pause", .bool(isPaused))
            try ipc.command(["loadfile", .string(Fixtures.path("count30.ts"))])
            try ipc.waitForProperty("filename") { $0 == "count30.ts" }
            try ipc.waitForProperty("seekable") { $0 == true }
            #expect(try ipc.property("pause") == .bool(isPaused))
            try ipc.setProperty("pause", false)
            try ipc.waitForProperty("time-pos") { ($0.number ?? 0) > 0.1 }
            try player.quit()
        }
    }
}
