import Foundation
import TestSupport
import Testing

extension PlayerControlsTests {
    /// A player whose window is on the screen, with nobody near it.
    static func start(_ clip: String = "count30.mp4", options: [String] = []) throws -> (
        RunningPlayer, ScreenWatcher, Window.Area
    ) {
        let watcher = try ScreenWatcher()
        try watcher.waitForNoWindow(.player)
        let player = try RunningPlayer(clip, options: ["--loop-file"] + options)
        try watcher.waitForFrame(in: .player) { $0 >= 3 }
        return (player, watcher, try watcher.waitForWindow(.player).area)
    }

    static func move(_ area: Window.Area, _ place: Point) throws {
        try run("xdotool", ["mousemove", "\(area.x + place.x)", "\(area.y + place.y)"])
    }

    /// Comes over the picture, as a hand does: what is not seen is not hit.
    static func click(_ area: Window.Area, _ place: Point) throws {
        try come(area, place)
        try run("xdotool", ["click", "1"])
    }

    static func drag(_ area: Window.Area, _ from: Point, _ to: Point) throws {
        try come(area, from)
        try run("xdotool", ["mousedown", "1"])
        try move(area, to)
        try run("xdotool", ["mouseup", "1"])
    }

    /// The screen around a point with the pointer is another picture than without.
    static func showsPointer(nearX x: Int, y: Int) throws -> Bool {
        let screen = ProcessInfo.processInfo.environment["DISPLAY"] ?? ""
        let pictures = try ["1", "0"].map { drawsPointer in
            try run(
                "ffmpeg",
                [
                    "-v", "error", "-nostdin", "-f", "x11grab", "-draw_mouse", drawsPointer, "-video_size", "64x64",
                    "-i", "\(screen)+\(x - 32),\(y - 32)",
                    "-frames:v", "1", "-f", "md5", "-",
                ])
        }
        return pictures[0] != pictures[1]
    }

    static func come(_ area: Window.Area, _ place: Point) throws {
        try move(area, Place.picture)
        try move(area, place)
    }

    /// Waits until a point of the window has a colour that `matches`.
    static func wait(
        _ watcher: ScreenWatcher, _ area: Window.Area, _ place: Point, _ trouble: String,
        where matches: (UInt32) -> Bool
    ) throws {
        let seen = Deadline.poll(for: .seconds(10)) {
            watcher.connection.color(x: area.x + place.x, y: area.y + place.y).map(matches) == true ? true : nil
        }
        if seen == nil {
            throw RigError(
                "\(trouble): the point has \(String(watcher.connection.color(x: area.x + place.x, y: area.y + place.y) ?? 0, radix: 16))"
            )
        }
    }
}
