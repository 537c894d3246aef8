import BackgroundProtocol
import Glibc
import SystemCalls
import TestSupport
import WireFormat

@testable import SwiftPlayBackground

/// A listener in the place of the service, which answers as a test decides. The links of this process connect to it
/// until ``stop()`` is called.
final class ServiceStandIn: @unchecked Sendable {
    // `@unchecked Sendable`: nothing is changed after the initialisation.
    private let directory: TemporaryDirectory
    private let formerDirectory: String?
    private let listener: FileDescriptor

    init() throws {
        directory = try TemporaryDirectory()
        formerDirectory = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) }
        setenv("XDG_RUNTIME_DIR", directory.path, 1)
        listener = try LocalSocket.listen(path: BackgroundAddress.socketPath())
    }

    /// Ends a link, and restores the environment. Call this while the link is connected: without a listener, the link
    /// would start the service.
    func stop(_ link: BackgroundLink) {
        link.close()
        if let formerDirectory {
            setenv("XDG_RUNTIME_DIR", formerDirectory, 1)
        } else {
            unsetenv("XDG_RUNTIME_DIR")
        }
    }

    /// Waits for the next connection and its `hello`.
    func accept() throws -> MessageSocket {
        guard try Poll.waitReadable(listener.raw, until: Deadline.after(.seconds(10))),
            let socket = try LocalSocket.accept(listener, messageLimit: ClientLimits.messageBytes)
        else { throw TestFailure("no connection") }
        guard case .hello = try next(socket)?.command else { throw TestFailure("no hello") }
        return socket
    }

    /// Waits for the next command; nil if none arrives in time.
    func next(_ socket: MessageSocket, within timeout: Duration = .seconds(10)) throws -> ClientRequest? {
        guard try Poll.waitReadable(socket.raw, until: Deadline.after(timeout)),
            case .message(let message) = socket.receive()
        else { return nil }
        return try ClientRequest(decoding: message.bytes)
    }

    /// Answers the next commands up to one of them, and returns them.
    func answer(
        on socket: MessageSocket, until last: ClientCommand, with event: (UInt64) -> ClientEvent
    ) throws -> [ClientCommand] {
        var commands: [ClientCommand] = []
        while commands.last != last {
            guard let request = try next(socket) else { throw TestFailure("\(last) is missing: \(commands)") }
            try socket.send(event(request.number).encoded)
            commands.append(request.command)
        }
        return commands
    }
}
