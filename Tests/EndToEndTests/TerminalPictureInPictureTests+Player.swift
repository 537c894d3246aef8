import Foundation
import Glibc
import TestSupport
import Testing

extension TerminalPictureInPictureTests {
    /// A player in a pseudo-terminal. The process is killed when this object is deinitialised.
    ///
    /// The player plays at a low speed, because the test process simulates the terminal and needs more than a second
    /// for 30 full pictures when it runs with a sanitizer.
    final class TerminalPlayer {
        let directory: RuntimeDirectory
        /// The model of the terminal screen.
        let screen: TerminalWatcher
        let pty: TerminalProcess
        let ipc: IPCClient

        init(
            size: PseudoTerminal.Size = .init(), options: [String] = [], speed: Double = 0.4,
            replies: TerminalReplies = .plain
        ) throws {
            directory = try RuntimeDirectory()
            let socket = directory.path + "/ipc"
            screen = TerminalWatcher(size)
            pty = try TerminalProcess(
                Products.swiftplayPath,
                ["--input-ipc-server=\(socket)", "--speed=\(speed)"] + options + [Fixtures.path("count30.mp4")],
                size: size,
                environment: ["DISPLAY": nil, "SWIFT_BACKTRACE": "enable=no"], runtimeDirectory: directory,
                replies: replies, watcher: screen)
            ipc = try IPCClient(path: socket)
            try ipc.waitForProperty("vo-frame-id") { ($0.number ?? 0) > 5 }
            try ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
        }

        /// The process identifier of the compositor; nil if no compositor runs.
        var compositorPID: Int32? { directory.processes(named: "swiftplay-compositor").first?.pid }

        /// Returns the number of file descriptors with which a process has terminals open.
        func openTerminalCount(of pid: Int32) -> Int {
            let folder = "/proc/\(pid)/fd"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.filter {
                ((try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + $0)) ?? "").hasPrefix(
                    "/dev/pts/")
            }.count
        }

        /// Changes the size of the terminal and waits until the compositor has drawn a whole picture in the lower right
        /// corner of the new size. The compositor may draw one more picture for the old size before.
        func resize(to size: PseudoTerminal.Size) throws {
            screen.resize(to: size)
            try pty.terminal.resize(to: size)
            let right = size.columns - 2, bottom = size.rows - 1
            let area = try screen.wait("a picture in the corner of \(size)") { model in
                model.pictureAreas.first {
                    $0.x + $0.width <= right && $0.y + $0.height == bottom && $0.x > size.columns / 2
                }
            }
            screen.forgetWriters(outside: area)
        }

        /// Checks that no picture is drawn after the player has restored the normal screen of the terminal.
        func expectNoPictureAfterRestore() {
            let output = pty.output.text
            guard let restoreEnd = output.range(of: "\u{1B}[?1049l", options: .backwards)?.upperBound else {
                Issue.record("the normal screen is not restored")
                return
            }
            let hasNoPicture = !output[restoreEnd...].contains("\u{1B}7")
            #expect(hasNoPicture)
        }
    }
}
