import Foundation
import TestSupport
import Testing

/// Picture-in-Picture that starts when a playing video goes out of sight, and ends when it is seen again.
@Suite("Picture-in-Picture: automatic")
struct AutomaticPictureInPictureTests {
    private func settings(_ text: String, in directory: RuntimeDirectory) throws {
        let folder = directory.path + "/config/swiftplay"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/compositor.conf"), options: .atomic)
    }

    /// Started and known to the compositor.
    private func player(_ options: [String], in directory: RuntimeDirectory) throws -> RunningPlayer {
        let player = try RunningPlayer("count30.mp4", options: ["--loop-file"] + options, directory: directory)
        try player.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
        return player
    }

    @Test("17: a window that is minimised floats its picture, and has it back when it is there again")
    func minimised() async throws {
        try await Desk.alone {
            let watcher = try ScreenWatcher(), directory = try RuntimeDirectory()
            let player = try player(["--geometry=640x360+100+100"], in: directory)
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

    @Test("17: a window that is covered whole floats its picture; one that is paused does not")
    func covered() async throws {
        try await Desk.alone {
            let watcher = try ScreenWatcher(), directory = try RuntimeDirectory()
            let below = try player(["--geometry=640x360+100+100", "--title=below"], in: directory)
            try watcher.waitForFrame(in: .title("below"))
            let above = try player(["--geometry=700x400+80+80", "--title=above", "--pause", "--mute"], in: directory)
            try watcher.waitForFrame(in: .pictureInPicture)
            // What covered goes away, minimised and paused: nothing of it floats, and the other comes back.
            try run("xdotool", ["windowunmap", "\(try watcher.waitForWindow(.title("above")).id)"])
            try watcher.waitForNoWindow(.pictureInPicture)
            try watcher.waitForFrame(in: .title("below"))
            #expect(try above.ipc.property("picture-in-picture") == false)
            try above.quit()
            try below.quit()
        }
    }

    @Test(
        "a window that other windows cover together floats its picture under a compositing manager, too",
        arguments: [nil, "openbox"])
    func coveredUnderACompositingManager(windowManager: String?) async throws {
        try await Desk.alone {
            let manager = try CompositingManager(windowManager: windowManager)
            defer { withExtendedLifetime(manager) {} }
            let watcher = try ScreenWatcher(), directory = try RuntimeDirectory()
            let below = try player(["--geometry=640x360+400+200", "--title=below"], in: directory)
            try watcher.waitForFrame(in: .title("below"))
            let left = try player(["--geometry=500x600+300+100", "--title=left", "--pause", "--mute"], in: directory)
            try watcher.waitForFrame(in: .title("left"))
            #expect(try below.ipc.property("picture-in-picture") == false)
            let right = try player(["--geometry=500x600+700+100", "--title=right", "--pause", "--mute"], in: directory)
            try watcher.waitForFrame(in: .pictureInPicture)
            try run("xdotool", ["windowunmap", "\(try watcher.waitForWindow(.title("right")).id)"])
            try watcher.waitForNoWindow(.pictureInPicture)
            for player in [right, left, below] { try player.quit() }
        }
    }

    @Test("what the user put in Picture-in-Picture by hand stays there when its window is seen again")
    func byHand() async throws {
        try await Desk.alone {
            let watcher = try ScreenWatcher(), directory = try RuntimeDirectory()
            let player = try player(["--geometry=640x360+100+100"], in: directory)
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

    @Test("the user's switch holds for all programs, and at once")
    func switchedOff() async throws {
        try await Desk.alone {
            let watcher = try ScreenWatcher(), directory = try RuntimeDirectory()
            try settings("automatic-pip=no\n", in: directory)
            let player = try player(["--geometry=640x360+100+100"], in: directory)
            let window = try watcher.waitForWindow(.player)
            try run("xdotool", ["windowunmap", "\(window.id)"])
            // Half a second of it and more, by the player's own clock.
            let time = try player.ipc.property("time-pos").number ?? 0
            try player.ipc.waitForProperty("time-pos") { ($0.number ?? 0) > time + 0.8 }
            #expect(!watcher.windowExists(.pictureInPicture))
            try run("xdotool", ["windowmap", "\(window.id)"])
            try watcher.waitForFrame(in: .player)
            try settings("automatic-pip=yes\n", in: directory)
            try player.ipc.waitForProperty("time-pos") { ($0.number ?? 0) > time + 1.2 }
            try run("xdotool", ["windowunmap", "\(window.id)"])
            try watcher.waitForFrame(in: .pictureInPicture)
            try player.quit()
        }
    }

    @Test("as many windows float as the user allows, side by side; the oldest goes for one more")
    func several() async throws {
        try await Desk.alone {
            let watcher = try ScreenWatcher(), directory = try RuntimeDirectory()
            try settings("pip-windows=2\n", in: directory)
            let players = try (0..<3).map { number in
                try player(
                    ["--geometry=320x180+\(50 + number * 330)+60", "--title=film\(number)", "--mute"], in: directory)
            }
            for player in players.prefix(2) { try player.enterPictureInPicture() }
            let found: [Window.Area]? = Deadline.poll(for: .seconds(10)) {
                let areas = watcher.connection.windows().filter { $0.instance == "swiftplay-pip" }.map(\.area)
                return areas.count == 2 && Set(areas.map(\.x)) == [24, 1416] ? areas : nil
            }
            #expect(
                found != nil,
                "two windows, in two corners: \(watcher.connection.windows().filter { $0.instance == "swiftplay-pip" })"
            )
            #expect(try players[0].ipc.property("picture-in-picture") == true)
            try players[2].enterPictureInPicture()
            try players[0].ipc.waitForProperty("picture-in-picture") { $0 == false }
            #expect(try players[1].ipc.property("picture-in-picture") == true)
            for player in players { try player.quit() }
        }
    }
}
