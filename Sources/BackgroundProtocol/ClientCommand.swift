import WireFormat

/// A message from a program to the service, with the number by which its answer refers to it.
package struct ClientRequest: Sendable, Equatable {
    /// The number of the command, which the program chooses.
    package let number: UInt64
    /// The command.
    package let command: ClientCommand

    /// Creates a request.
    package init(_ number: UInt64, _ command: ClientCommand) { (self.number, self.command) = (number, command) }

    /// Returns the encoded message.
    ///
    /// - Throws: `MalformedMessage` if the command exceeds the limits or is invalid.
    package func encoded() throws(MalformedMessage) -> [UInt8] {
        var writer = MessageWriter()
        writer.write(number)
        try command.write(to: &writer)
        // The service ends the connection of a program that sends an invalid command. Its fault also says why a command
        // is too long.
        _ = try ClientRequest(decoding: writer.bytes)
        guard writer.bytes.count <= ClientLimits.messageBytes else {
            throw MalformedMessage("the command is longer than \(ClientLimits.messageBytes) bytes")
        }
        return writer.bytes
    }

    /// Decodes a message.
    ///
    /// - Throws: `MalformedMessage` if the bytes are not a valid message.
    package init(decoding bytes: [UInt8]) throws(MalformedMessage) {
        var reader = MessageReader(bytes)
        number = try reader.read()
        command = try ClientCommand(from: &reader)
        try reader.expectEnd()
    }
}

