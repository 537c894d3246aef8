import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// An X server or a compositor that is there and does nothing (SIGSTOP).
@Suite("A stopped server")
struct StoppedServerTests {
    /// A player in a window on a display of its own, whose server then stops while the film plays.
    private func playOnStoppedDisplay(_ options: [String] = ["--loop-file"]) throws -> (
        player: RunningPlayer, desktop: PrivateDesktop
    ) {
        let desktop = try PrivateDesktop(hasWindowManager: false)
        let player = try RunningPlayer("count30.mp4", options: options, environment: desktop.environment)
        try player.ipc.waitForProperty("vo-frame-id") { ($0.number ?? 0) > 10 }
        kill(desktop.serverPID, SIGSTOP)
        return (player, desktop)
    }

    @Test("a stopped X server: the remote control answers all clients")
    func remoteControl() async throws {
        try await Desk.alone {
            let (player, desktop) = try playOnStoppedDisplay()
            defer { kill(desktop.serverPID, SIGCONT) }
            // Until the player waits for the server.
            var last = JSONValue.null, same = 0
            _ = try Deadline.poll(for: .seconds(10), every: .milliseconds(20)) { () throws -> Bool? in
                let now = try player.ipc.property("vo-frame-id")
                same = now == last ? same + 1 : 0
                last = now
                return same >= 20 ? true : nil
            }
            let other = try IPCClient(path: player.socketPath)
            for name in ["frame-drop-count", "avsync", "time-pos", "pause", "seeking", "picture-in-picture-possible"] {
                #expect(try player.ipc.exchange(["get_property", .string(name)])["error"] == "success", "\(name)")
                #expect(try other.exchange(["get_property", .string(name)])["error"] == "success", "\(name)")
            }
        }
    }

    /// Asks for a property again and again until `end`, host time.
    ///
    /// - Returns: the longest time that an answer took.
    private func ask(_ names: String..., of player: RunningPlayer, until end: Int64) throws -> Int64 {
        var longest: Int64 = 0
        while MonotonicTime.now < end {
            for name in names {
                let asked = MonotonicTime.now
                #expect(try player.ipc.exchange(["get_property", .string(name)])["error"] == "success", "\(name)")
                longest = max(longest, MonotonicTime.now - asked)
            }
            usleep(5000)
        }
        return longest
    }

    @Test(
        "while the X server is stopped for three seconds sound and commands go on, and the picture is then at its time",
        .measuresTime)
    func threeSeconds() async throws {
        try await Desk.alone {
            let recorder = try SoundRecorder(), scratch = try Scratch()
            let (player, desktop) = try playOnStoppedDisplay(["--stats=\(scratch.file("stats"))"])
            defer { kill(desktop.serverPID, SIGCONT) }
            let watcher = { try ScreenWatcher(display: desktop.display) }
            let stopped = MonotonicTime.now, before = try player.ipc.property("time-pos").number ?? 0
            let longest = try ask("time-pos", "frame-drop-count", of: player, until: stopped + 3_000_000_000)
            #expect(longest < 250_000_000, "the longest answer took \(Double(longest) / 1e6) ms")
            let now = MonotonicTime.now, after = try player.ipc.property("time-pos").number ?? 0
            #expect(abs(after - before - Double(now - stopped) / 1e9) < 0.2, "the clock goes on: \(before), \(after)")
            try recorder.wait(until: now)
            #expect(recorder.recording.between(stopped, now).silentGaps().isEmpty)
            kill(desktop.serverPID, SIGCONT)
            let screen = try watcher()
            let isThere = try Deadline.poll(for: .seconds(10)) { () throws -> Bool? in
                guard let frame = screen.frame(in: .player), let time = try player.ipc.property("time-pos").number
                else { return nil }
                return abs(Double(frame) / 30 - time) < 0.15 ? true : nil
            }
            #expect(isThere == true, "the picture is not at its time")
            try player.quit()
            let statistics = try JSONDecoder().decode(JSONValue.self, from: Data(scratch.text("stats").utf8))
            #expect(statistics["audio-underruns"] == 0)
        }
    }

