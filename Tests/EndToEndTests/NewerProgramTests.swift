import CompositorProtocol
import TestSupport
import Testing

/// A program that speaks a newer protocol than the compositor.
@Suite("A newer program")
struct NewerProgramTests {
    private let unknown = ServerMessage.unsupported(message: 200, reason: "an unknown message")

    /// A player that has had the compositor started.
    private func startPlayer() throws -> RunningPlayer {
        let player = try RunningPlayer("count30.mp4")
        try player.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
        return player
    }

    @Test(
        "a message that the compositor does not know is answered, and the program is served on",
        arguments: [true, false])
    func answered(isNewerProtocol: Bool) async throws {
        try await Desk.alone {
            let player = try startPlayer(), client = try HostileClient(directory: player.directory)
            let current = isNewerProtocol ? UInt16.max : ProtocolVersion.current
            client.send(.hello(current: current, oldest: ProtocolVersion.oldest, program: "newer"))
            try client.wait(for: .interfaces(.own))
            if !isNewerProtocol { client.send(.interfaces(InterfaceVersions([1: .max, 77: 1]))) }
            client.send(bytes: [200, 1, 2, 3])
            try client.wait(for: unknown)
            client.send(.system(.listSessions, isKept: false))
            try client.wait(for: .systemDone)
            try player.quit()
        }
    }

    @Test func aProgramOfTheSameVersionIsCutOff() async throws {
        try await Desk.alone {
            let player = try startPlayer(), client = try HostileClient(directory: player.directory)
            client.hello()
            client.send(.interfaces(.own))
            client.send(bytes: [200, 1, 2, 3])
            #expect(client.isCutOff())
            try player.quit()
        }
    }
}
