import Foundation
import TestSupport
import Testing

@Suite("Screensaver")
struct ScreenSaverTests {
    /// Returns whether the screensaver turns on within 30 s.
    private func screensaverTurnsOn(_ saver: ScreenSaver) -> Bool {
        Deadline.poll(for: .seconds(30)) { saver.state?.isOn == true ? true : nil } ?? false
    }

    /// Returns whether the screensaver, whose timeout is 1 s, stays off for 2.5 s while a film plays.
    private func screensaverStaysOff(_ saver: ScreenSaver, _ player: RunningPlayer) throws -> Bool {
        let startPosition = try #require(try player.ipc.property("time-pos").number)
        try player.ipc.waitForProperty("time-pos") { ($0.number ?? 0) > startPosition + 0.1 }
        saver.deactivate()
        return Deadline.poll(for: .seconds(30)) { () -> Bool? in
            guard let state = saver.state else { return nil }
            return state.isOn ? false : state.idleMilliseconds > 2500 ? true : nil
        } ?? false
    }

    @Test(
        "the screensaver stays off while a film plays in either window, and turns on in a pause",
        arguments: [false, true])
    func screensaverStaysOffDuringPlayback(inPictureInPicture: Bool) async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("count30.mp4", options: ["--loop-file"])
            try player.ipc.waitForProperty("time-pos") { ($0.number ?? 0) > 0.1 }
            if inPictureInPicture { try player.enterPictureInPicture() }
            let saver = try ScreenSaver()
            #expect(try screensaverStaysOff(saver, player))
            try player.ipc.setProperty("pause", true)
            #expect(screensaverTurnsOn(saver))
            try player.ipc.setProperty("pause", false)
            #expect(try screensaverStaysOff(saver, player))
            try player.quit()
            #expect(screensaverTurnsOn(saver))
        }
    }

    @Test(
        "playback in either window inhibits the desktop's screensaver over the session bus; a pause does not",
        arguments: [
            ("/org/freedesktop/ScreenSaver", false), ("/ScreenSaver", true),
        ])
    func playbackInhibitsTheDesktopsScreensaver(path: String, inPictureInPicture: Bool) async throws {
        try await TestEnvironment.runExclusively {
            let bus = try SessionBus(), saver = try DesktopScreenSaver(path, on: bus)
            let player = try RunningPlayer("count30.mp4", options: ["--loop-file"], environment: bus.environment)
            try saver.waitForMethodCalls(count: 1)
            if inPictureInPicture { try player.enterPictureInPicture() }
            // A seek does not end the inhibition of the screensaver.
            try player.ipc.command(["seek", 10, "absolute"])
            try player.ipc.waitForProperty("time-pos") { ($0.number ?? 0) > 11 }
            #expect(saver.methodCalls == ["Inhibit swiftplay 41"])
            try player.ipc.setProperty("pause", true)
            try saver.waitForMethodCalls(count: 2)
            try player.ipc.setProperty("pause", false)
            try saver.waitForMethodCalls(count: 3)
            try player.quit()
            try saver.waitForMethodCalls(count: 4)
            #expect(
                saver.methodCalls == ["Inhibit swiftplay 41", "UnInhibit 41", "Inhibit swiftplay 42", "UnInhibit 42"])
        }
    }

    @Test("if only the portal exists, the player uses it, and releases the inhibition at the end of the film")
    func portalIsUsedIfNoOtherServiceExists() async throws {
        try await TestEnvironment.runExclusively {
            let bus = try SessionBus(), saver = try DesktopScreenSaver("portal", on: bus)
            let player = try RunningPlayer("short.mp4", options: ["--keep-open"], environment: bus.environment)
            try saver.waitForMethodCalls(count: 2)
            // The flag 8 of the portal method Inhibit prevents the desktop session from becoming idle.
            #expect(saver.methodCalls == ["Inhibit 8", "Close"])
            try player.quit()
        }
    }

    @Test("a session bus that hangs does not block playback")
    func hangingSessionBusDoesNotBlockPlayback() async throws {
        try await TestEnvironment.runExclusively {
            let bus = try SessionBus(), saver = try DesktopScreenSaver("/ScreenSaver", on: bus)
            let player = try RunningPlayer("count30.mp4", options: ["--loop-file"], environment: bus.environment)
            try saver.waitForMethodCalls(count: 1)
            bus.suspend()
            let time = try #require(player.ipc.property("time-pos").number)
            try player.ipc.setProperty("pause", true)
            try player.ipc.setProperty("pause", false)
            try player.ipc.waitForProperty("time-pos") { ($0.number ?? 0) > time + 1 }
            #expect(try player.quit().isSuccess)
        }
    }

    @Test(
        "the desktop's screensaver is not inhibited without a window or with --stop-screensaver=no",
        arguments: ["--vo=null", "--stop-screensaver=no"])
    func screensaverIsNotInhibitedWithoutAWindowOrByOption(option: String) async throws {
        try await TestEnvironment.runExclusively {
            let bus = try SessionBus(), saver = try DesktopScreenSaver("/ScreenSaver", on: bus)
            let player = try RunningPlayer("short.mp4", options: [option], environment: bus.environment)
            #expect(try player.child.waitForExit().isSuccess)
            #expect(saver.methodCalls == [])
        }
    }

    @Test("--stop-screensaver=no lets the screensaver turn on")
    func stopScreensaverOptionAllowsTheScreensaver() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("count30.mp4", options: ["--stop-screensaver=no", "--loop-file"])
            try player.ipc.waitForProperty("time-pos") { ($0.number ?? 0) > 0.1 }
            let saver = try ScreenSaver()
            #expect(screensaverTurnsOn(saver))
            try player.quit()
        }
    }
}
