import Foundation
import Glibc
import SystemCalls
import TestSupport

/// A program that embeds the library, told what to do line by line (Tests/PictureInPictureProbe). It dies with this
/// object.
final class RunningProbe {
    let directory: RuntimeDirectory
    private let process: CommandedProcess
    var child: ChildProcess { process.child }

    /// - Parameter directory: one that is shared with others; nil: its own.
    init(directory: RuntimeDirectory? = nil, environment: [String: String?] = [:]) throws {
        let directory = try directory ?? RuntimeDirectory()
        self.directory = directory
        try Pointer.moveAway()
        process = try CommandedProcess("PictureInPictureProbe", in: directory, environment: environment)
    }

    /// Does not wait for it to be done.
    func tell(_ lines: String...) throws { try process.tell(lines) }

    private var lines: [String] { process.lines.map(String.init) }

    /// What a scene has said of the given kind (`didStart`, `state`), in order.
    func words(of scene: String, _ kind: String) -> [String] {
        let start = "\(scene) \(kind)"
        return lines.filter { $0 == start || $0.hasPrefix(start + " ") }
    }

    /// Waits for the line that begins so, for the `times`th of them, and returns it.
    @discardableResult
    func wait(for start: String, times: Int = 1, within patience: Duration = .seconds(15)) throws -> String {
        let found = Deadline.poll(for: patience) { () -> String? in
            let found = lines.filter { $0 == start || $0.hasPrefix(start + " ") }
            return found.count >= times ? found[times - 1] : nil
        }
        guard let found else {
            throw RigError(
                "'\(start)' is not said (\(times)); there was: \(lines). Errors: \(child.errors.text.suffix(1000))")
        }
        return found
    }

    private static let calls: Set = ["willStart", "didStart", "failed", "restore", "willStop", "didStop"]

    /// The calls that the delegates of some scenes got, in order: `a willStart`.
    func calls(of scenes: String...) -> [String] {
        lines.compactMap { line in
            let words = line.split(separator: " ")
            guard words.count > 1, scenes.contains(String(words[0])), Self.calls.contains(String(words[1])) else {
                return nil
            }
            return scenes.count == 1 ? String(words[1]) : "\(words[0]) \(words[1])"
        }
    }

    /// The given lines in the order in which they were first written; a line may go on after the given words.
    func order(of starts: String...) -> [String] {
        let places = starts.compactMap { start in lines.firstIndex { $0.hasPrefix(start) }.map { ($0, start) } }
        return places.sorted { $0.0 < $1.0 }.map(\.1)
    }

    /// How it stands with a scene now.
    func state(of scene: String) throws -> String {
        let before = words(of: scene, "state").count
        try tell("state \(scene)")
        return try wait(for: "\(scene) state", times: before + 1)
    }

    /// Opens a film in a window of the scene's name and waits until it may float.
    func film(_ scene: String, _ clip: String, geometry: String = "320x180+50+60") throws {
        try tell("film \(scene) \(Fixtures.path(clip)) \(geometry)")
        try wait(for: "\(scene) is possible true")
    }

    /// Starts Picture-in-Picture and waits until the window is there.
    func start(_ scene: String) throws {
        let before = words(of: scene, "didStart").count
        try tell("start \(scene)")
        try wait(for: "\(scene) didStart", times: before + 1)
    }

    func compositor() throws -> Int32 {
        guard
            let found = Deadline.poll(
                for: .seconds(10), { directory.processes(named: "swiftplay-compositor").first?.pid })
        else {
            throw RigError("no compositor runs: \(child.errors.text)")
        }
        return found
    }

    func quit() throws {
        try tell("quit")
        let status = try child.waitForExit()
        guard status.isSuccess else { throw RigError("the probe ended with \(status): \(child.errors.text)") }
    }
}

extension ScreenWatcher {
    /// Waits until the picture has come to its corner: on its way it is in a window of its own. Never more than one
    /// floats.
    func waitForFloatingWindow() throws -> Window {
        let found = Deadline.poll(for: .seconds(10)) { () -> Window? in
            let windows = connection.windows().filter { $0.instance == "swiftplay-pip" }
            return windows.count == 1 && windows[0].isViewable ? windows[0] : nil
        }
        guard let found else { throw RigError("there is not one floating window") }
        return found
    }
}
