import Foundation
import Glibc
import SystemCalls
import TestSupport

/// A test program that embeds the library, opens windows with Picture-in-Picture, and performs one command per line
/// (`Tests/PictureInPictureProbe`). Commands and output lines name a scene: a window with a film or with drawn frames.
///
/// The process is killed when this object is deinitialised.
final class RunningProbe {
    let directory: RuntimeDirectory
    private let process: CommandedProcess
    var child: ChildProcess { process.child }

    /// Starts the probe program.
    ///
    /// - Parameter directory: the `XDG_RUNTIME_DIR`, to share a compositor with other programs; nil creates a new
    ///   directory.
    init(directory: RuntimeDirectory? = nil, environment: [String: String?] = [:]) throws {
        let directory = try directory ?? RuntimeDirectory()
        self.directory = directory
        try Pointer.moveAway()
        process = try CommandedProcess("PictureInPictureProbe", in: directory, environment: environment)
    }

    /// Sends commands to the program, and does not wait until the program has performed them.
    func send(_ lines: String...) throws { try process.send(lines) }

    private var lines: [String] { process.lines.map(String.init) }

    /// Returns the output lines about a scene that have the given kind (such as `didStart` or `state`), oldest first.
    func outputLines(of scene: String, _ kind: String) -> [String] {
        let start = "\(scene) \(kind)"
        return lines.filter { $0 == start || $0.hasPrefix(start + " ") }
    }

    /// Waits until the program has written `times` lines that begin with the words `start`, and returns the last of
    /// these lines.
    @discardableResult
    func wait(for start: String, times: Int = 1, within timeout: Duration = .seconds(15)) throws -> String {
        let line = Deadline.poll(for: timeout) { () -> String? in
            let matches = lines.filter { $0 == start || $0.hasPrefix(start + " ") }
            return matches.count >= times ? matches[times - 1] : nil
        }
        guard let line else {
            throw TestFailure(
                """
                the probe did not write '\(start)' \(times) times, but \(lines). \
                Errors: \(child.errors.text.suffix(1000))
                """)
        }
        return line
    }

    /// The words with which the probe program reports delegate calls.
    private static let delegateCallNames: Set = ["willStart", "didStart", "failed", "restore", "willStop", "didStop"]

    /// Returns the delegate calls that the scenes have reported so far, oldest first: as `willStart` if `scenes`
    /// contains one scene, as `a willStart` if it contains several.
    func delegateCalls(of scenes: String...) -> [String] {
        lines.compactMap { line in
            let words = line.split(separator: " ")
            guard words.count > 1, scenes.contains(String(words[0])),
                Self.delegateCallNames.contains(String(words[1]))
            else { return nil }
            return scenes.count == 1 ? String(words[1]) : "\(words[0]) \(words[1])"
        }
    }

    /// Returns `prefixes`, which are beginnings of output lines, in the order in which the program first wrote such
    /// lines.
    func outputOrder(of prefixes: String...) -> [String] {
        let positions = prefixes.compactMap { prefix in lines.firstIndex { $0.hasPrefix(prefix) }.map { ($0, prefix) } }
        return positions.sorted { $0.0 < $1.0 }.map(\.1)
    }

    /// Requests the current state of a scene and returns the output line with the reply.
    func state(of scene: String) throws -> String {
        let earlierCount = outputLines(of: scene, "state").count
        try send("state \(scene)")
        return try wait(for: "\(scene) state", times: earlierCount + 1)
    }

    /// Opens a test clip in a new scene, whose window has the name of the scene as title, and waits until
    /// Picture-in-Picture is possible.
    func openFilm(_ scene: String, _ clip: String, geometry: String = "320x180+50+60") throws {
        try send("film \(scene) \(Fixtures.path(clip)) \(geometry)")
        try wait(for: "\(scene) is possible true")
    }

    /// Starts Picture-in-Picture for a scene and waits for `didStart`.
    func startPictureInPicture(_ scene: String) throws {
        let earlierCount = outputLines(of: scene, "didStart").count
        try send("start \(scene)")
        try wait(for: "\(scene) didStart", times: earlierCount + 1)
    }

    /// Waits until a compositor runs in the runtime directory ``directory``, and returns its process identifier.
    func compositorPID() throws -> Int32 {
        guard
            let pid = Deadline.poll(
                for: .seconds(10), { directory.processes(named: "swiftplay-compositor").first?.pid })
        else {
            throw TestFailure("no compositor is running: \(child.errors.text)")
        }
        return pid
    }

    /// Ends the probe program and checks that it exits with status 0.
    func quit() throws {
        try send("quit")
        let status = try child.waitForExit()
        guard status.isSuccess else { throw TestFailure("the probe ended with \(status): \(child.errors.text)") }
    }
}

extension ScreenWatcher {
    /// Waits until exactly one Picture-in-Picture window exists, and returns this window.
    ///
    /// During an animation a second Picture-in-Picture window exists.
    func waitForFloatingWindow() throws -> Window {
        let window = Deadline.poll(for: .seconds(10)) { () -> Window? in
            let windows = connection.windows().filter { $0.instanceName == "swiftplay-pip" }
            return windows.count == 1 && windows[0].isViewable ? windows[0] : nil
        }
        guard let window else { throw TestFailure("there is not exactly one floating window") }
        return window
    }
}
