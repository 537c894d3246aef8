import Foundation
import Glibc
import TestSupport
import Testing

/// An X server or a compositor that is there and does nothing (SIGSTOP).
@Suite("A stopped server")
struct StoppedServerTests {
    /// A player in a window on a display of its own, whose server then stops while the film plays.
    private func playOnStoppedDisplay() throws -> (player: RunningPlayer, desktop: PrivateDesktop) {
        let desktop = try PrivateDesktop(hasWindowManager: false)
        let player = try RunningPlayer("count30.mp4", options: ["--loop-file"], environment: desktop.environment)
        try player.ipc.waitForProperty("vo-frame-id") { ($0.number ?? 0) > 10 }
        kill(desktop.serverPID, SIGSTOP)
        return (player, desktop)
    }

    @Test("a stopped X server: the remote control answers all clients")
    func remoteControl() async throws {
        try await Desk.alone {
            let (player, desktop) = try playOnStoppedDisplay()
            defer { kill(desktop.serverPID, SIGCONT) }
            // Until the player waits for the server.
            var last = JSONValue.null, same = 0
            _ = try Deadline.poll(for: .seconds(10), every: .milliseconds(20)) { () throws -> Bool? in
                let now = try player.ipc.property("vo-frame-id")
                same = now == last ? same + 1 : 0
                last = now
                return same >= 20 ? true : nil
            }
            let other = try IPCClient(path: player.socketPath)
            for name in ["frame-drop-count", "avsync", "time-pos", "pause", "seeking", "picture-in-picture-possible"] {
                #expect(try player.ipc.exchange(["get_property", .string(name)])["error"] == "success", "\(name)")
                #expect(try other.exchange(["get_property", .string(name)])["error"] == "success", "\(name)")
            }
        }
    }

    @Test("a stopped X server does not keep the player from ending", arguments: ["quit", "SIGTERM", "seek and quit"])
    func end(by way: String) async throws {
        try await Desk.alone {
            let (player, desktop) = try playOnStoppedDisplay()
            defer { kill(desktop.serverPID, SIGCONT) }
            // Something that has the window drawn anew.
            if way == "seek and quit" { try player.ipc.command(["seek", 10, "absolute"]) }
            if way == "SIGTERM" { player.child.signal(SIGTERM) } else { try player.ipc.command(["quit"]) }
            // The server is continued only after the player has exited.
            let status = try player.child.waitForExit(within: .seconds(20))
            #expect(status.reason == .exited(way == "SIGTERM" ? 4 : 0), "\(status)")
        }
    }

    @Test("Picture-in-Picture that is not possible is refused by the remote control")
    func impossible() async throws {
        try await Desk.alone {
            let player = try RunningPlayer(
                "count30.mp4", options: ["--vo=null", "--ao=null", "--loop-file"])
            try player.ipc.waitForProperty("vo-frame-id") { ($0.number ?? 0) > 0 }
            #expect(try player.ipc.exchange(["set_property", "picture-in-picture", true])["error"] == "property unavailable")
            #expect(try player.ipc.exchange(["cycle", "picture-in-picture"])["error"] != "success")
            #expect(try player.ipc.exchange(["set_property", "picture-in-picture", false])["error"] == "success")
            try player.quit()
        }
    }

    @Test("a stopped compositor is said in the log, of the player in the floating window and of a new one")
    func compositor() async throws {
        try await Desk.alone {
            let directory = try RuntimeDirectory()
            let player = try RunningPlayer("count30.mp4", options: ["--loop-file"], directory: directory)
            try player.enterPictureInPicture()
            let compositor = try player.compositor()
            kill(compositor, SIGSTOP)
            defer { kill(compositor, SIGCONT) }
            #expect(player.child.errors.wait(for: "swiftplay-compositor takes no frames"), "\(player.child.errors.text)")
            let other = try RunningPlayer("count30.mp4", options: ["--loop-file"], directory: directory)
            #expect(other.child.errors.wait(for: "swiftplay-compositor does not answer"), "\(other.child.errors.text)")
            kill(compositor, SIGCONT)
            try other.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
            try other.quit()
            try player.quit()
        }
    }
}
