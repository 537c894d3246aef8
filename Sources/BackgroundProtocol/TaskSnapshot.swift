import WireFormat

/// The state of a transfer at one moment, as programs and listings show it.
package struct TaskSnapshot: Sendable, Equatable {
    /// The key of the transfer, unique for the user.
    package var id: Int64
    /// The session of the transfer, and its number within the session.
    package var session: Int64, number: Int64
    /// The program that owns the transfer, and the identifier of the session.
    package var program: String, identifier: String
    /// The address, without its query in the history.
    package var address: String
    /// The text of the program.
    package var description: String
    /// What the transfer does now.
    package var activity: Activity
    /// Where the file is or will be.
    package var file: File
    /// The received or sent bytes.
    package var bytes: Bytes
    /// The status code of the last response; 0 if there is none.
    package var status: UInt16 = 0
    /// The progress of a package; nil for a file.
    package var package: PackageProgress?

    /// What a transfer does.
    package struct Activity: Sendable, Equatable {
        /// The kind of state.
        package var phase: Phase
        /// The state as a line of text, with the reason if the transfer waits or has failed.
        package var text: String
        /// The number of the error in Apple's `NSURLErrorDomain`; 0 if there is none.
        package var errorCode: Int32
        package init(_ phase: Phase, _ text: String, errorCode: Int32 = 0) {
            (self.phase, self.text, self.errorCode) = (phase, text, errorCode)
        }
    }

    /// The kind of state of a transfer.
    package enum Phase: UInt8, Sendable, CaseIterable {
        /// The program or the user has suspended the transfer, or has not started it.
        case suspended = 1
        /// The transfer waits; its text states the reason.
        case waiting
        /// Bytes move, or the received file is completed.
        case running
        /// The file is complete.
        case finished
        /// The transfer has failed.
        case failed
        /// The program or the user has cancelled the transfer.
        case cancelled

        /// Whether the transfer has ended.
        package var isTerminal: Bool { self == .finished || self == .failed || self == .cancelled }
    }

    /// The file of a transfer.
    package struct File: Sendable, Equatable {
        /// The directory of the file, and its final name.
        package var directory: String, name: String
        /// Whether the file belongs to the user and is not removed.
        package var isKept: Bool
        package init(directory: String, name: String, isKept: Bool) {
            (self.directory, self.name, self.isKept) = (directory, name, isKept)
        }
    }

    /// The bytes of a transfer.
    package struct Bytes: Sendable, Equatable {
        /// The received or sent bytes.
        package var done: Int64
        /// The length of the whole content; nil if unknown.
        package var total: Int64?
        /// Whether the transfer is an upload.
        package var isUpload: Bool
        /// Whether an interrupted transfer continues where it ended.
        package var isResumable: Bool
        package init(done: Int64 = 0, total: Int64? = nil, isUpload: Bool = false, isResumable: Bool = true) {
            (self.done, self.total, self.isUpload, self.isResumable) = (done, total, isUpload, isResumable)
        }
    }

    /// Creates a snapshot.
    package init(
        id: Int64, session: Int64, number: Int64, program: String, identifier: String, address: String,
        description: String, activity: Activity, file: File, bytes: Bytes
    ) {
        (self.id, self.session, self.number, self.program) = (id, session, number, program)
        (self.identifier, self.address, self.description) = (identifier, address, description)
        (self.activity, self.file, self.bytes) = (activity, file, bytes)
    }

    /// The bytes of a reason that are written. A character that is cut there becomes one of 3 bytes (U+FFFD).
    private static let reasonLimit = ClientLimits.reasonBytes - 3

    /// Appends the snapshot to a message.
    func write(to writer: inout MessageWriter) {
        for key in [id, session, number] { writer.write(key) }
        for text in [program, identifier, address, description] { writer.writeText(text) }
        writer.write(activity.phase.rawValue)
        // The reason may contain text of a server.
        writer.writeText(String(decoding: activity.text.utf8.prefix(Self.reasonLimit), as: UTF8.self))
        writer.write(activity.errorCode)
        writer.writeText(file.directory)
        writer.writeText(file.name)
        writer.write(file.isKept)
        writer.write(bytes.done)
        writer.writeOptional(bytes.total) { $0.write($1) }
        writer.write(bytes.isUpload)
        writer.write(bytes.isResumable)
        writer.write(status)
        writer.writeOptional(package) { $1.write(to: &$0) }
    }

    /// Reads a snapshot.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        self.init(
            id: try reader.read(), session: try reader.read(), number: try reader.read(),
            program: try reader.readText(limit: ClientLimits.nameBytes),
            identifier: try reader.readText(limit: ClientLimits.nameBytes),
            address: try reader.readText(limit: EngineLimits.addressBytes),
            description: try reader.readText(limit: ClientLimits.descriptionBytes),
            activity: try Activity(from: &reader),
            file: File(
                directory: try reader.readText(limit: ClientLimits.pathBytes),
                name: try reader.readText(limit: ClientLimits.nameBytes), isKept: try reader.read()),
            bytes: Bytes(
                done: try reader.readLength(),
                total: try reader.readOptional { reader throws(MalformedMessage) in try reader.readLength() },
                isUpload: try reader.read(), isResumable: try reader.read()))
        status = try reader.read()
        package = try reader.readOptional { reader throws(MalformedMessage) in try PackageProgress(from: &reader) }
    }
}

extension TaskSnapshot.Activity {
    /// Reads what a transfer does.
    fileprivate init(from reader: inout MessageReader) throws(MalformedMessage) {
        guard let phase = TaskSnapshot.Phase(rawValue: try reader.read()) else {
            throw MalformedMessage("an unknown phase of a transfer")
        }
        self.init(
            phase, try reader.readText(limit: ClientLimits.reasonBytes), errorCode: try reader.read())
    }
}
