import WireFormat

/// A message from the service to a program.
package enum ClientEvent: Sendable, Equatable {
    /// The answer to `hello`: the version of the protocol that both sides speak from now on.
    case welcome(command: UInt64, version: UInt16)
    /// A command was carried out, durably if it changed a transfer.
    case done(command: UInt64)
    /// A command was refused.
    case refused(command: UInt64, Refusal)
    /// The program is attached to a session.
    case attached(command: UInt64, session: Int64)
    /// A transfer was created, or had been created by an earlier command with the same UUID.
    case created(command: UInt64, TaskSnapshot)
    /// The state of a transfer, in a list or after a change.
    case task(TaskSnapshot)
    /// The received or sent bytes of a transfer of an attached session, at most ten times a second.
    case progress(task: Int64, done: Int64, total: Int64?)
    /// A transfer of an attached session continues at an offset after an interruption.
    case resumed(task: Int64, offset: Int64, total: Int64?)
    /// An event that the program acknowledges. The message of `finished` carries a descriptor of the file, unless the
    /// program has moved the file away already.
    case event(SessionEvent)
    /// All events of a session were acknowledged.
    case finishedEvents(session: Int64)
    /// A session of the program, which the service has started, has events. Follows `welcome`.
    case eventsWaiting(identifier: String)
    /// The program fetches new content and answers with ``ClientCommand/completeFetch(token:_:)``.
    case fetch(token: Int64)
    /// A notification for the program, which answers with ``ClientCommand/completeNotification(id:_:)``. A notification
    /// that was not answered is sent again. The sender is nil in versions before ``ClientLimits/senderVersion``.
    case notification(id: Int64, payload: [UInt8], sender: NotificationSender?)
    /// The address of the push server; empty for none.
    case pushServer(command: UInt64, String)
    /// The result of a registration for notifications, also a new endpoint after the first one.
    case registration(RegistrationResult)
    /// The time of a fetch or a notification of the program ends soon.
    case wakeExpires
    /// A program that the service wakes, in a list.
    case program(BackgroundProgram)
    /// A notification was stored.
    case received(command: UInt64, PushMessage.Receipt)
    /// A requested fetch has ended; without a result if the program did not answer.
    case fetched(command: UInt64, WakeResult?, milliseconds: Int64)

    /// An event of a session.
    package struct SessionEvent: Sendable, Equatable {
        /// The session, and the number of the event in the session.
        package var session: Int64, sequence: Int64
        /// What happened.
        package var kind: Kind
        /// The transfer.
        package var task: TaskSnapshot
        /// Whether the message carries a descriptor of the finished file.
        package var hasFile = false
        package init(session: Int64, sequence: Int64, kind: Kind, task: TaskSnapshot, hasFile: Bool = false) {
            (self.session, self.sequence, self.kind, self.task) = (session, sequence, kind, task)
            self.hasFile = hasFile
        }
    }

    /// The kind of an event.
    package enum Kind: UInt8, Sendable, CaseIterable {
        /// The file of a download is complete.
        case finished = 1
        /// The transfer has ended, with or without an error.
        case completed
        /// The server requests a user name and password.
        case challenge
    }

    /// The reason why a command was refused.
    package struct Refusal: Error, Sendable, Equatable, CustomStringConvertible {
        /// The kind of reason.
        package var code: Code
        /// The reason and its remedy, for users.
        package var description: String
        package init(_ code: Code, _ description: String) { (self.code, self.description) = (code, description) }

        /// The kind of reason for a refusal.
        package enum Code: UInt8, Sendable, CaseIterable {
            /// The protocols of the program and the service have no common version.
            case version = 1
            /// The command is not valid, or not valid now.
            case invalid
            /// The transfer or the session does not exist.
            case unknown
            /// A limit of the program is reached.
            case limit
            /// Another running program is attached to the session.
            case busy
            /// The directory or the durable record cannot be used.
            case storage
        }
    }

    /// The number of descriptors that the message carries.
    package var descriptorCount: Int {
        if case .event(let event) = self { return event.hasFile ? 1 : 0 }
        return 0
    }

    /// The encoded message.
    package var encoded: [UInt8] {
        var writer = MessageWriter()
        switch self {
        case .welcome(let command, let version):
            writer.write(UInt8(1))
            writer.write(command)
            writer.write(version)
        case .done(let command):
            writer.write(UInt8(2))
            writer.write(command)
        case .refused(let command, let refusal):
            writer.write(UInt8(3))
            writer.write(command)
            writer.write(refusal.code.rawValue)
            writer.write(refusal.description)
        case .attached(let command, let session):
            writer.write(UInt8(4))
            writer.write(command)
            writer.write(session)
        case .created(let command, let task):
            writer.write(UInt8(5))
            writer.write(command)
            task.write(to: &writer)
        case .task(let task):
            writer.write(UInt8(6))
            task.write(to: &writer)
        case .progress(let task, let done, let total): Self.write(7, task, done, total, to: &writer)
        case .resumed(let task, let offset, let total): Self.write(8, task, offset, total, to: &writer)
        case .event(let event):
            writer.write(9, event.session)
            writer.write(event.sequence)
            writer.write(event.kind.rawValue)
            event.task.write(to: &writer)
            writer.write(event.hasFile)
        case .finishedEvents(let session): writer.write(10, session)
        case .eventsWaiting(let identifier):
            writer.write(UInt8(11))
            writer.writeText(identifier)
        default: writeWake(to: &writer)
        }
        return writer.bytes
    }

    /// Appends the number of a message, a transfer and two lengths.
    private static func write(
        _ message: UInt8, _ task: Int64, _ length: Int64, _ total: Int64?, to writer: inout MessageWriter
    ) {
        writer.write(message, task)
        writer.write(length)
        writer.writeOptional(total) { $0.write($1) }
    }

    /// Decodes a message.
    ///
    /// - Throws: `MalformedMessage` if the bytes are not a valid message.
    package init(decoding bytes: [UInt8]) throws(MalformedMessage) {
        var reader = MessageReader(bytes)
        switch try reader.read(UInt8.self) {
        case 1: self = .welcome(command: try reader.read(), version: try reader.read())
        case 2: self = .done(command: try reader.read())
        case 3:
            let command = try reader.read(UInt64.self)
            guard let code = Refusal.Code(rawValue: try reader.read()) else {
                throw MalformedMessage("an unknown reason for a refusal")
            }
            self = .refused(command: command, Refusal(code, try reader.read()))
        case 4: self = .attached(command: try reader.read(), session: try reader.read())
        case 5: self = .created(command: try reader.read(), try TaskSnapshot(from: &reader))
        case 6: self = .task(try TaskSnapshot(from: &reader))
        case 7:
            self = .progress(
                task: try reader.read(), done: try reader.readLength(), total: try reader.readOptionalLength())
        case 8:
            self = .resumed(
                task: try reader.read(), offset: try reader.readLength(), total: try reader.readOptionalLength())
        case 9:
            let (session, sequence) = (try reader.read(Int64.self), try reader.read(Int64.self))
            guard let kind = Kind(rawValue: try reader.read()) else { throw MalformedMessage("an unknown event") }
            self = .event(
                SessionEvent(
                    session: session, sequence: sequence, kind: kind, task: try TaskSnapshot(from: &reader),
                    hasFile: try reader.read()))
        case 10: self = .finishedEvents(session: try reader.read())
        case 11: self = .eventsWaiting(identifier: try reader.readName())
        case let number: self = try ClientEvent(wake: number, from: &reader)
        }
        try reader.expectEnd()
    }
}

extension MessageReader {
    /// Reads an optional length.
    fileprivate mutating func readOptionalLength() throws(MalformedMessage) -> Int64? {
        try readOptional { reader throws(MalformedMessage) in try reader.readLength() }
    }
}
