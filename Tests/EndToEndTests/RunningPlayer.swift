import Foundation
import Glibc
import SystemCalls
import TestSupport

/// `swiftplay` at the desk, with a runtime directory, so a compositor, and an IPC socket of its own. It dies with this
/// object.
final class RunningPlayer {
    let directory: RuntimeDirectory
    let child: ChildProcess
    let socketPath: String
    private var client: IPCClient?

    /// Starts it on files that exist.
    ///
    /// - Parameters:
    ///   - clips: names of fixtures, or whole paths and addresses.
    ///   - directory: one that is shared with other players; nil: its own.
    convenience init(
        _ clips: String..., options: [String] = [], directory: RuntimeDirectory? = nil,
        environment: [String: String?] = [:]
    ) throws {
        try self.init(
            files: clips.map { $0.contains("/") ? $0 : try Fixtures.path($0) }, options, directory, environment)
    }

    init(files: [String], _ options: [String], _ directory: RuntimeDirectory?, _ environment: [String: String?]) throws
    {
        let directory = try directory ?? RuntimeDirectory()
        self.directory = directory
        // Over a floating window it would bring up the controls, which lie over the frame's number.
        try Pointer.moveAway()
        socketPath = directory.path + "/ipc-\(UUID().uuidString.prefix(8))"
        child = try ChildProcess(
            Products.swiftplay, ["--input-ipc-server=\(socketPath)"] + options + ["--"] + files,
            environment: environment,
            runtimeDirectory: directory)
    }

    /// The remote control, connected when first used.
    var ipc: IPCClient {
        get throws {
            if let client { return client }
            let made = try IPCClient(path: socketPath)
            client = made
            return made
        }
    }

    /// The one compositor of the player's directory.
    func compositor() throws -> Int32 {
        guard
            let found = Deadline.poll(
                for: .seconds(10), { directory.processes(named: "swiftplay-compositor").first?.pid })
        else {
            throw RigError("no compositor runs; the player says: \(child.errors.text)")
        }
        return found
    }

    /// Goes into Picture-in-Picture when it can and waits until the player says that it is there.
    func enterPictureInPicture() throws {
        try ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
        try ipc.setProperty("picture-in-picture", true)
        try ipc.waitForProperty("picture-in-picture") { $0 == true }
    }

    /// Leaves it, the window to be restored.
    func leavePictureInPicture() throws {
        try ipc.setProperty("picture-in-picture", false)
        try ipc.waitForProperty("picture-in-picture") { $0 == false }
    }

    /// Pauses and waits until nothing moves; returns the frame that stands on the screen.
    func pause(in window: WindowQuery = .player, _ watcher: ScreenWatcher) throws -> Int {
        try ipc.setProperty("pause", true)
        var last: Int?, same = 0
        return try watcher.waitForFrame(in: window) { frame in
            same = frame == last ? same + 1 : 0
            last = frame
            return same >= 40
        }
    }

    /// Quits by remote control and waits for the end.
    @discardableResult
    func quit() throws -> ExitStatus {
        try ipc.command(["quit"])
        return try child.waitForExit()
    }
}

extension ScreenWatcher {
    /// Waits until the player's window is there and something else than the picture stands in it.
    func waitForPlaceholder(within patience: Duration = .seconds(10)) throws {
        let seen = Deadline.poll(for: patience) { windowExists(.player) && frame(in: .player) == nil ? true : nil }
        if seen == nil {
            throw RigError("the player's window shows frame \(frame(in: .player) ?? -1) and no placeholder")
        }
    }
}
