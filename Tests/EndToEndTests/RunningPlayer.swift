import Foundation
import Glibc
import SystemCalls
import TestSupport

/// A running `swiftplay` process with an IPC socket. A private `XDG_RUNTIME_DIR` gives the process a compositor of its
/// own.
///
/// The process is killed when this object is deinitialised.
final class RunningPlayer {
    /// The `XDG_RUNTIME_DIR` of the player and of its compositor.
    let directory: RuntimeDirectory
    let child: ChildProcess
    let socketPath: String
    private var ipcClient: IPCClient?

    /// Starts the player.
    ///
    /// - Parameters:
    ///   - clips: the names of test clips, or file paths and network addresses, which contain a slash.
    ///   - directory: the runtime directory, to share a compositor with other players; nil creates a new directory.
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
        // A pointer over the floating window shows its controls, which cover the frame number.
        try Pointer.moveAway()
        socketPath = directory.path + "/ipc-\(UUID().uuidString.prefix(8))"
        child = try ChildProcess(
            Products.swiftplayPath, ["--input-ipc-server=\(socketPath)"] + options + ["--"] + files,
            environment: environment,
            runtimeDirectory: directory)
    }

    /// The IPC client, which connects to the player when this property is first used.
    var ipc: IPCClient {
        get throws {
            if let ipcClient { return ipcClient }
            let client = try IPCClient(path: socketPath)
            ipcClient = client
            return client
        }
    }

    /// Waits until a compositor runs in the player's runtime directory, and returns its process identifier.
    func compositorPID() throws -> Int32 {
        guard
            let pid = Deadline.poll(
                for: .seconds(10), { directory.processes(named: "swiftplay-compositor").first?.pid })
        else {
            throw TestFailure("no compositor is running; the player wrote: \(child.errors.text)")
        }
        return pid
    }

    /// Starts Picture-in-Picture as soon as it is possible, and waits until the player reports that Picture-in-Picture
    /// is active.
    func enterPictureInPicture() throws {
        try ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
        try ipc.setProperty("picture-in-picture", true)
        try ipc.waitForProperty("picture-in-picture") { $0 == true }
    }

    /// Ends Picture-in-Picture, so that the picture returns to the player's window, and waits until the player reports
    /// the end.
    func leavePictureInPicture() throws {
        try ipc.setProperty("picture-in-picture", false)
        try ipc.waitForProperty("picture-in-picture") { $0 == false }
    }

    /// Pauses playback and waits until the picture in `window` no longer changes.
    ///
    /// - Returns: the number of the frame that `window` then shows.
    func pauseAtFrame(in window: WindowQuery = .player, _ watcher: ScreenWatcher) throws -> Int {
        try ipc.setProperty("pause", true)
        // The picture may change once more after the pause.
        var shownFrame = SteadyValue<Int>()
        return try watcher.waitForFrame(in: window) { shownFrame.isSteady($0) }
    }

    /// Sends the IPC command `quit` and waits until the player has exited.
    @discardableResult
    func quit() throws -> ExitStatus {
        try ipc.command(["quit"])
        return try child.waitForExit()
    }
}

extension ScreenWatcher {
    /// Waits until the player's window exists and shows no frame: during Picture-in-Picture it shows a placeholder.
    func waitForPlaceholder(within timeout: Duration = .seconds(10)) throws {
        let isShown = Deadline.poll(for: timeout) {
            windowExists(.player) && frameNumber(in: .player) == nil ? true : nil
        }
        if isShown == nil {
            throw TestFailure("the player's window shows frame \(frameNumber(in: .player) ?? -1) and no placeholder")
        }
    }
}
