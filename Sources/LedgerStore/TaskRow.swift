import SystemCalls

/// A transfer.
package struct TaskRow: Sendable, Equatable {
    /// The key of the row, never used again.
    package var id: Int64 = 0
    /// The session of the transfer.
    package var session: Int64
    /// The number of the transfer within its session, which programs see.
    package var number: Int64 = 0
    /// The 16 bytes that the program chose: a repeated request to create the transfer has the same bytes.
    package var uuid: [UInt8]
    /// What to request.
    package var request: Request
    /// Where the file goes.
    package var destination: Destination
    /// The text of the program.
    package var description = ""
    /// The priority, 0 to 1.
    package var priority = 0.5
    /// When the transfer was created, may begin and must have ended.
    package var schedule: Schedule
    /// The state, and how it was reached.
    package var progress: Progress

    /// What a transfer requests.
    package struct Request: Sendable, Equatable {
        package var url: String
        package var method = "GET"
        /// The path of the file to upload; nil for a download.
        package var upload: String?
        /// Whether ``SecretStore`` has header fields of the request.
        package var hasSecret = false
        /// The bits of the caller's options, such as "discretionary".
        package var options: Int64 = 0
        /// The SHA-256 digest that the file must have; empty if any content is accepted.
        package var digest: [UInt8] = []
        package init(url: String) { self.url = url }
    }

    /// The directory and the name of the finished file.
    package struct Destination: Sendable, Equatable {
        /// The path at which the directory was found when the transfer was created.
        package var directory: String
        /// The directory. A different directory at the path is not used.
        package var identity: FileIdentity
        /// The final name.
        package var name: String
        /// Whether the file belongs to the user. Otherwise it is removed after the program has acknowledged it.
        package var isKept: Bool
        package init(directory: String, identity: FileIdentity, name: String, isKept: Bool) {
            (self.directory, self.identity, self.name, self.isKept) = (directory, identity, name, isKept)
        }
    }

    /// The times of a transfer, in nanoseconds.
    package struct Schedule: Sendable, Equatable {
        /// The calendar time at which the transfer was created.
        package var created: Int64
        /// The calendar time before which the transfer does not begin; 0 for none.
        package var earliest: Int64 = 0
        /// The remaining time for the whole transfer when the last mark was saved.
        package var timeLimit: Int64
        package init(created: Int64, timeLimit: Int64) { (self.created, self.timeLimit) = (created, timeLimit) }
    }

    /// The state of a transfer.
    package struct Progress: Sendable, Equatable {
        /// The name of the state.
        package var state: String
        /// The number that belongs to the state, such as the end of a delay.
        package var stateNumber: Int64?
        /// The calendar time at which the transfer ended, in nanoseconds.
        package var ended: Int64?
        /// The number of attempts, and of those in a row without progress or with a faulty reply.
        package var attempts: Int64 = 0, fruitless: Int64 = 0, faults: Int64 = 0
        /// The status code of the last reply.
        package var status: Int64?
        /// The number of bytes that the transfer had received or sent at its end.
        package var bytes: Int64?
        /// The text of the last error.
        package var detail = ""
        package init(state: String, stateNumber: Int64? = nil) { (self.state, self.stateNumber) = (state, stateNumber) }
    }

    /// Creates a row that is not stored yet.
    package init(
        session: Int64, uuid: [UInt8], request: Request, destination: Destination, schedule: Schedule, state: String
    ) {
        (self.session, self.uuid, self.request, self.destination) = (session, uuid, request, destination)
        (self.schedule, progress) = (schedule, Progress(state: state))
    }

    /// Decodes a row with the columns ``columns``.
    init(_ row: Statement) {
        self.init(
            session: row.integer(1), uuid: row.bytes(3), request: Request(url: row.text(4)),
            destination: Destination(
                directory: row.text(9), identity: FileIdentity(device: row.bits(10), inode: row.bits(11)),
                name: row.text(12), isKept: row.flag(13)),
            schedule: Schedule(created: row.integer(16), timeLimit: row.integer(18)), state: row.text(19))
        (id, number) = (row.integer(0), row.integer(2))
        (request.method, request.upload) = (row.text(5), row.optionalText(6))
        (request.hasSecret, request.options) = (row.flag(7), row.integer(8))
        (description, priority) = (row.text(14), row.real(15))
        schedule.earliest = row.integer(17)
        (progress.stateNumber, progress.ended) = (row.optionalInteger(20), row.optionalInteger(21))
        (progress.attempts, progress.fruitless) = (row.integer(22), row.integer(23))
        (progress.faults, progress.status) = (row.integer(24), row.optionalInteger(25))
        (progress.bytes, progress.detail) = (row.optionalInteger(26), row.text(27))
        request.digest = row.bytes(28)
    }

    /// The columns that ``init(_:)`` reads.
    static let columns = """
        id, session, number, uuid, url, method, upload, has_secret, options, directory, device, inode, name, is_kept, \
        description, priority, created, earliest, time_limit, state, state_number, ended, attempts, fruitless, faults, \
        status, bytes, detail, digest
        """

    /// The values of the columns after `id`, in order.
    var values: [Value] {
        [
            .integer(session), .integer(number), .bytes(uuid), .text(request.url), .text(request.method),
            .text(request.upload), .flag(request.hasSecret), .integer(request.options), .text(destination.directory),
            .bits(destination.identity.device), .bits(destination.identity.inode), .text(destination.name),
            .flag(destination.isKept), .text(description), .real(priority), .integer(schedule.created),
            .integer(schedule.earliest), .integer(schedule.timeLimit), .text(progress.state),
            .integer(progress.stateNumber), .integer(progress.ended), .integer(progress.attempts),
            .integer(progress.fruitless), .integer(progress.faults), .integer(progress.status),
            .integer(progress.bytes), .text(progress.detail), .bytes(request.digest),
        ]
    }
}
