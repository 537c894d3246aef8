import Foundation
import TestSupport
import Testing

extension PlayerControlsTests {
    /// Starts a player, waits for its window and returns the area of the window. The pointer is outside of the window.
    static func startPlayer(_ clip: String = "count30.mp4", options: [String] = []) throws -> (
        RunningPlayer, ScreenWatcher, Window.Area
    ) {
        let watcher = try ScreenWatcher()
        try watcher.waitForNoWindow(.player)
        let player = try RunningPlayer(clip, options: ["--loop-file"] + options)
        try watcher.waitForFrame(in: .player) { $0 >= 3 }
        return (player, watcher, try watcher.waitForWindow(.player).area)
    }

    /// Moves the mouse pointer to `point` in the window at `area`.
    static func movePointer(_ area: Window.Area, _ point: Point) throws {
        try run("xdotool", ["mousemove", "\(area.x + point.x)", "\(area.y + point.y)"])
    }

    /// Clicks `point` in the window at `area`. Moves the mouse pointer over the picture first, which shows the
    /// controls, because hidden controls do not react to clicks.
    static func click(_ area: Window.Area, _ point: Point) throws {
        try moveOverPicture(area, point)
        try run("xdotool", ["click", "1"])
    }

    /// Drags with the left mouse button from one point of the window at `area` to another.
    static func drag(_ area: Window.Area, _ start: Point, _ end: Point) throws {
        try moveOverPicture(area, start)
        try run("xdotool", ["mousedown", "1"])
        try movePointer(area, end)
        try run("xdotool", ["mouseup", "1"])
    }

    /// Returns whether the mouse pointer is visible near a point of the screen.
    ///
    /// Compares a screenshot that includes the pointer with one that does not.
    static func showsPointer(nearX x: Int, y: Int) throws -> Bool {
        let display = ProcessInfo.processInfo.environment["DISPLAY"] ?? ""
        let pictures = try ["1", "0"].map { drawsPointer in
            try run(
                "ffmpeg",
                [
                    "-v", "error", "-nostdin", "-f", "x11grab", "-draw_mouse", drawsPointer, "-video_size", "64x64",
                    "-i", "\(display)+\(x - 32),\(y - 32)",
                    "-frames:v", "1", "-f", "md5", "-",
                ])
        }
        return pictures[0] != pictures[1]
    }

    /// Moves the mouse pointer over the picture of the window at `area`, which shows the controls, and then to `point`.
    private static func moveOverPicture(_ area: Window.Area, _ point: Point) throws {
        try movePointer(area, Position.picture)
        try movePointer(area, point)
    }

    /// Waits until `matches` returns true for the color (0xRRGGBB) of `point` in the window at `area`.
    ///
    /// - Parameter failureText: the description of the failure, for the error message.
    static func waitForColor(
        _ watcher: ScreenWatcher, _ area: Window.Area, _ point: Point, _ failureText: String,
        where matches: (UInt32) -> Bool
    ) throws {
        let hasColor = Deadline.poll(for: .seconds(10)) {
            watcher.connection.color(x: area.x + point.x, y: area.y + point.y).map(matches) == true ? true : nil
        }
        if hasColor == nil {
            let color = watcher.connection.color(x: area.x + point.x, y: area.y + point.y) ?? 0
            throw TestFailure("\(failureText): the point has the color \(String(color, radix: 16))")
        }
    }
}
