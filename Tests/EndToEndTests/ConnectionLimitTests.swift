import AudioPolicy
import CompositorProtocol
import SystemCalls
import TestSupport
import Testing
import WireFormat

/// Tests the compositor's limits for the number of connections, and programs that the compositor refuses.
@Suite("Connections to the compositor")
struct ConnectionLimitTests {
    @Test("while one process has 128 silent connections, other programs are served; the silent ones are closed")
    func silentConnectionsAreClosedWhileOtherProgramsAreServed() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("count30.mp4")
            try player.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
            let clients = try (0..<128).map { _ in try HostileClient(directory: player.directory) }
            #expect(try player.directory.runSystemCommand(["sessions"]).contains("swiftplay"))
            let secondPlayer = try RunningPlayer("count30.mp4", directory: player.directory)
            try secondPlayer.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
            for client in clients { #expect(client.isDisconnected(within: .seconds(10))) }
            let client = try HostileClient(directory: player.directory)
            client.sendHello()
            try client.wait(for: .welcome(version: ProtocolVersion.newest))
            try secondPlayer.quit()
            try player.quit()
        }
    }

    @Test("a connection beyond the limit per process is refused with a reason, and closed")
    func connectionBeyondTheLimitOfAProcessIsRefused() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("count30.mp4")
            try player.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
            let clients = try (0..<8).map { _ in try HostileClient(directory: player.directory) }
            for client in clients {
                client.sendHello()
                try client.wait(for: .welcome(version: ProtocolVersion.newest))
            }
            let refusedClient = try HostileClient(directory: player.directory)
            refusedClient.sendHello()
            try refusedClient.wait(for: .refused(reason: "the program has too many connections"))
            #expect(refusedClient.isDisconnected())
            withExtendedLifetime(clients) {}
            try player.quit()
        }
    }

    @Test("a program that the compositor refuses cannot activate its audio session until it is accepted")
    func refusedProgramCannotActivateItsAudioSession() async throws {
        try await TestEnvironment.runExclusively {
            let directory = try RuntimeDirectory(), compositor = try FakeCompositor(directory: directory)
            compositor.refusalReason = "too many programs are connected"
            let probe = try RunningAudioProbe(.music, in: directory)
            try probe.send("activate", "play")
            try compositor.waitForRefusedConnections(count: 1)
            try probe.wait(for: "failed activate")
            // The library connects to the compositor again by itself after each refusal.
            try compositor.waitForRefusedConnections(count: 6)
            #expect(
                !probe.lines.contains { $0.text == "ok activate" || $0.text == "player playing" },
                "\(probe.lines.map(\.text))")
            compositor.refusalReason = nil
            try compositor.wait { if case .audio(_, .open) = $0 { true } else { false } }
            try probe.send("activate")
            try compositor.wait { if case .audio(_, .activate) = $0 { true } else { false } }
            try compositor.send(.audio(session: 1, sequence: 1, .done(nil)))
            try compositor.send(.audio(session: 1, sequence: 2, .activated(othersSilentAt: 0, othersDuckedAt: 0)))
            try probe.wait(for: "ok activate")
        }
    }
}
