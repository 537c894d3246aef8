import BackgroundProtocol
import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing
import WireFormat

/// Commands of the user about transfers, with the real processes. One test answers in place of the service, because the
/// moment between two messages cannot be met otherwise.
@Suite struct TransfersCommandTests {
    private let fixture: BackgroundFixture

    init() throws { fixture = try BackgroundFixture() }

    @Test("a command that watches ends with the transfers, although the service was killed meanwhile")
    func watchingGoesOnAfterACrash() throws {
        let server = try ContentServer(pausesAt: 100_000)
        _ = try fixture.download([server.address()], ["--no-wait"]).waitForExit()
        try fixture.waitForStoredPart(bytes: 100_000)
        let command = try fixture.swiftplay("transfers", "watch")
        #expect(command.output.wait(for: "film.mkv"))
        // Until it continues, the command receives no report of the next service.
        command.signal(SIGSTOP)
        try fixture.killLedger()
        server.release()
        try fixture.waitForListing("done")
        command.signal(SIGCONT)
        #expect(try command.waitForExit(within: .seconds(20)).isSuccess, "\(command.errors.text)")
        #expect(command.output.text.hasSuffix("film.mkv: done\n"), "\(command.output.text)")
    }

    @Test("a command fails if the record of its download was removed")
    func aLostDownloadIsReported() throws {
        let server = try ContentServer(pausesAt: 100_000)
        let command = try fixture.download([server.address()])
        try fixture.waitForStoredPart(bytes: 100_000)
        command.signal(SIGSTOP)
        try fixture.kill("swiftplay-backgroundd")
        try FileManager.default.removeItem(atPath: fixture.runtime.path + "/state")
        command.signal(SIGCONT)
        #expect(try command.waitForExit(within: .seconds(20)).reason == .exited(3))
        #expect(command.errors.text.contains("no longer knows some downloads"), "\(command.errors.text)")
    }

    @Test("the cancellation of all transfers does not fail with one that has just ended")
    func aTransferThatHasJustEndedIsNoFailure() throws {
        let folder = fixture.runtime.path + "/swiftplay"
        #expect(mkdir(folder, 0o700) == 0)
        // The test is a service whose transfer ends between the list and the cancellation.
        let listener = try LocalSocket.listen(path: folder + "/background.sock")
        let command = try fixture.swiftplay("transfers", "cancel", "all")
        let isConnected = try Poll.waitReadable(listener.raw, until: Deadline.after(.seconds(10)))
        let socket = try #require(try LocalSocket.accept(listener, messageLimit: ClientLimits.messageBytes))
        var commands: [ClientCommand] = []
        while try Poll.waitReadable(socket.raw, until: Deadline.after(.seconds(10))),
            case .message(let message) = socket.receive()
        {
            let request = try ClientRequest(decoding: message.bytes)
            commands.append(request.command)
            switch request.command {
            case .hello(let version, _, _):
                try socket.send(ClientEvent.welcome(command: request.number, version: version).encoded)
                continue
            case .list: try socket.send(ClientEvent.task(transfer).encoded)
            case .cancel:
                let refusal = ClientEvent.Refusal(.unknown, "there is no transfer 1, or it has ended")
                try socket.send(ClientEvent.refused(command: request.number, refusal).encoded)
                continue
            default: break
            }
            try socket.send(ClientEvent.done(command: request.number).encoded)
        }
        #expect(isConnected && commands.contains(.cancel(task: 1)))
        #expect(try command.waitForExit(within: .seconds(10)).isSuccess, "\(command.errors.text)")
    }

    /// A transfer that runs.
    private var transfer: TaskSnapshot {
        TaskSnapshot(
            id: 1, session: 1, number: 1, program: "swiftplay", identifier: "download",
            address: "https://example.org/film.mkv", description: "",
            activity: TaskSnapshot.Activity(.running, "running"),
            file: TaskSnapshot.File(directory: "/nowhere", name: "film.mkv", isKept: true), bytes: TaskSnapshot.Bytes())
    }
}
