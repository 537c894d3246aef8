import Foundation
import TestSupport
import Testing

/// A user who waits for media sees that it is waited for.
@Suite("Buffering")
struct BufferingTests {
    /// A server that stops after about three seconds of the clip.
    private func server() throws -> StallingServer {
        try StallingServer(try Fixtures.path("count30.mkv"), servingFirst: 0.15)
    }

    /// Several different pictures in the middle of a window, within `patience`: the ring turns there. Everything else
    /// stands.
    private func turns(_ watcher: ScreenWatcher, in window: WindowQuery, within patience: Duration = .seconds(15))
        -> Bool
    {
        var seen: Set<[UInt32]> = []
        return Deadline.poll(for: patience, every: .milliseconds(40)) { () -> Bool? in
            if let picture = watcher.middle(of: window, edge: 60) { seen.insert(picture) }
            return seen.count >= 5 ? true : nil
        } ?? false
    }

    /// For most of a second, ten positions of the ring, one and the same picture.
    private func stands(_ watcher: ScreenWatcher, in window: WindowQuery) -> Bool {
        var last: [UInt32]?, since = ContinuousClock.now
        return Deadline.poll(for: .seconds(15), every: .milliseconds(40)) { () -> Bool? in
            let now = watcher.middle(of: window, edge: 60)
            if now == nil || now != last { since = .now }
            last = now
            return ContinuousClock.now - since > .milliseconds(900) ? true : nil
        } ?? false
    }

    @Test(
        "a stall is seen in the window and in the floating one, and over when the file comes",
        arguments: [WindowQuery.player, .pictureInPicture])
    func stall(window: WindowQuery) async throws {
        try await Desk.alone {
            let server = try server(), player = try RunningPlayer(server.address), watcher = try ScreenWatcher()
            try watcher.waitForFrame(in: .player)
            if window == .pictureInPicture { try player.enterPictureInPicture() }
            try player.ipc.waitForProperty("paused-for-cache", within: .seconds(20)) { $0 == true }
            let time = try player.ipc.property("time-pos")
            #expect(turns(watcher, in: window))
            #expect(try player.ipc.property("time-pos") == time, "the film plays")
            server.goOn()
            let stalled = try #require(time.number)
            try watcher.waitForFrame(in: window) { $0 > Int(stalled * 30) + 30 }
            try player.ipc.waitForProperty("paused-for-cache") { $0 == false }
            try player.ipc.setProperty("pause", true)
            #expect(stands(watcher, in: window), "the ring still turns")
            try player.quit()
        }
    }

    @Test(
        "a seek whose picture does not come says where playing goes on, and that it is waited for",
        arguments: [
            WindowQuery.player, .pictureInPicture,
        ])
    func seek(window: WindowQuery) async throws {
        try await Desk.alone {
            let server = try server(), player = try RunningPlayer(server.address), watcher = try ScreenWatcher()
            try watcher.waitForFrame(in: .player)
            if window == .pictureInPicture { try player.enterPictureInPicture() }
            try player.ipc.setProperty("pause", true)
            #expect(stands(watcher, in: window), "there is a ring over a film that is merely paused")
            try player.ipc.command(["seek", 15, "absolute"])
            #expect(turns(watcher, in: window))
            #expect(try player.ipc.property("seeking") == true)
            #expect(try player.ipc.property("time-pos") == 15)
            server.goOn()
            try player.ipc.waitForProperty("seeking") { $0 == false }
            try watcher.waitForFrame(in: window) { $0 == 450 }
            #expect(stands(watcher, in: window), "the ring still turns")
            try player.quit()
        }
    }

    @Test("a stall is said in the terminal's last row")
    func terminal() async throws {
        try await Desk.alone {
            let server = try server(), directory = try RuntimeDirectory(), socket = directory.path + "/ipc"
            let eyes = TerminalWatcher(.init())
            let pty = try PTY(
                Products.swiftplay, ["--input-ipc-server=\(socket)", server.address], environment: ["DISPLAY": nil],
                runtimeDirectory: directory, answers: .plain, watcher: eyes)
            let ipc = try IPCClient(path: socket)
            try ipc.waitForProperty("paused-for-cache", within: .seconds(20)) { $0 == true }
            try eyes.wait("the word") { $0.text.contains("Buffering") ? true : nil }
            server.goOn()
            try eyes.wait("a terminal without the word") { $0.text.contains("Buffering") ? nil : true }
            pty.type("q")
            #expect(try pty.child.waitForExit().isSuccess)
        }
    }
}
