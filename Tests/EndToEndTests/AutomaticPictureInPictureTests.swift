import Foundation
import TestSupport
import Testing

/// Tests Picture-in-Picture that starts when the window of a playing video is hidden, and ends when the window is
/// visible again.
@Suite("Picture-in-Picture: automatic")
struct AutomaticPictureInPictureTests {
    /// Writes the compositor's configuration file, `compositor.conf`.
    private func writeSettings(_ text: String, in directory: RuntimeDirectory) throws {
        let folder = directory.path + "/config/swiftplay"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/compositor.conf"), options: .atomic)
    }

    /// Starts a player that loops its file, and waits until Picture-in-Picture is possible.
    private func startPlayer(_ options: [String], in directory: RuntimeDirectory) throws -> RunningPlayer {
        let player = try RunningPlayer("count30.mp4", options: ["--loop-file"] + options, directory: directory)
        try player.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
        return player
    }

    @Test("Picture-in-Picture starts when the window is minimised, and ends when the window is restored")
    func minimisingTheWindowStartsPictureInPicture() async throws {
        try await TestEnvironment.runExclusively {
            let watcher = try ScreenWatcher(), directory = try RuntimeDirectory()
            let player = try startPlayer(["--geometry=640x360+100+100"], in: directory)
            let window = try watcher.waitForWindow(.player), frame = try watcher.waitForFrame(in: .player)
            try run("xdotool", ["windowunmap", "\(window.id)"])
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > frame }
            try run("xdotool", ["windowmap", "\(window.id)"])
            try watcher.waitForNoWindow(.pictureInPicture)
            try watcher.waitForFrame(in: .player)
            try player.ipc.waitForProperty("picture-in-picture") { $0 == false }
            #expect(try player.ipc.property("pause") == false)
            try player.quit()
        }
    }

    @Test("Picture-in-Picture starts when the window is fully covered, but not for a paused video")
    func coveringTheWindowOfAPlayingVideoStartsPictureInPicture() async throws {
        try await TestEnvironment.runExclusively {
            let watcher = try ScreenWatcher(), directory = try RuntimeDirectory()
            let lowerPlayer = try startPlayer(["--geometry=640x360+100+100", "--title=below"], in: directory)
            try watcher.waitForFrame(in: .title("below"))
            let upperPlayer = try startPlayer(
                ["--geometry=700x400+80+80", "--title=above", "--pause", "--mute"], in: directory)
            try watcher.waitForFrame(in: .pictureInPicture)
            // Minimise the covering window. No Picture-in-Picture starts for its paused video, and the video in the
            // window below returns to its window.
            try run("xdotool", ["windowunmap", "\(try watcher.waitForWindow(.title("above")).id)"])
            try watcher.waitForNoWindow(.pictureInPicture)
            try watcher.waitForFrame(in: .title("below"))
            #expect(try upperPlayer.ipc.property("picture-in-picture") == false)
            try upperPlayer.quit()
            try lowerPlayer.quit()
        }
    }

    @Test(
        "under a compositing manager, Picture-in-Picture starts when several windows cover the window together",
        arguments: [nil, "openbox"])
    func coveringTheWindowUnderACompositingManagerStartsPictureInPicture(windowManager: String?) async throws {
        try await TestEnvironment.runExclusively {
            let manager = try CompositingManager(windowManager: windowManager)
            defer { withExtendedLifetime(manager) {} }
            let watcher = try ScreenWatcher(), directory = try RuntimeDirectory()
            let lowerPlayer = try startPlayer(["--geometry=640x360+400+200", "--title=below"], in: directory)
            try watcher.waitForFrame(in: .title("below"))
            let leftPlayer = try startPlayer(
                ["--geometry=500x600+300+100", "--title=left", "--pause", "--mute"], in: directory)
            try watcher.waitForFrame(in: .title("left"))
            #expect(try lowerPlayer.ipc.property("picture-in-picture") == false)
            let rightPlayer = try startPlayer(
                ["--geometry=500x600+700+100", "--title=right", "--pause", "--mute"], in: directory)
            try watcher.waitForFrame(in: .pictureInPicture)
            try run("xdotool", ["windowunmap", "\(try watcher.waitForWindow(.title("right")).id)"])
            try watcher.waitForNoWindow(.pictureInPicture)
            for player in [rightPlayer, leftPlayer, lowerPlayer] { try player.quit() }
        }
    }

    @Test("Picture-in-Picture that the user started does not end when the window becomes visible again")
    func pictureInPictureStartedByTheUserDoesNotEndAutomatically() async throws {
        try await TestEnvironment.runExclusively {
            let watcher = try ScreenWatcher(), directory = try RuntimeDirectory()
            let player = try startPlayer(["--geometry=640x360+100+100"], in: directory)
            try player.enterPictureInPicture()
            let window = try watcher.waitForWindow(.player)
            try run("xdotool", ["windowunmap", "\(window.id)"])
            let frame = try watcher.waitForFrame(in: .pictureInPicture)
            try run("xdotool", ["windowmap", "\(window.id)"])
            try watcher.waitForFrame(in: .pictureInPicture) { $0 >= frame + 15 }
            #expect(try player.ipc.property("picture-in-picture") == true)
            try player.quit()
        }
    }

    @Test("a change of automatic-pip in compositor.conf applies immediately, also to running programs")
    func changedSettingAppliesToRunningPrograms() async throws {
        try await TestEnvironment.runExclusively {
            let watcher = try ScreenWatcher(), directory = try RuntimeDirectory()
            try writeSettings("automatic-pip=no\n", in: directory)
            let player = try startPlayer(["--geometry=640x360+100+100"], in: directory)
            let window = try watcher.waitForWindow(.player)
            try run("xdotool", ["windowunmap", "\(window.id)"])
            // Wait much longer, by the player's clock, than the 0.2 s after which Picture-in-Picture would start.
            let time = try player.ipc.property("time-pos").number ?? 0
            try player.ipc.waitForProperty("time-pos") { ($0.number ?? 0) > time + 0.8 }
            #expect(!watcher.windowExists(.pictureInPicture))
            try run("xdotool", ["windowmap", "\(window.id)"])
            try watcher.waitForFrame(in: .player)
            try writeSettings("automatic-pip=yes\n", in: directory)
            try player.ipc.waitForProperty("time-pos") { ($0.number ?? 0) > time + 1.2 }
            try run("xdotool", ["windowunmap", "\(window.id)"])
            try watcher.waitForFrame(in: .pictureInPicture)
            try player.quit()
        }
    }

    @Test("up to pip-windows windows float, each in a corner of its own; one more replaces the oldest")
    func floatingWindowBeyondTheLimitReplacesTheOldestOne() async throws {
        try await TestEnvironment.runExclusively {
            let watcher = try ScreenWatcher(), directory = try RuntimeDirectory()
            try writeSettings("pip-windows=2\n", in: directory)
            let players = try (0..<3).map { number in
                try startPlayer(
                    ["--geometry=320x180+\(50 + number * 330)+60", "--title=film\(number)", "--mute"], in: directory)
            }
            for player in players.prefix(2) { try player.enterPictureInPicture() }
            let cornerAreas: [Window.Area]? = Deadline.poll(for: .seconds(10)) {
                let areas = watcher.connection.windows().filter { $0.instanceName == "swiftplay-pip" }.map(\.area)
                return areas.count == 2 && Set(areas.map(\.x)) == [24, 1416] ? areas : nil
            }
            let windows = watcher.connection.windows().filter { $0.instanceName == "swiftplay-pip" }
            #expect(cornerAreas != nil, "expected windows in two corners: \(windows)")
            #expect(try players[0].ipc.property("picture-in-picture") == true)
            try players[2].enterPictureInPicture()
            try players[0].ipc.waitForProperty("picture-in-picture") { $0 == false }
            #expect(try players[1].ipc.property("picture-in-picture") == true)
            for player in players { try player.quit() }
        }
    }
}
