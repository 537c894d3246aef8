extension Ledger {
    /// Returns all programs that the service wakes.
    package func programs() throws(DatabaseError) -> [ProgramRow] {
        try database.rows("SELECT \(ProgramRow.columns) FROM program ORDER BY client") { row in ProgramRow(row) }
    }

    /// Saves a program.
    package func save(_ program: ProgramRow) throws(DatabaseError) {
        try transaction { () throws(DatabaseError) in
            try database.run(
                """
                INSERT INTO program(\(ProgramRow.columns)) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?) \
                ON CONFLICT(client) DO UPDATE SET modes = excluded.modes, fetch_interval = excluded.fetch_interval, \
                boot = excluded.boot, wall = excluded.wall, uptime = excluded.uptime, \
                fetch_record = excluded.fetch_record, push_record = excluded.push_record, \
                process = excluded.process, process_start = excluded.process_start
                """,
                [
                    .integer(program.client), .integer(program.modes), .integer(program.fetchInterval),
                    .text(program.mark.boot), .integer(program.mark.wall), .integer(program.mark.uptime),
                    .bytes(program.fetchRecord), .bytes(program.pushRecord), .integer(program.process),
                    .integer(program.processStart),
                ])
        }
    }

    /// Returns all notifications, the oldest first.
    package func notifications() throws(DatabaseError) -> [NotificationRow] {
        try database.rows("SELECT \(NotificationRow.columns) FROM notification ORDER BY id") { row in
            NotificationRow(row)
        }
    }

    /// Stores a new notification.
    ///
    /// - Returns: The key of the row.
    package func append(_ notification: NotificationRow) throws(DatabaseError) -> Int64 {
        try transaction { () throws(DatabaseError) in
            try database.run(
                """
                INSERT INTO notification(client, identifier, collapse_key, is_urgent, payload, received, attempts, \
                is_delivered, is_from_server) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    .integer(notification.client), .text(notification.identifier), .text(notification.collapseKey),
                    .flag(notification.isUrgent), .bytes(notification.payload), .integer(notification.received),
                    .integer(notification.attempts), .flag(notification.isDelivered),
                    .flag(notification.isFromServer),
                ])
            return database.lastInsertedRow
        }
    }

    /// Saves how often a notification was delivered, and whether the program has it.
    package func saveDelivery(of notification: NotificationRow) throws(DatabaseError) {
        try transaction { () throws(DatabaseError) in
            try database.run(
                "UPDATE notification SET attempts = ?, is_delivered = ? WHERE id = ?",
                [.integer(notification.attempts), .flag(notification.isDelivered), .integer(notification.id)])
        }
    }

    /// Removes a notification that was acknowledged or replaced. A repeated call has no effect.
    package func removeNotification(_ id: Int64) throws(DatabaseError) {
        try transaction { () throws(DatabaseError) in
            try database.run("DELETE FROM notification WHERE id = ?", [.integer(id)])
        }
    }
}