    @Test("a stopped X server does not keep the player from pausing and going on")
    func pausing() async throws {
        try await Desk.alone {
            let recorder = try SoundRecorder()
            let (player, desktop) = try playOnStoppedDisplay([])
            defer { kill(desktop.serverPID, SIGCONT) }
            _ = try ask("time-pos", of: player, until: MonotonicTime.now + 500_000_000)
            try player.ipc.setProperty("pause", true)
            let quiet = MonotonicTime.now + 500_000_000
            try recorder.wait(until: quiet + 500_000_000)
            let heard = recorder.recording.between(quiet, quiet + 500_000_000)
            #expect(heard.trimmed().duration == 0, "\(heard.trimmed().duration) s of sound in a pause")
            let stands = try player.ipc.property("time-pos")
            try player.ipc.setProperty("pause", false)
            let goesOn = try Deadline.poll(for: .seconds(10)) { () throws -> Bool? in
                try (player.ipc.property("time-pos").number ?? 0) > (stands.number ?? 0) + 0.5 ? true : nil
            }
            #expect(goesOn == true)
        }
    }

    @Test("a stopped X server does not keep the player from ending", arguments: ["quit", "SIGTERM", "seek and quit"])
    func end(by way: String) async throws {
        try await Desk.alone {
            let (player, desktop) = try playOnStoppedDisplay()
            defer { kill(desktop.serverPID, SIGCONT) }
            // Something that has the window drawn anew.
            if way == "seek and quit" { try player.ipc.command(["seek", 10, "absolute"]) }
            if way == "SIGTERM" { player.child.signal(SIGTERM) } else { try player.ipc.command(["quit"]) }
            // The server is continued only after the player has exited.
            let status = try player.child.waitForExit(within: .seconds(20))
            #expect(status.reason == .exited(way == "SIGTERM" ? 4 : 0), "\(status)")
        }
    }

    @Test("while the X server is stopped the main queue goes on when Picture-in-Picture ends")
    func endOfPictureInPicture() async throws {
        try await Desk.alone {
            let desktop = try PrivateDesktop(hasWindowManager: false), clip = try Fixtures.path("count30.mp4")
            let player = try RunningPlayer("count30.mp4", options: ["--loop-file"], environment: desktop.environment)
            try player.enterPictureInPicture()
            kill(desktop.serverPID, SIGSTOP)
            defer { kill(desktop.serverPID, SIGCONT) }
            try player.ipc.setProperty("picture-in-picture", false)
            var longest: Int64 = 0, count = 1.0
            // The main queue adds a file to the playlist.
            let end = MonotonicTime.now + 1_000_000_000
            while MonotonicTime.now < end {
                let asked = MonotonicTime.now
                try player.ipc.command(["loadfile", .string(clip), "append"])
                count += 1
                try player.ipc.waitForProperty("playlist-count") { $0.number == count }
                longest = max(longest, MonotonicTime.now - asked)
            }
            #expect(longest < 200_000_000, "the main queue stood for \(Double(longest) / 1e6) ms")
            kill(desktop.serverPID, SIGCONT)
            let watcher = try ScreenWatcher(display: desktop.display)
            let first = try watcher.waitForFrame(in: .player) { _ in true }
            try watcher.waitForFrame(in: .player) { $0 != first }
            try player.ipc.waitForProperty("picture-in-picture") { $0 == false }
            try player.quit()
        }
    }

