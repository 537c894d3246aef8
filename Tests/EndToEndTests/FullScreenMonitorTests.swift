import TestSupport
import Testing

/// Tests full screen on a desktop with two monitors.
@Suite("Full screen on monitors")
struct FullScreenMonitorTests {
    private static let left = Window.Area(x: 0, y: 0, width: 800, height: 1080)
    private static let right = Window.Area(x: 800, y: 0, width: 1120, height: 1080)
    private static let whole = Window.Area(x: 0, y: 0, width: 1920, height: 1080)

    /// Waits until the player's window has an area.
    private func wait(for area: Window.Area, _ watcher: ScreenWatcher) {
        let hasArea = Deadline.poll(for: .seconds(20)) { watcher.window(.player)?.area == area ? true : nil }
        #expect(hasArea == true, "\(area) expected, \(String(describing: watcher.window(.player)?.area))")
    }

    @Test("the window fills the monitor of --fs-screen and returns to its place", arguments: [true, false])
    func windowFillsTheMonitor(hasWindowManager: Bool) async throws {
        try await TestEnvironment.runExclusively {
            let desktop = try PrivateDesktop(hasWindowManager: hasWindowManager, monitors: [Self.left, Self.right])
            let watcher = try ScreenWatcher(display: desktop.display)
            let player = try RunningPlayer(
                "count30.mp4",
                options: ["--pause", "--ao=null", "--screen=0", "--geometry=320x180+100+100", "--fs-screen=1"],
                environment: desktop.environment)
            let place = try #require(
                Deadline.poll(for: .seconds(20)) {
                    watcher.window(.player).flatMap {
                        $0.area.width == 320 && (100..<200).contains($0.area.x) ? $0.area : nil
                    }
                })
            try player.ipc.setProperty("fullscreen", true)
            wait(for: Self.right, watcher)
            try player.ipc.setProperty("fullscreen", false)
            wait(for: place, watcher)
            try player.ipc.setProperty("fs-screen", "current")
            try player.ipc.setProperty("fullscreen", true)
            wait(for: Self.left, watcher)
            try player.ipc.setProperty("fullscreen", false)
            wait(for: place, watcher)
            if !hasWindowManager {
                // Without a window manager only: openbox does not support `_NET_WM_FULLSCREEN_MONITORS`.
                try player.ipc.setProperty("fs-screen", "all")
                try player.ipc.setProperty("fullscreen", true)
                wait(for: Self.whole, watcher)
            }
            try player.quit()
        }
    }

    @Test("full screen that is left at once does not prevent a new size", arguments: [true, false])
    func fullScreenThatIsLeftAtOnceIsNotPending(hasWindowManager: Bool) async throws {
        try await TestEnvironment.runExclusively {
            let desktop = try PrivateDesktop(hasWindowManager: hasWindowManager, monitors: [Self.whole])
            let watcher = try ScreenWatcher(display: desktop.display)
            let player = try RunningPlayer(
                "count30.mp4", options: ["--pause", "--ao=null", "--geometry=320x180+100+100"],
                environment: desktop.environment)
            let isOpen = Deadline.poll(for: .seconds(20)) { watcher.window(.player)?.area.width == 320 ? true : nil }
            #expect(isOpen == true)
            let ipc = try player.ipc
            for _ in 0..<10 {
                try ipc.setProperty("fullscreen", true)
                try ipc.setProperty("fullscreen", false)
            }
            try ipc.setProperty("window-scale", 2)
            let isScaled = Deadline.poll(for: .seconds(20)) {
                (watcher.window(.player)?.area.width).map { $0 > 320 && $0 < 1920 ? true : nil } ?? nil
            }
            #expect(isScaled == true, "\(String(describing: watcher.window(.player)?.area))")
            try player.quit()
        }
    }

    @Test("a window opens in full screen on the monitor of --fs-screen", arguments: [true, false])
    func windowOpensOnTheMonitor(hasWindowManager: Bool) async throws {
        try await TestEnvironment.runExclusively {
            let desktop = try PrivateDesktop(hasWindowManager: hasWindowManager, monitors: [Self.left, Self.right])
            let watcher = try ScreenWatcher(display: desktop.display)
            let player = try RunningPlayer(
                "count30.mp4", options: ["--pause", "--ao=null", "--fs", "--screen=0", "--fs-screen=1"],
                environment: desktop.environment)
            wait(for: Self.right, watcher)
            try player.quit()
        }
    }
}
