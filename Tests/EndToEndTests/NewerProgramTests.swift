import CompositorProtocol
import TestSupport
import Testing

/// Tests programs that use a newer version of the protocol than the compositor.
@Suite("Newer program")
struct NewerProgramTests {
    /// The reply of the compositor to a message with the unknown kind 200.
    private let unknownMessageReply = ServerMessage.unsupported(message: 200, reason: "an unknown message")

    /// Starts a player and waits until the player has started a compositor.
    private func startPlayer() throws -> RunningPlayer {
        let player = try RunningPlayer("count30.mp4")
        try player.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
        return player
    }

    @Test(
        "the compositor replies to an unknown message of a newer program, and continues to serve it",
        arguments: [true, false])
    func unknownMessageOfNewerProgramIsReportedAsUnsupported(isNewerProtocol: Bool) async throws {
        try await TestEnvironment.runExclusively {
            let player = try startPlayer(), client = try HostileClient(directory: player.directory)
            let currentVersion = isNewerProtocol ? UInt16.max : ProtocolVersion.newest
            client.send(.hello(newest: currentVersion, oldest: ProtocolVersion.oldest, program: "newer"))
            try client.wait(for: .interfaces(.supported))
            if !isNewerProtocol { client.send(.interfaces(InterfaceVersions([1: .max, 77: 1]))) }
            client.send(bytes: [200, 1, 2, 3])
            try client.wait(for: unknownMessageReply)
            client.send(.system(.listSessions, isPersistent: false))
            try client.wait(for: .systemDone)
            try player.quit()
        }
    }

    @Test func unknownMessageOfSameVersionClosesTheConnection() async throws {
        try await TestEnvironment.runExclusively {
            let player = try startPlayer(), client = try HostileClient(directory: player.directory)
            client.sendHello()
            client.send(.interfaces(.supported))
            client.send(bytes: [200, 1, 2, 3])
            #expect(client.isDisconnected())
            try player.quit()
        }
    }
}
