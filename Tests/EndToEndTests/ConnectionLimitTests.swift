import AudioPolicy
import CompositorProtocol
import SystemCalls
import TestSupport
import Testing
import WireFormat

/// Who is served by the compositor, and what becomes of a program that is not.
@Suite("Connections to the compositor")
struct ConnectionLimitTests {
    @Test("one process with 128 silent connections: others are served at once, and the silent ones are ended")
    func silence() async throws {
        try await Desk.alone {
            let player = try RunningPlayer("count30.mp4")
            try player.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
            let clients = try (0..<128).map { _ in try HostileClient(directory: player.directory) }
            #expect(try player.directory.system(["sessions"]).contains("swiftplay"))
            let second = try RunningPlayer("count30.mp4", directory: player.directory)
            try second.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
            for client in clients { #expect(client.isCutOff(within: .seconds(10))) }
            let last = try HostileClient(directory: player.directory)
            last.hello()
            try last.wait(for: .welcome(version: ProtocolVersion.current))
            try second.quit()
            try player.quit()
        }
    }

    @Test("a process with too many connections is told so")
    func refusal() async throws {
        try await Desk.alone {
            let player = try RunningPlayer("count30.mp4")
            try player.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
            let clients = try (0..<8).map { _ in try HostileClient(directory: player.directory) }
            for client in clients {
                client.hello()
                try client.wait(for: .welcome(version: ProtocolVersion.current))
            }
            let last = try HostileClient(directory: player.directory)
            last.hello()
            try last.wait(for: .refused(reason: "the program has too many connections"))
            #expect(last.isCutOff())
            withExtendedLifetime(clients) {}
            try player.quit()
        }
    }

    @Test("a program that is refused may not be heard; it may when it is served")
    func refusedSound() async throws {
        try await Desk.alone {
            let directory = try RuntimeDirectory(), compositor = try FakeCompositor(directory: directory)
            compositor.refusal = "too many programs are connected"
            let actor = try RunningActor(.music, in: directory)
            try actor.tell("activate", "play")
            try compositor.wait(refusals: 1)
            try actor.wait(for: "failed activate")
            // The link asks again by itself, however often it is refused.
            try compositor.wait(refusals: 6)
            #expect(
                !actor.lines.contains { $0.text == "ok activate" || $0.text == "player playing" },
                "\(actor.lines.map(\.text))")
            compositor.refusal = nil
            try compositor.wait { if case .audio(_, .open) = $0 { true } else { false } }
            try actor.tell("activate")
            try compositor.wait { if case .audio(_, .activate) = $0 { true } else { false } }
            try compositor.say(.audio(session: 1, sequence: 1, .done(nil)))
            try compositor.say(.audio(session: 1, sequence: 2, .activated(quietAt: 0, duckedAt: 0)))
            try actor.wait(for: "ok activate")
        }
    }
}
