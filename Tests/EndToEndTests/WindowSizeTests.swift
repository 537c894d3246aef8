import Foundation
import TestSupport
import Testing

/// The size in which the player's window opens.
@Suite("The window's size")
struct WindowSizeTests {
    /// A clip of a few frames, without sound.
    private func clip(_ width: Int, _ height: Int, in scratch: Scratch) throws -> String {
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

    /// The window's inside when it has come to rest, and the whole of it with its decorations.
    private func open(
        _ path: String, _ options: [String], on desktop: PrivateDesktop
    ) throws -> (inside: Window.Area, whole: Window.Area) {
        let player = try RunningPlayer(
            path, options: ["--pause", "--ao=null"] + options, environment: desktop.environment)
        let watcher = try ScreenWatcher(display: desktop.display)
        var last: Window?, same = 0
        // A window manager maps a window, moves it and decorates it, one after the other.
        let settled = Deadline.poll(for: .seconds(20)) { () -> Window? in
            let window = watcher.window(.player)
            same = window != nil && window == last ? same + 1 : 0
            last = window
            return same >= 20 ? window : nil
        }
        let window = try #require(settled, "\(player.child.errors.text)")
        defer { _ = try? player.quit() }
        return (window.area, desktop.frame(of: window))
    }

    @Test(
        "a film as large as the screen, or larger, opens as a whole within the work area, in its shape",
        arguments: [
            (1920, 1080), (3840, 2160), (1080, 1920),
        ])
    func large(width: Int, height: Int) async throws {
        try await Desk.alone {
            let scratch = try Scratch(), path = try clip(width, height, in: scratch)
            let desktop = try PrivateDesktop(hasWindowManager: true)
            try desktop.addPanel(height: 60)
            let (inside, whole) = try open(path, [], on: desktop)
            #expect(
                whole.x >= 0 && whole.y >= 0 && whole.x + whole.width <= 1920 && whole.y + whole.height <= 1020,
                "\(whole)")
            #expect(whole.height > inside.height, "the window has no decorations")
            // As large as fits.
            #expect(whole.height >= 1018, "\(whole)")
            #expect(abs(inside.width * height - inside.height * width) <= max(width, height), "\(inside)")
        }
    }

    @Test("a film that fits opens at its own size; --geometry has the last word")
    func asked() async throws {
        try await Desk.alone {
            let scratch = try Scratch(), path = try clip(1920, 1080, in: scratch)
            let desktop = try PrivateDesktop(hasWindowManager: true)
            let (small, _) = try open(try Fixtures.path("count30.mp4"), [], on: desktop)
            #expect(small.width == 640 && small.height == 360)
            let (wanted, _) = try open(path, ["--geometry=1920x1080"], on: desktop)
            #expect(wanted.width == 1920 && wanted.height == 1080)
        }
    }

    @Test("without a window manager the monitor is filled at most")
    func unmanaged() async throws {
        try await Desk.alone {
            let scratch = try Scratch(), path = try clip(3840, 2160, in: scratch)
            let (inside, _) = try open(path, [], on: try PrivateDesktop(hasWindowManager: false))
            #expect(inside == Window.Area(x: 0, y: 0, width: 1920, height: 1080))
        }
    }
}
