/// A program that the service wakes for fetches and notifications.
package struct ProgramRow: Sendable, Equatable {
    /// The key of the program's ``ClientRow``.
    package var client: Int64
    /// The declared background modes, as bits of the caller.
    package var modes: Int64
    /// The minimum interval between fetches in seconds; nil if the program is not fetched.
    package var fetchInterval: Int64?
    /// The clocks when the records were written. The records contain times relative to them.
    package var mark: ClockMark
    /// The encoded habits, results and budget of fetches.
    package var fetchRecord: [UInt8] = []
    /// The encoded rate and counters of notifications.
    package var pushRecord: [UInt8] = []
    /// The connected process, and its start time; 0 if the program does not run.
    package var process: Int64 = 0, processStart: Int64 = 0

    /// Creates a row that is not stored yet.
    package init(client: Int64, modes: Int64, fetchInterval: Int64? = nil, mark: ClockMark) {
        (self.client, self.modes, self.fetchInterval, self.mark) = (client, modes, fetchInterval, mark)
    }

    /// Decodes a row with the columns ``columns``.
    init(_ row: Statement) {
        self.init(
            client: row.integer(0), modes: row.integer(1), fetchInterval: row.optionalInteger(2),
            mark: ClockMark(boot: row.text(3), wall: row.integer(4), uptime: row.integer(5)))
        (fetchRecord, pushRecord) = (row.bytes(6), row.bytes(7))
        (process, processStart) = (row.integer(8), row.integer(9))
    }

    /// The columns that ``init(_:)`` reads.
    static let columns =
        "client, modes, fetch_interval, boot, wall, uptime, fetch_record, push_record, process, process_start"
}

/// A notification that its program has not acknowledged.
package struct NotificationRow: Sendable, Equatable {
    /// The key of the row; 0 before it is stored.
    package var id: Int64 = 0
    /// The key of the program's ``ClientRow``.
    package var client: Int64
    /// The identifier that the sender gave the message.
    package var identifier: String
    package var collapseKey = ""
    package var isUrgent = true
    package var payload: [UInt8]
    /// The calendar time of the receipt in nanoseconds.
    package var received: Int64
    /// Whether a server has sent the message, and not a program of the user.
    package var isFromServer = false
    /// The number of deliveries that were not acknowledged.
    package var attempts: Int64 = 0
    /// Whether the message was given to the program, and is not waiting.
    package var isDelivered = false

    /// Creates a row that is not stored yet.
    package init(client: Int64, identifier: String, payload: [UInt8], received: Int64) {
        (self.client, self.identifier, self.payload, self.received) = (client, identifier, payload, received)
    }

    /// Decodes a row with the columns ``columns``.
    init(_ row: Statement) {
        self.init(client: row.integer(1), identifier: row.text(2), payload: row.bytes(5), received: row.integer(6))
        (id, collapseKey, isUrgent) = (row.integer(0), row.text(3), row.flag(4))
        (attempts, isDelivered, isFromServer) = (row.integer(7), row.flag(8), row.flag(9))
    }

    /// The columns that ``init(_:)`` reads.
    static let columns =
        "id, client, identifier, collapse_key, is_urgent, payload, received, attempts, is_delivered, is_from_server"
}
