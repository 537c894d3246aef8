import Foundation
import Glibc
import TestSupport
import Testing

extension TerminalPictureInPictureTests {
    /// A player on a terminal that has drawn some pictures. It dies with this object.
    ///
    /// It plays slowly: the terminal is of this process, and beneath a sanitizer it needs more than a second for 30
    /// whole pictures.
    final class Playing {
        let directory: RuntimeDirectory
        let eyes: TerminalWatcher
        let pty: PTY
        let ipc: IPCClient

        init(
            size: PseudoTerminal.Size = .init(), options: [String] = [], speed: Double = 0.4,
            answers: TerminalAnswers = .plain
        ) throws {
            directory = try RuntimeDirectory()
            let socket = directory.path + "/ipc"
            eyes = TerminalWatcher(size)
            pty = try PTY(
                Products.swiftplay,
                ["--input-ipc-server=\(socket)", "--speed=\(speed)"] + options + [Fixtures.path("count30.mp4")],
                size: size,
                environment: ["DISPLAY": nil, "SWIFT_BACKTRACE": "enable=no"], runtimeDirectory: directory,
                answers: answers, watcher: eyes)
            ipc = try IPCClient(path: socket)
            try ipc.waitForProperty("vo-frame-id") { ($0.number ?? 0) > 5 }
            try ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
        }

        var compositor: Int32? { directory.processes(named: "swiftplay-compositor").first?.pid }

        /// Open terminals of a process.
        func terminals(of pid: Int32) -> Int {
            let folder = "/proc/\(pid)/fd"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.filter {
                ((try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + $0)) ?? "").hasPrefix(
                    "/dev/pts/")
            }.count
        }

        /// Changes the size and waits until the corner is where it belongs. A paused picture is drawn once.
        func resize(to size: PseudoTerminal.Size, whilePaused isPaused: Bool = false) throws {
            eyes.resize(to: size)
            try pty.terminal.resize(to: size)
            let right = size.columns - 2, bottom = size.rows - 2
            guard
                Deadline.poll(
                    for: .seconds(10),
                    { () -> Bool? in
                        guard let area = eyes.now.guestArea else { return nil }
                        if area.x + area.width <= right, area.y + area.height == bottom, area.x > size.columns / 2 {
                            return true
                        }
                        // From before.
                        if !isPaused { eyes.forgetWriters() }
                        return nil
                    }) == true
            else { throw RigError("the corner is at \(String(describing: eyes.now.guestArea)) in \(size)") }
        }

        /// Nothing is drawn on the user's own screen.
        func expectSilenceAfterRestore() {
            let words = pty.output.text
            guard let end = words.range(of: "\u{1B}[?1049l", options: .backwards)?.upperBound else {
                Issue.record("the terminal is not given back")
                return
            }
            let isSilent = !words[end...].contains("\u{1B}7")
            #expect(isSilent)
        }
    }
}
