extension Ledger {
    /// Appends an event to its session.
    ///
    /// - Returns: The stored event with its sequence number.
    @discardableResult
    package func appendEvent(session: Int64, task: Int64, kind: Int64) throws(DatabaseError) -> EventRow {
        try transaction { () throws(DatabaseError) in
            let sequence = try database.row(
                "UPDATE session SET next_sequence = next_sequence + 1 WHERE id = ? RETURNING next_sequence - 1",
                [.integer(session)]
            ) { row in row.integer(0) }
            guard let sequence else {
                throw DatabaseError(operation: "appendEvent", code: 12, message: "the session does not exist")
            }
            try database.run(
                "INSERT INTO event(session, sequence, task, kind) VALUES(?, ?, ?, ?)",
                [.integer(session), .integer(sequence), .integer(task), .integer(kind)])
            return EventRow(session: session, sequence: sequence, task: task, kind: kind)
        }
    }

    /// Returns the events of a session after a sequence number that the program has not acknowledged, in order.
    ///
    /// - Parameter limit: The maximum number of events.
    package func events(
        ofSession session: Int64, after sequence: Int64 = 0, limit: Int
    ) throws(DatabaseError) -> [EventRow] {
        try database.rows(
            """
            SELECT session, sequence, task, kind FROM event WHERE session = ? AND sequence > ? ORDER BY sequence LIMIT ?
            """, [.integer(session), .integer(sequence), .integer(Int64(limit))]
        ) { row in EventRow(row) }
    }

    /// The number of events that no program has acknowledged, of one session or of all.
    package func eventCount(ofSession session: Int64? = nil) throws(DatabaseError) -> Int {
        guard let session else {
            return Int(try database.row("SELECT count(*) FROM event") { row in row.integer(0) } ?? 0)
        }
        return Int(
            try database.row("SELECT count(*) FROM event WHERE session = ?", [.integer(session)]) { row in
                row.integer(0)
            } ?? 0)
    }

    /// The number of events that a program has not acknowledged, in all its sessions.
    package func eventCount(ofClient client: Int64) throws(DatabaseError) -> Int {
        Int(
            try database.row(
                "SELECT count(*) FROM event WHERE session IN (SELECT id FROM session WHERE client = ?)",
                [.integer(client)]
            ) { row in row.integer(0) } ?? 0)
    }

    /// Returns whether a transfer has events that no program has acknowledged.
    package func hasEvents(ofTask task: Int64) throws(DatabaseError) -> Bool {
        try database.row("SELECT 1 FROM event WHERE task = ?", [.integer(task)]) { _ in true } ?? false
    }

    /// Removes the events of a session up to a sequence number. A repeated call has no effect.
    ///
    /// - Returns: The transfers of the removed events that have no further event.
    package func acknowledge(session: Int64, through sequence: Int64) throws(DatabaseError) -> [Int64] {
        try transaction { () throws(DatabaseError) in
            let tasks = try database.rows(
                "SELECT DISTINCT task FROM event WHERE session = ? AND sequence <= ? ORDER BY sequence",
                [.integer(session), .integer(sequence)]
            ) { row in row.integer(0) }
            try database.run(
                "DELETE FROM event WHERE session = ? AND sequence <= ?", [.integer(session), .integer(sequence)])
            var completedTasks: [Int64] = []
            for task in tasks where try !hasEvents(ofTask: task) { completedTasks.append(task) }
            return completedTasks
        }
    }
}
