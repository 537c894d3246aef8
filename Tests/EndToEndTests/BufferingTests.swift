import Foundation
import TestSupport
import Testing

/// Tests the buffering ring: the rotating ring that is shown while the player waits for media data.
@Suite("Buffering")
struct BufferingTests {
    /// Starts a server that stops sending after about three seconds of a test clip.
    private func startStallingServer() throws -> StallingServer {
        try StallingServer(try Fixtures.path("count30.mkv"), servingFirst: 0.15)
    }

    /// Returns whether the buffering ring turns: the middle of the window shows five different pictures within
    /// `timeout`. While the player waits for data, only the ring moves.
    private func isBufferingRingTurning(
        _ watcher: ScreenWatcher, in window: WindowQuery, within timeout: Duration = .seconds(15)
    ) -> Bool {
        var pictures: Set<[UInt32]> = []
        return Deadline.poll(for: timeout, every: .milliseconds(40)) { () -> Bool? in
            if let picture = watcher.middlePixels(of: window, edge: 60) { pictures.insert(picture) }
            return pictures.count >= 5 ? true : nil
        } ?? false
    }

    /// Returns whether the middle of the window stops changing for 900 ms, in which a turning buffering ring shows ten
    /// positions.
    private func isMiddleUnchanged(_ watcher: ScreenWatcher, in window: WindowQuery) -> Bool {
        var lastPixels: [UInt32]?, lastChangeTime = ContinuousClock.now
        return Deadline.poll(for: .seconds(15), every: .milliseconds(40)) { () -> Bool? in
            let pixels = watcher.middlePixels(of: window, edge: 60)
            if pixels == nil || pixels != lastPixels { lastChangeTime = .now }
            lastPixels = pixels
            return ContinuousClock.now - lastChangeTime > .milliseconds(900) ? true : nil
        } ?? false
    }

    @Test(
        "the buffering ring turns during a stall, in the window and in Picture-in-Picture, until data arrives",
        arguments: [WindowQuery.player, .pictureInPicture])
    func bufferingRingTurnsDuringAStall(window: WindowQuery) async throws {
        try await TestEnvironment.runExclusively {
            let server = try startStallingServer(), player = try RunningPlayer(server.address)
            let watcher = try ScreenWatcher()
            try watcher.waitForFrame(in: .player)
            if window == .pictureInPicture { try player.enterPictureInPicture() }
            try player.ipc.waitForProperty("paused-for-cache", within: .seconds(20)) { $0 == true }
            let time = try player.ipc.property("time-pos")
            #expect(isBufferingRingTurning(watcher, in: window))
            #expect(try player.ipc.property("time-pos") == time, "the time advances during the stall")
            server.resume()
            let stallSeconds = try #require(time.number)
            try watcher.waitForFrame(in: window) { $0 > Int(stallSeconds * 30) + 30 }
            try player.ipc.waitForProperty("paused-for-cache") { $0 == false }
            try player.ipc.setProperty("pause", true)
            #expect(isMiddleUnchanged(watcher, in: window), "the buffering ring still turns")
            try player.quit()
        }
    }

    @Test(
        "during a seek that stalls, the buffering ring turns and time-pos is the target of the seek",
        arguments: [WindowQuery.player, .pictureInPicture])
    func bufferingRingTurnsDuringAStalledSeek(window: WindowQuery) async throws {
        try await TestEnvironment.runExclusively {
            let server = try startStallingServer(), player = try RunningPlayer(server.address)
            let watcher = try ScreenWatcher()
            try watcher.waitForFrame(in: .player)
            if window == .pictureInPicture { try player.enterPictureInPicture() }
            try player.ipc.setProperty("pause", true)
            #expect(isMiddleUnchanged(watcher, in: window), "the buffering ring turns although the film is only paused")
            try player.ipc.command(["seek", 15, "absolute"])
            #expect(isBufferingRingTurning(watcher, in: window))
            #expect(try player.ipc.property("seeking") == true)
            #expect(try player.ipc.property("time-pos") == 15)
            server.resume()
            try player.ipc.waitForProperty("seeking") { $0 == false }
            try watcher.waitForFrame(in: window) { $0 == 450 }
            #expect(isMiddleUnchanged(watcher, in: window), "the buffering ring still turns")
            try player.quit()
        }
    }

    @Test("a stall in the terminal shows the word Buffering until data arrives")
    func terminalShowsTheWordBufferingDuringAStall() async throws {
        try await TestEnvironment.runExclusively {
            let server = try startStallingServer(), directory = try RuntimeDirectory(), socket = directory.path + "/ipc"
            let screen = TerminalWatcher(.init())
            let pty = try TerminalProcess(
                Products.swiftplayPath, ["--input-ipc-server=\(socket)", server.address], environment: ["DISPLAY": nil],
                runtimeDirectory: directory, replies: .plain, watcher: screen)
            let ipc = try IPCClient(path: socket)
            try ipc.waitForProperty("paused-for-cache", within: .seconds(20)) { $0 == true }
            try screen.wait("the word Buffering") { $0.text.contains("Buffering") ? true : nil }
            server.resume()
            try screen.wait("a terminal without the word Buffering") { $0.text.contains("Buffering") ? nil : true }
            pty.type("q")
            #expect(try pty.child.waitForExit().isSuccess)
        }
    }
}
