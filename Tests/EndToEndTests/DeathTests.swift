import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Whoever dies, the others go on.
@Suite("Deaths")
struct DeathTests {
    @Test(
        "the compositor is killed in Picture-in-Picture: the window takes over within a frame or two, and a new one can be opened"
    )
    func compositor() async throws {
        try await Desk.alone {
            let player = try RunningPlayer("count30.mp4", options: ["--pip"]), watcher = try ScreenWatcher()
            let eyes = try ScreenRecorder([.player, .pictureInPicture])
            let inside = try eyes.wait { $0.window == .pictureInPicture && ($0.frame ?? 0) >= 20 }
            let first = try player.compositor()
            let last = try #require(watcher.frame(in: .pictureInPicture))
            kill(first, SIGKILL)
            let back = try eyes.wait { $0.window == .player && ($0.frame ?? 0) >= last }
            #expect(back.frame ?? 0 <= last + 3)
            try eyes.wait { $0.window == .player && ($0.frame ?? 0) > last + 30 }
            let seen = eyes.recording.between(inside.time, .max)
            #expect(seen.missed.count <= 2, "missed \(seen.missed)")
            #expect(try player.ipc.property("pause") == false)
            try player.ipc.waitForProperty("picture-in-picture") { $0 == false }

            try player.enterPictureInPicture()
            let again = try watcher.waitForFrame(in: .pictureInPicture)
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > again + 10 }
            #expect(try player.compositor() != first)
            try player.quit()
        }
    }

    @Test(
        "a player is killed in Picture-in-Picture: its window goes, its descriptors too, and the compositor serves the next"
    )
    func player() async throws {
        try await Desk.alone {
            let second = try RunningPlayer("count30.mp4", options: ["--title=second", "--geometry=320x180+50+60"]),
                watcher = try ScreenWatcher()
            try second.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
            let compositor = try second.compositor()
            try second.directory.waitUntilRouteIsKnown()
            let before = ProcessMaps.descriptors(of: compositor)
            #expect(before > 0)

            let first = try RunningPlayer(
                "count30.mp4", options: ["--pip", "--title=first", "--geometry=320x180+450+60"],
                directory: second.directory)
            try watcher.waitForFrame(in: .pictureInPicture) { $0 >= 10 }
            #expect(ProcessMaps.descriptors(of: compositor) > before)
            first.child.signal(SIGKILL)
            try first.child.waitForExit()
            try watcher.waitForNoWindow(.pictureInPicture)
            let freed = Deadline.poll(for: .seconds(5)) {
                ProcessMaps.descriptors(of: compositor) == before ? true : nil
            }
            #expect(freed == true, "\(ProcessMaps.descriptors(of: compositor)) descriptors, \(before) before")
            let isUnmapped = Deadline.poll(for: .seconds(5)) {
                ProcessMaps.lines(of: compositor).contains { $0.contains("memfd:swiftplay-frame") } ? nil : true
            }
            #expect(isUnmapped == true, "the frames of the killed player are still mapped")

            let third = try RunningPlayer(
                "count30.mp4", options: ["--pip", "--title=third"], directory: second.directory)
            try watcher.waitForFrame(in: .pictureInPicture) { $0 >= 10 }
            #expect(try third.compositor() == compositor)
            try third.quit()
            try second.quit()
        }
    }

    @Test("the X server dies: the player says so and ends with an error", arguments: [[], ["--pip"]])
    func display(options: [String]) async throws {
        try await Desk.alone {
            let server = try ChildProcess(
                Products.system("Xvfb"),
                ["-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp", "-noreset"])
            #expect(server.output.wait(for: "\n"))
            let display = ":" + server.output.text.trimmingCharacters(in: .whitespacesAndNewlines)
            let player = try RunningPlayer("count30.mp4", options: options, environment: ["DISPLAY": display])
            try player.ipc.waitForProperty("picture-in-picture") { $0 == .bool(!options.isEmpty) }
            try player.ipc.waitForProperty("vo-frame-id") { ($0.number ?? 0) > 10 }
            server.signal(SIGKILL)
            let status = try player.child.waitForExit()
            #expect(status.reason == .exited(1))
            #expect(player.child.errors.text.contains("X server"), "\(player.child.errors.text)")
        }
    }

    /// A sound server of its own, at `socket`.
    private func soundServer(_ scratch: Scratch) throws -> ChildProcess {
        let socket = scratch.file("sound")
        let server = try ChildProcess(
            Products.system("pulseaudio"),
            [
                "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--disable-shm=yes",
                "-L", "module-native-protocol-unix auth-anonymous=1 socket=\(socket)", "-L",
                "module-null-sink sink_name=null",
            ],
            environment: ["HOME": scratch.path, "XDG_CONFIG_HOME": scratch.path, "XDG_RUNTIME_DIR": scratch.path])
        guard Deadline.poll(for: .seconds(10), { (try? streams(at: socket)) }) != nil else {
            throw RigError("no second sound server: \(server.errors.text)")
        }
        return server
    }

    /// What plays at a sound server, a line for each.
    private func streams(at socket: String) throws -> String {
        try run("pactl", ["-s", "unix:\(socket)", "list", "short", "sink-inputs"])
    }

    @Test("the sound server dies: the pictures go on, and the sound comes back with it")
    func sound() async throws {
        try await Desk.alone {
            let scratch = try Scratch(), socket = scratch.file("sound")
            let server = try soundServer(scratch)
            let player = try RunningPlayer("count30.mp4", environment: ["PULSE_SERVER": "unix:\(socket)"])
            let watcher = try ScreenWatcher(), eyes = try ScreenRecorder([.player])
            let frame = try watcher.waitForFrame(in: .player) { $0 >= 20 }
            let begin = try eyes.wait { ($0.frame ?? 0) >= frame }
            server.signal(SIGKILL)
            try server.waitForExit()
            try watcher.waitForFrame(in: .player) { $0 >= frame + 60 }
            try? FileManager.default.removeItem(atPath: socket)
            let second = try soundServer(scratch)
            let isBack = Deadline.poll(for: .seconds(10)) { (try? streams(at: socket))?.isEmpty == false ? true : nil }
            #expect(isBack == true, "\(player.child.errors.text)")
            let later = try #require(watcher.frame(in: .player))
            try watcher.waitForFrame(in: .player) { $0 >= later + 60 }
            let seen = eyes.recording.between(begin.time, .max)
            #expect(seen.missed.count <= 5, "missed \(seen.missed)")
            try player.quit()
            second.signal(SIGTERM)
        }
    }

    @Test(
        "the sound server stops answering: the pictures go on, a pause is a pause, and quitting waits for nobody",
        .measuresTime)
    func frozenSound() async throws {
        try await Desk.alone {
            let scratch = try Scratch(), socket = scratch.file("sound")
            let server = try soundServer(scratch)
            let player = try RunningPlayer("count30.mp4", environment: ["PULSE_SERVER": "unix:\(socket)"])
            let watcher = try ScreenWatcher(), eyes = try ScreenRecorder([.player])
            let frame = try watcher.waitForFrame(in: .player) { $0 >= 20 }
            let begin = try eyes.wait { ($0.frame ?? 0) >= frame }
            server.signal(SIGSTOP)
            // Through the time in which that is found out, and some tries.
            let end = try eyes.wait { ($0.frame ?? 0) >= frame + 150 }
            let seen = eyes.recording.between(begin.time, end.time)
            // A busy machine holds pictures up, too; a picture that waits for the server does not come at all.
            #expect(seen.missed.count <= 5, "missed \(seen.missed)")
            #expect(seen.longestFreeze < 700_000_000, "\(seen.longestFreeze)")
            _ = try player.pause(watcher)
            #expect(try player.quit().isSuccess)
            server.signal(SIGCONT)
            server.signal(SIGTERM)
        }
    }

    @Test("a signal ends the player in good order, with 4", arguments: [SIGTERM, SIGINT, SIGHUP])
    func signals(number: Int32) async throws {
        try await Desk.alone {
            let player = try RunningPlayer("count30.mp4"), watcher = try ScreenWatcher()
            try watcher.waitForFrame(in: .player)
            player.child.signal(number)
            #expect(try player.child.waitForExit().reason == .exited(4))
            try watcher.waitForNoWindow(.player)
            #expect(!FileManager.default.fileExists(atPath: player.socketPath))
        }
    }
}
