import Foundation
import TestSupport
import Testing

/// Tests the size of the player's window when it opens.
@Suite("Window size")
struct WindowSizeTests {
    /// Makes a video file of five frames without audio, and returns its path.
    private func makeClip(_ width: Int, _ height: Int, in scratch: TemporaryDirectory) throws -> String {
        let path = scratch.file("\(width)x\(height).mp4")
        try run(
            "ffmpeg",
            [
                "-v", "error", "-nostdin", "-f", "lavfi", "-i", "testsrc2=s=\(width)x\(height):r=5:d=1", "-c:v",
                "libx264", "-preset",
                "ultrafast", "-pix_fmt", "yuv420p", path,
            ])
        return path
    }

    /// Opens a file in a player and waits until the position and size of the player's window no longer change.
    ///
    /// - Returns: the area of the window without its decorations (`content`) and with them (`frame`).
    private func openWindow(
        _ path: String, _ options: [String], on desktop: PrivateDesktop
    ) throws -> (content: Window.Area, frame: Window.Area) {
        let player = try RunningPlayer(
            path, options: ["--pause", "--ao=null"] + options, environment: desktop.environment)
        let watcher = try ScreenWatcher(display: desktop.display)
        // A window manager maps, moves and decorates a window in separate steps.
        var shownWindow = SteadyValue<Window>()
        let steadyWindow = Deadline.poll(for: .seconds(20)) { () -> Window? in
            shownWindow.isSteady(watcher.window(.player)) ? shownWindow.last : nil
        }
        let window = try #require(steadyWindow, "\(player.child.errors.text)")
        defer { _ = try? player.quit() }
        return (window.area, desktop.frame(of: window))
    }

    @Test(
        "a film of the screen's size or larger opens inside of the work area, with its aspect ratio",
        arguments: [
            (1920, 1080), (3840, 2160), (1080, 1920),
        ])
    func windowOfALargeFilmFitsIntoTheWorkArea(width: Int, height: Int) async throws {
        try await TestEnvironment.runExclusively {
            let scratch = try TemporaryDirectory(), path = try makeClip(width, height, in: scratch)
            let desktop = try PrivateDesktop(hasWindowManager: true)
            try desktop.addPanel(height: 60)
            let (content, frame) = try openWindow(path, [], on: desktop)
            #expect(
                frame.x >= 0 && frame.y >= 0 && frame.x + frame.width <= 1920 && frame.y + frame.height <= 1020,
                "\(frame)")
            #expect(frame.height > content.height, "the window has no decorations")
            // The window uses the whole height of the work area.
            #expect(frame.height >= 1018, "\(frame)")
            #expect(abs(content.width * height - content.height * width) <= max(width, height), "\(content)")
        }
    }

    @Test("a film that fits opens at its own size; --geometry overrides the limits")
    func windowOfASmallFilmHasTheSizeOfTheFilm() async throws {
        try await TestEnvironment.runExclusively {
            let scratch = try TemporaryDirectory(), path = try makeClip(1920, 1080, in: scratch)
            let desktop = try PrivateDesktop(hasWindowManager: true)
            let (smallArea, _) = try openWindow(try Fixtures.path("count30.mp4"), [], on: desktop)
            #expect(smallArea.width == 640 && smallArea.height == 360)
            let (requestedArea, _) = try openWindow(path, ["--geometry=1920x1080"], on: desktop)
            #expect(requestedArea.width == 1920 && requestedArea.height == 1080)
        }
    }

    @Test("without a window manager the window is at most as large as the monitor")
    func monitorLimitsTheWindowWithoutAWindowManager() async throws {
        try await TestEnvironment.runExclusively {
            let scratch = try TemporaryDirectory(), path = try makeClip(3840, 2160, in: scratch)
            let (content, _) = try openWindow(path, [], on: try PrivateDesktop(hasWindowManager: false))
            #expect(content == Window.Area(x: 0, y: 0, width: 1920, height: 1080))
        }
    }
}
