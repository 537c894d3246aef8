import Foundation
import TestSupport
import Testing

/// Tests how the player shows the loaded part of a stream, and how a user selects its variant (quality).
@Suite("Stream controls")
struct StreamControlsTests {
    /// Starts a server that delivers 8 of the 12 seconds of a stream.
    private func startServer() throws -> LinkServer {
        try LinkServer(
            try Fixtures.path("streams"), #"{"rules": [{"path": "(high|low)4.ts", "hang": true}]}"#)
    }

    /// Waits until the position line of a window is lighter on the loaded part of the stream than on the part after it.
    /// Reads one point on each side of the boundary, where the picture is blue, so that only the position line has red.
    ///
    /// - Parameter lineGeometry: returns the left end, the width and the row of the line, in pixels of the window.
    private func waitForLoadedPart(
        _ watcher: ScreenWatcher, in window: WindowQuery, _ lineGeometry: (Window.Area) -> (x: Int, width: Int, y: Int)
    ) throws {
        func redValue(_ fraction: Double) -> Int {
            guard let area = watcher.window(window)?.area else { return 0 }
            let line = lineGeometry(area), x = area.x + line.x + Int(Double(line.width) * fraction)
            return Int(watcher.connection.color(x: x, y: area.y + line.y) ?? 0) >> 16
        }
        let isVisible = Deadline.poll(for: .seconds(10)) {
            (130...170).contains(redValue(0.63)) && (60...95).contains(redValue(0.667)) ? true : nil
        }
        if isVisible == nil { throw TestFailure("\(window): \(redValue(0.63)) loaded, \(redValue(0.667)) not loaded") }
    }

    @Test(
        "the window and Picture-in-Picture show what is loaded, and the quality is chosen with button, key and IPC",
        .measuresTime)
    func loadedPartIsShownAndQualityCanBeSelected() async throws {
        try await TestEnvironment.runExclusively {
            let watcher = try ScreenWatcher()
            try watcher.waitForNoWindow(.player)
            let server = try startServer()
            let player = try RunningPlayer(
                server.address + "/stream.m3u8", options: ["--ao=null", "--geometry=640x360", "--pause", "--start=2"])
            try watcher.waitForFrame(in: .player) { $0 == 60 }
            try player.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
            let area = try watcher.waitForWindow(.player).area, ipc = try player.ipc
            try PlayerControlsTests.movePointer(area, PlayerControlsTests.Position.picture)
            try waitForLoadedPart(watcher, in: .player) { _ in (7, 624, 313) }

            // The server does not send the fifth segment, so the player has also requested that segment in the lower
            // variant.
            try ipc.waitForProperty("variant") { $0["forced"] == false && $0["index"] == 1 }
            // Left clicks on the quality button select the best variant and then the next lower one; a right click goes
            // back. A newly selected variant replaces the segments that are already loaded.
            let button = (x: 500, y: 338)
            try PlayerControlsTests.click(area, button)
            try ipc.waitForProperty("variant") { $0["forced"] == true && $0["index"] == 0 }
            try PlayerControlsTests.click(area, button)
            try ipc.waitForProperty("variant") { $0["forced"] == true && $0["index"] == 1 }
            #expect(Deadline.poll(for: .seconds(10)) { server.paths.contains("/low3.ts") ? true : nil } == true)
            try run("xdotool", ["click", "3"])
            try ipc.waitForProperty("variant") { $0["forced"] == true && $0["index"] == 0 }
            watcher.connection.letFocusFollowPointer()
            try run("xdotool", ["key", "H"])
            try ipc.waitForProperty("variant") { $0["forced"] == false }
            try ipc.setProperty("hls-bitrate", "min")
            try ipc.waitForProperty("variant") { $0["forced"] == true }
            #expect(try ipc.property("hls-bitrate") == "min")
            try ipc.setProperty("variant", 0)
            try ipc.waitForProperty("variant") { $0["index"] == 0 }
            #expect(throws: (any Error).self) { try ipc.setProperty("variant", 7) }
            try ipc.setProperty("variant", "auto")
            try ipc.waitForProperty("variant") { $0["forced"] == false }
            #expect(try ipc.property("hls-bitrate") == "no")

            try player.enterPictureInPicture()
            try watcher.waitForFrame(in: .pictureInPicture) { $0 == 60 }
            // Wait until the floating window has moved into its corner.
            var areas: [Window.Area] = []
            let cornerArea = Deadline.poll(for: .seconds(10), every: .milliseconds(50)) { () -> Window.Area? in
                areas += watcher.window(.pictureInPicture).map { [$0.area] } ?? []
                return areas.count > 4 && Set(areas.suffix(4).map(\.x)).count == 1 ? areas.last : nil
            }
            try Pointer.move(to: try #require(cornerArea), x: 0.4, y: 0.75)
            try waitForLoadedPart(watcher, in: .pictureInPicture) { area in
                (area.height / 20, area.width - area.height / 10, area.height - area.height / 20 - 2)
            }
            try player.quit()
        }
    }

    @Test("the position line in a terminal shows the played and the loaded part")
    func terminalShowsTheLoadedPart() async throws {
        try await TestEnvironment.runExclusively {
            let server = try startServer(), directory = try RuntimeDirectory(), socket = directory.path + "/ipc"
            let screen = TerminalWatcher(.init())
            let pty = try TerminalProcess(
                Products.swiftplayPath,
                ["--input-ipc-server=\(socket)", "--ao=null", "--pause", "--start=2", server.address + "/stream.m3u8"],
                environment: ["DISPLAY": nil], runtimeDirectory: directory, replies: .plain, watcher: screen)
            let ipc = try IPCClient(path: socket)
            try ipc.waitForProperty("demuxer-cache-time") { ($0.number ?? 0) > 7.5 }
            try ipc.waitForProperty("seeking") { $0 == false }
            // The key `o` prints the position line once. Press the key until the line shows the expected loaded part,
            // because the last pictures may still be loading.
            let isShown = Deadline.poll(for: .seconds(10), every: .milliseconds(200)) { () -> Bool? in
                if screen.snapshot.text.contains("00:00:12 ━━━━────────────········") { return true }
                pty.type("o")
                return nil
            }
            #expect(isShown == true)
            pty.type("q")
            #expect(try pty.child.waitForExit().isSuccess)
        }
    }
}
