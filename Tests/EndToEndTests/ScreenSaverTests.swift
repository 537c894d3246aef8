import Foundation
import TestSupport
import Testing

@Suite("Screensaver")
struct ScreenSaverTests {
    private func comes(_ saver: ScreenSaver) -> Bool {
        Deadline.poll(for: .seconds(30)) { saver.state?.isOn == true ? true : nil } ?? false
    }

    /// Waits, while a film plays, until the screensaver should have been on for a second and a half.
    private func staysAway(_ saver: ScreenSaver, _ player: RunningPlayer) throws -> Bool {
        let start = try #require(try player.ipc.property("time-pos").number)
        try player.ipc.waitForProperty("time-pos") { ($0.number ?? 0) > start + 0.1 }
        saver.wake()
        return Deadline.poll(for: .seconds(30)) { () -> Bool? in
            guard let state = saver.state else { return nil }
            return state.isOn ? false : state.idle > 2500 ? true : nil
        } ?? false
    }

    @Test(
        "the screensaver waits while a film plays, in its window or in the floating one, and comes in a pause",
        arguments: [false, true])
    func waits(inPictureInPicture: Bool) async throws {
        try await Desk.alone {
            let player = try RunningPlayer("count30.mp4", options: ["--loop-file"])
            try player.ipc.waitForProperty("time-pos") { ($0.number ?? 0) > 0.1 }
            if inPictureInPicture { try player.enterPictureInPicture() }
            let saver = try ScreenSaver()
            #expect(try staysAway(saver, player))
            try player.ipc.setProperty("pause", true)
            #expect(comes(saver))
            try player.ipc.setProperty("pause", false)
            #expect(try staysAway(saver, player))
            try player.quit()
            #expect(comes(saver))
        }
    }

    @Test(
        "the desktop's lock screen is held back over the session bus, in the window or in the floating one, and not in a pause",
        arguments: [
            ("/org/freedesktop/ScreenSaver", false), ("/ScreenSaver", true),
        ])
    func desktop(path: String, inPictureInPicture: Bool) async throws {
        try await Desk.alone {
            let bus = try SessionBus(), saver = try DesktopScreenSaver(path, on: bus)
            let player = try RunningPlayer("count30.mp4", options: ["--loop-file"], environment: bus.environment)
            try saver.wait(for: 1)
            if inPictureInPicture { try player.enterPictureInPicture() }
            // A seek does not give it free.
            try player.ipc.command(["seek", 10, "absolute"])
            try player.ipc.waitForProperty("time-pos") { ($0.number ?? 0) > 11 }
            #expect(saver.calls == ["Inhibit swiftplay 41"])
            try player.ipc.setProperty("pause", true)
            try saver.wait(for: 2)
            try player.ipc.setProperty("pause", false)
            try saver.wait(for: 3)
            try player.quit()
            try saver.wait(for: 4)
            #expect(saver.calls == ["Inhibit swiftplay 41", "UnInhibit 41", "Inhibit swiftplay 42", "UnInhibit 42"])
        }
    }

    @Test("where there is only the portal, it is asked; a film's end gives the lock screen free")
    func portal() async throws {
        try await Desk.alone {
            let bus = try SessionBus(), saver = try DesktopScreenSaver("portal", on: bus)
            let player = try RunningPlayer("short.mp4", options: ["--keep-open"], environment: bus.environment)
            try saver.wait(for: 2)
            // Flag 8: the session is not to become idle.
            #expect(saver.calls == ["Inhibit 8", "Close"])
            try player.quit()
        }
    }

    @Test("a session bus that hangs, or is lost, holds nothing up")
    func brokenBus() async throws {
        try await Desk.alone {
            let bus = try SessionBus(), saver = try DesktopScreenSaver("/ScreenSaver", on: bus)
            let player = try RunningPlayer("count30.mp4", options: ["--loop-file"], environment: bus.environment)
            try saver.wait(for: 1)
            bus.hang()
            let time = try #require(player.ipc.property("time-pos").number)
            try player.ipc.setProperty("pause", true)
            try player.ipc.setProperty("pause", false)
            try player.ipc.waitForProperty("time-pos") { ($0.number ?? 0) > time + 1 }
            #expect(try player.quit().isSuccess)
        }
    }

    @Test(
        "without a window the lock screen is not held back, nor with --stop-screensaver=no",
        arguments: ["--vo=null", "--stop-screensaver=no"])
    func notHeldBack(option: String) async throws {
        try await Desk.alone {
            let bus = try SessionBus(), saver = try DesktopScreenSaver("/ScreenSaver", on: bus)
            let player = try RunningPlayer("short.mp4", options: [option], environment: bus.environment)
            #expect(try player.child.waitForExit().isSuccess)
            #expect(saver.calls == [])
        }
    }

    @Test("--stop-screensaver=no lets it come")
    func option() async throws {
        try await Desk.alone {
            let player = try RunningPlayer("count30.mp4", options: ["--stop-screensaver=no", "--loop-file"])
            try player.ipc.waitForProperty("time-pos") { ($0.number ?? 0) > 0.1 }
            let saver = try ScreenSaver()
            #expect(comes(saver))
            try player.quit()
        }
    }
}
