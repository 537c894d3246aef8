import TestSupport
import Testing

/// Tests the text that clients of the JSON IPC draw over the picture.
@Suite("Text of clients over the picture")
struct TextOverlayTests {
    @Test("the text of a client follows the size of the window and vanishes when the client disconnects")
    func textLiesOverThePictureUntilTheClientDisconnects() async throws {
        try await TestEnvironment.runExclusively {
            let watcher = try ScreenWatcher(), player = try RunningPlayer("count30.mp4", options: ["--pause"])
            try watcher.waitForFrame(in: .player) { $0 == 0 }
            /// Waits until the window has a number of pixels in the colour of the text.
            func wait(for count: Int) {
                let hasCount = Deadline.poll(for: .seconds(20)) {
                    watcher.pixelCount(in: .player) { $0 == 0x5A13C7 } == count ? true : nil
                }
                #expect(hasCount == true, "\(String(describing: watcher.pixelCount(in: .player) { $0 == 0x5A13C7 }))")
            }
            let square = "{\\an7\\bord0\\1c&HC7135A&\\pos(200,400)\\p1}m 0 0 l 40 0 40 40 0 40"
            do {
                let client = try IPCClient(path: player.socketPath)
                try client.command(["osd-overlay", 1, "ass-events", .string(square)])
                wait(for: 400)
                try player.ipc.setProperty("window-scale", 2)
                wait(for: 1600)
                try client.command(["osd-overlay", 1, "ass-events", .string(square), 0, 720, 0, true])
                wait(for: 0)
                try client.command(["osd-overlay", 1, "ass-events", .string(square), 0, 1440])
                wait(for: 400)
            }
            wait(for: 0)
            try player.quit()
        }
    }
}
