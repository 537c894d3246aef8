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

    @Test("the screensaver waits while a film plays, in its window or in the floating one, and comes in a pause", arguments: [false, true])
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
