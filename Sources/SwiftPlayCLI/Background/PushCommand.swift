import ArgumentParser
import BackgroundProtocol
import Glibc
import SystemCalls

/// The command `swiftplay push`, which sends notifications to programs of the same user.
struct PushCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "swiftplay push",
        abstract: "Sends a notification to a program of this user, or chooses the push server.",
        discussion: """
            send --to PROGRAM PAYLOAD sends a notification. server [ADDRESS] shows or sets the ntfy server that passes \
            notifications of servers on if no distributor of UnifiedPush is there; "none" removes it.

            PAYLOAD is a JSON object of at most 4096 bytes, or - for standard input. With \
            "aps": {"content-available": 1} the notification is stored first, and then delivered to the running \
            program, or the program is started for it: three times at once, and then every 20 minutes. With an alert, \
            such as "aps": {"alert": "New episode"}, the desktop shows its text. A payload needs at least one of them; \
            an alert alone does not wake the program.

            Exit codes: 0 done; 1 the background service cannot be used, or has refused the notification or the \
            address of the server; 64 invalid arguments.
            """)

    /// What the command does.
    enum Action: String, ExpressibleByArgument, CaseIterable {
        case send
        case server
    }

    /// When a notification wakes its program.
    enum Priority: String, ExpressibleByArgument, CaseIterable {
        case low
        case high
    }

    @Argument(help: ArgumentHelp("send or server.", valueName: "action"))
    var action: Action

    @Option(
        name: .customLong("to"),
        help: ArgumentHelp("The name of the program: see swiftplay background.", valueName: "program"))
    var program = ""

    @Option(help: ArgumentHelp("A newer notification with the same key replaces one that waits.", valueName: "key"))
    var collapse = ""

    @Option(
        help: ArgumentHelp(
            "high wakes the program as soon as possible; low waits up to 20 minutes for another reason to wake it.",
            valueName: "priority"))
    var priority = Priority.high

    @Option(
        name: .customLong("id"),
        help: ArgumentHelp(
            "An identifier: a second notification with it is ignored. (default: random)", valueName: "identifier"))
    var identifier: String?

    @Argument(
        help: ArgumentHelp(
            "The JSON text, or - for standard input; the address of the server, or none.", valueName: "payload"))
    var payload: String?

    func validate() throws {
        guard action == .send else { return }
        guard payload != nil else { throw ValidationError("Name the payload.") }
        guard !program.isEmpty else { throw ValidationError("push send requires --to PROGRAM.") }
        let limit = PushMessage.keyBytes
        for (name, value) in [("--collapse", collapse), ("--id", identifier ?? "")] where value.utf8.count > limit {
            throw ValidationError("\(name) has more than \(limit) bytes.")
        }
        guard program.utf8.count <= ClientLimits.nameBytes else {
            throw ValidationError("--to requires a name of at most \(ClientLimits.nameBytes) bytes.")
        }
    }

    /// Returns the notification that the arguments describe.
    func message(input: () throws -> [UInt8]) rethrows -> PushMessage {
        var message = PushMessage(
            program: program, identifier: identifier ?? String(UInt64.random(in: 0 ... .max), radix: 16),
            payload: payload == "-" ? try input() : Array((payload ?? "").utf8))
        (message.collapseKey, message.isUrgent) = (collapse, priority == .high)
        return message
    }

    func run() throws {
        do {
            if action == .server { return try chooseServer() }
            let message = try message { try readStandardInput() }
            guard message.payload.count <= PushMessage.payloadBytes else {
                throw BackgroundMessage("the payload has more than 4096 bytes")
            }
            let answer = try ProgramClient().perform(.push(message))
            guard case .received(_, let receipt) = answer else { throw BackgroundMessage("an unexpected answer") }
            switch receipt {
            case .delivered: print("delivered to \(program)")
            case .waiting: print("stored: \(program) receives it later")
            case .duplicate: print("ignored: \(program) has received this identifier before")
            }
        } catch {
            reportTransferError("\(error)")
            throw ExitCode(1)
        }
    }

    /// Shows or sets the push server.
    private func chooseServer() throws {
        let answer = try ProgramClient().perform(.setPushServer(payload == "none" ? "" : payload))
        guard case .pushServer(_, let address) = answer else { throw BackgroundMessage("an unexpected answer") }
        print(address.isEmpty ? "none" : address)
    }

    /// Reads standard input, up to one byte more than a payload may have.
    private func readStandardInput() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count <= PushMessage.payloadBytes {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = try systemCall("read") { read(STDIN_FILENO, &buffer, buffer.count) }
            if count == 0 { break }
            bytes += buffer.prefix(count)
        }
        return bytes
    }
}

/// A message for the user about a command that has failed.
private struct BackgroundMessage: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