    @Test("Picture-in-Picture that is not possible is refused by the remote control")
    func impossible() async throws {
        try await Desk.alone {
            let player = try RunningPlayer(
                "count30.mp4", options: ["--vo=null", "--ao=null", "--loop-file"])
            try player.ipc.waitForProperty("vo-frame-id") { ($0.number ?? 0) > 0 }
            #expect(
                try player.ipc.exchange(["set_property", "picture-in-picture", true])["error"] == "property unavailable"
            )
            #expect(try player.ipc.exchange(["cycle", "picture-in-picture"])["error"] != "success")
            #expect(try player.ipc.exchange(["set_property", "picture-in-picture", false])["error"] == "success")
            try player.quit()
        }
    }

    @Test("a stopped compositor is said in the log, of the player in the floating window and of a new one")
    func compositor() async throws {
        try await Desk.alone {
            let directory = try RuntimeDirectory()
            let player = try RunningPlayer("count30.mp4", options: ["--loop-file"], directory: directory)
            try player.enterPictureInPicture()
            let compositor = try player.compositor()
            kill(compositor, SIGSTOP)
            defer { kill(compositor, SIGCONT) }
            #expect(
                player.child.errors.wait(for: "swiftplay-compositor takes no frames"), "\(player.child.errors.text)")
            let other = try RunningPlayer("count30.mp4", options: ["--loop-file"], directory: directory)
            #expect(other.child.errors.wait(for: "swiftplay-compositor does not answer"), "\(other.child.errors.text)")
            kill(compositor, SIGCONT)
            try other.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
            try other.quit()
            try player.quit()
        }
    }

    @Test("a stopped compositor loses the frames to the player's window, and has them back when it runs again")
    func watchdog() async throws {
        try await Desk.alone {
            let player = try RunningPlayer("count30.mp4", options: ["--loop-file"]), watcher = try ScreenWatcher()
            try player.enterPictureInPicture()
            try watcher.waitForPlaceholder()
            // Once it has flown to its corner: on its way there it lies over the player's window.
            var place: Window.Area?, same = 0
            let isThere = Deadline.poll(for: .seconds(10), every: .milliseconds(20)) { () -> Bool? in
                let now = watcher.window(.pictureInPicture)?.area
                same = now != nil && now == place ? same + 1 : 0
                place = now
                return same >= 40 ? true : nil
            }
            try #require(isThere == true)
            let compositor = try player.compositor()
            kill(compositor, SIGSTOP)
            defer { kill(compositor, SIGCONT) }
            try player.ipc.waitForProperty("picture-in-picture-stalled") { $0 == true }
            let first = try watcher.waitForFrame(in: .player) { _ in true }
            try watcher.waitForFrame(in: .player) { $0 != first }
            #expect(
                player.child.errors.wait(for: "swiftplay-compositor takes no frames"), "\(player.child.errors.text)")
            #expect(try player.ipc.property("picture-in-picture") == true)
            kill(compositor, SIGCONT)
            try player.ipc.waitForProperty("picture-in-picture-stalled") { $0 == false }
            try watcher.waitForPlaceholder()
            let last = try watcher.waitForFrame(in: .pictureInPicture) { _ in true }
            try watcher.waitForFrame(in: .pictureInPicture) { $0 != last }
            try player.leavePictureInPicture()
            try watcher.waitForFrame(in: .player) { _ in true }
            try player.quit()
        }
    }

    @Test("beside a stopped compositor a new player begins at once", arguments: [[], ["--pip"]])
    func start(options: [String]) async throws {
        try await Desk.alone {
            let directory = try RuntimeDirectory()
            let player = try RunningPlayer("count30.mp4", options: ["--loop-file"], directory: directory)
            try player.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
            let compositor = try player.compositor()
            kill(compositor, SIGSTOP)
            defer { kill(compositor, SIGCONT) }
            let other = try RunningPlayer("count30.mp4", options: options, directory: directory)
            try other.ipc.waitForProperty("vo-frame-id") { ($0.number ?? 0) > 0 }
            let shown = MonotonicTime.now
            try other.ipc.waitForProperty("time-pos") { ($0.number ?? 0) > 0 }
            // It waits half a second for the compositor's permission.
            #expect(MonotonicTime.now - shown < 1_500_000_000, "\(Double(MonotonicTime.now - shown) / 1e9) s")
            try other.quit()
        }
    }
}