/// A command of a program. Each is answered by exactly one ``ClientEvent/done(command:)``,
/// ``ClientEvent/attached(command:session:)``, ``ClientEvent/created(command:_:)``,
/// ``ClientEvent/received(command:_:)``, ``ClientEvent/fetched(command:_:milliseconds:)``,
/// ``ClientEvent/pushServer(command:_:)`` or
/// ``ClientEvent/refused(command:_:)``.
package enum ClientCommand: Sendable, Equatable {
    /// The first command: the protocol versions of the program, and its description.
    case hello(newest: UInt16, oldest: UInt16, ProgramDescription)
    /// Attaches the program to the session with an identifier, which is created if necessary. The events of the session
    /// that were not acknowledged follow the answer.
    case attach(identifier: String, SessionConfiguration)
    /// Ends the attachment to a session.
    case detach(session: Int64)
    /// Creates a transfer, which is suspended. The message carries the directory of the finished file, if
    /// ``TaskRequest/hasDirectory`` is true.
    case create(session: Int64, TaskRequest)
    /// Starts or continues a transfer.
    case resume(task: Int64)
    /// Suspends a transfer.
    case suspend(task: Int64)
    /// Cancels a transfer.
    case cancel(task: Int64)
    /// Cancels a download without an event, and keeps its received bytes. Refused if the download cannot continue.
    case setAside(task: Int64)
    /// Takes back a download that was cancelled by ``setAside(task:)``; it is suspended then. Answered like `create`.
    case takeBack(session: Int64, ResumeToken)
    /// Lists the transfers of a session, or of all programs. Answered with one ``ClientEvent/task(_:)`` for each
    /// transfer before the final answer.
    case list(session: Int64?)
    /// Requests ``ClientEvent/task(_:)`` after each change of a transfer of any program, or ends the requests.
    case watch(Bool)
    /// Acknowledges all events of a session up to a sequence number.
    case acknowledge(session: Int64, sequence: Int64)
    /// The program has handled the events for which it was started.
    case eventsHandled(session: Int64)
    /// Requests ``ClientEvent/finishedEvents(session:)`` on a new connection, because the program has received events
    /// of the session and not their end.
    case requestFinishedEvents(session: Int64)
    /// Changes the priority of a transfer, 0 to 1.
    case setPriority(task: Int64, Double)
    /// Supplies the user name and password that a server has requested, or neither to send the request without them.
    case authenticate(task: Int64, user: String, password: String)
    /// Sets the minimum interval between background fetches in seconds: 0 if the service chooses, nil for no fetches.
    case setFetchInterval(Int64?)
    /// The program was opened, or has left the foreground.
    case setPresence(ProgramPresence)
    /// The program has handled ``ClientEvent/fetch(token:)``.
    case completeFetch(token: Int64, WakeResult)
    /// The program has handled ``ClientEvent/notification(id:payload:sender:)``.
    case completeNotification(id: Int64, WakeResult)
    /// Registers the program with the user's distributor of notifications, or ends the registration. The result follows
    /// as ``ClientEvent/registration(_:)``.
    case registerForNotifications(Bool)
    /// Registers the program as ``registerForNotifications(_:)`` does, for encrypted messages only: alerts of messages
    /// that are not encrypted are not shown.
    case registerForEncryptedNotifications
    /// Sets the push server for machines without a distributor; an empty text for none. Answered with
    /// ``ClientEvent/pushServer(command:_:)``; nil only asks for it.
    case setPushServer(String?)
    /// Stores and delivers a notification for any program of the user.
    case push(PushMessage)
    /// Lists the programs that the service wakes. Answered with one ``ClientEvent/program(_:)`` for each program before
    /// the final answer.
    case listPrograms
    /// Changes what the service does with a program. A fetch is answered when it has ended.
    case control(program: String, ProgramAction)

    /// The number of descriptors that the message carries.
    package var descriptorCount: Int {
        if case .create(_, let request) = self, request.hasDirectory { return 1 }
        return 0
    }

    /// Appends the command to a message.
    fileprivate func write(to writer: inout MessageWriter) throws(MalformedMessage) {
        switch self {
        case .hello(let newest, let oldest, let program):
            writer.write(UInt8(1))
            writer.write(newest)
            writer.write(oldest)
            program.write(to: &writer)
        case .attach(let identifier, let configuration):
            writer.write(UInt8(2))
            writer.writeText(identifier)
            configuration.write(to: &writer)
        case .detach(let session): writer.write(3, session)
        case .create(let session, let request):
            // Services of older versions do not know digests, and refuse the second form.
            writer.write(request.digest == nil ? 4 : 27, session)
            request.write(to: &writer)
            request.digest?.write(to: &writer)
        case .resume(let task): writer.write(5, task)
        case .suspend(let task): writer.write(6, task)
        case .cancel(let task): writer.write(7, task)
        case .setAside(let task): writer.write(24, task)
        case .takeBack(let session, let token):
            writer.write(25, session)
            token.write(to: &writer)
        case .list(let session):
            writer.write(UInt8(8))
            writer.writeOptional(session) { $0.write($1) }
        case .watch(let isOn):
            writer.write(UInt8(9))
            writer.write(isOn)
        case .acknowledge(let session, let sequence):
            writer.write(10, session)
            writer.write(sequence)
        case .eventsHandled(let session): writer.write(11, session)
        case .requestFinishedEvents(let session): writer.write(23, session)
        case .setPriority(let task, let priority):
            writer.write(12, task)
            writer.write(priority.bitPattern)
        case .authenticate(let task, let user, let password):
            writer.write(13, task)
            writer.writeText(user)
            writer.writeText(password)
        default: writeWake(to: &writer)
        }
    }

    /// Reads a command.
    fileprivate init(from reader: inout MessageReader) throws(MalformedMessage) {
        switch try reader.read(UInt8.self) {
        case 1:
            self = .hello(
                newest: try reader.read(), oldest: try reader.read(), try ProgramDescription(from: &reader))
        case 2:
            self = .attach(identifier: try reader.readName(), try SessionConfiguration(from: &reader))
        case 3: self = .detach(session: try reader.read())
        case 4: self = .create(session: try reader.read(), try TaskRequest(from: &reader))
        case 5: self = .resume(task: try reader.read())
        case 6: self = .suspend(task: try reader.read())
        case 7: self = .cancel(task: try reader.read())
        case 8:
            self = .list(session: try reader.readOptional { reader throws(MalformedMessage) in try reader.read() })
        case 9: self = .watch(try reader.read())
        case 10: self = .acknowledge(session: try reader.read(), sequence: try reader.read())
        case 11: self = .eventsHandled(session: try reader.read())
        case 12: self = .setPriority(task: try reader.read(), try reader.readPriority())
        case 13:
            self = .authenticate(
                task: try reader.read(), user: try reader.readText(limit: EngineLimits.valueBytes),
                password: try reader.readText(limit: EngineLimits.valueBytes))
        case 23: self = .requestFinishedEvents(session: try reader.read())
        case 24: self = .setAside(task: try reader.read())
        case 25: self = .takeBack(session: try reader.read(), try ResumeToken(from: &reader))
        case 27:
            let session = try reader.read(Int64.self)
            var request = try TaskRequest(from: &reader)
            request.digest = try ContentDigest(from: &reader)
            if let fault = request.fault { throw MalformedMessage(fault) }
            self = .create(session: session, request)
        case let number: self = try ClientCommand(wake: number, from: &reader)
        }
    }
}

extension MessageWriter {
    /// Appends the number of a message and the key of a session or a transfer.
    mutating func write(_ message: UInt8, _ key: Int64) {
        write(message)
        write(key)
    }
}

extension MessageReader {
    /// Reads the name of a program or session: not empty, at most ``ClientLimits/nameBytes``, no control characters.
    mutating func readName() throws(MalformedMessage) -> String {
        let name = try readText(limit: ClientLimits.nameBytes)
        guard !name.isEmpty, !name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw MalformedMessage("a name is empty or has a control character")
        }
        return name
    }

    /// Reads a priority of 0 to 1.
    mutating func readPriority() throws(MalformedMessage) -> Double {
        let priority = Double(bitPattern: try read())
        guard (0...1).contains(priority) else { throw MalformedMessage("a priority is out of range") }
        return priority
    }
}
