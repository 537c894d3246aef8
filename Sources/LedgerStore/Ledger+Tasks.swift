import SystemCalls

extension Ledger {
    /// Stores a new transfer and gives it the next number of its session.
    ///
    /// - Returns: The stored row. If the program has already created a transfer with the same UUID, the row of that
    ///   transfer: the answer to the first request was lost.
    package func create(_ task: TaskRow) throws(DatabaseError) -> (task: TaskRow, isNew: Bool) {
        try transaction { () throws(DatabaseError) in
            let existing = try tasks("session = ? AND uuid = ?", [.integer(task.session), .bytes(task.uuid)])
            if let existing = existing.first { return (existing, false) }
            let number = try database.row(
                "UPDATE session SET next_task = next_task + 1 WHERE id = ? RETURNING next_task - 1",
                [.integer(task.session)]
            ) { row in row.integer(0) }
            guard let number else {
                throw DatabaseError(operation: "create", code: 12, message: "the session does not exist")
            }
            var task = task
            task.number = number
            let places = task.values.map { _ in "?" }.joined(separator: ", ")
            let columns = TaskRow.columns.dropFirst("id, ".count)
            try database.run("INSERT INTO task(\(columns)) VALUES(\(places))", task.values)
            task.id = database.lastInsertedRow
            return (task, true)
        }
    }

    /// Saves the state of a transfer and how it was reached.
    package func save(_ progress: TaskRow.Progress, of task: Int64) throws(DatabaseError) {
        try transaction { () throws(DatabaseError) in
            try database.run(
                """
                UPDATE task SET state = ?, state_number = ?, ended = ?, attempts = ?, fruitless = ?, faults = ?, \
                status = ?, bytes = ?, detail = ? WHERE id = ?
                """,
                [
                    .text(progress.state), .integer(progress.stateNumber), .integer(progress.ended),
                    .integer(progress.attempts), .integer(progress.fruitless), .integer(progress.faults),
                    .integer(progress.status), .integer(progress.bytes), .text(progress.detail), .integer(task),
                ])
        }
    }

    /// Saves the final name of a transfer's file.
    package func saveName(_ name: String, of task: Int64) throws(DatabaseError) {
        try transaction { () throws(DatabaseError) in
            try database.run("UPDATE task SET name = ? WHERE id = ?", [.text(name), .integer(task)])
        }
    }

    /// Saves which directory the directory of a transfer is.
    package func saveDirectory(_ identity: FileIdentity, of task: Int64) throws(DatabaseError) {
        try transaction { () throws(DatabaseError) in
            try database.run(
                "UPDATE task SET device = ?, inode = ? WHERE id = ?",
                [.bits(identity.device), .bits(identity.inode), .integer(task)])
        }
    }

    /// Records that ``SecretStore`` has header fields of a transfer's request.
    package func saveHasSecret(of task: Int64) throws(DatabaseError) {
        try transaction { () throws(DatabaseError) in
            try database.run("UPDATE task SET has_secret = 1 WHERE id = ?", [.integer(task)])
        }
    }

    /// Saves the caller's options of a transfer.
    package func saveOptions(_ options: Int64, of task: Int64) throws(DatabaseError) {
        try transaction { () throws(DatabaseError) in
            try database.run("UPDATE task SET options = ? WHERE id = ?", [.integer(options), .integer(task)])
        }
    }

    /// Saves the priority of a transfer.
    package func savePriority(_ priority: Double, of task: Int64) throws(DatabaseError) {
        try transaction { () throws(DatabaseError) in
            try database.run("UPDATE task SET priority = ? WHERE id = ?", [.real(priority), .integer(task)])
        }
    }

    /// Returns a transfer by its key.
    package func task(_ id: Int64) throws(DatabaseError) -> TaskRow? { try tasks("id = ?", [.integer(id)]).first }

    /// Returns the transfers of a state, in the order of their creation.
    package func tasks(inState state: String) throws(DatabaseError) -> [TaskRow] {
        try tasks("state = ?", [.text(state)])
    }

    /// Returns the newest transfers of a state, in the order of their creation.
    ///
    /// - Parameters:
    ///   - session: The key of their session; nil for all sessions.
    ///   - limit: The largest number of transfers.
    package func lastTasks(inState state: String, session: Int64?, limit: Int) throws(DatabaseError) -> [TaskRow] {
        let condition = session == nil ? "state = ?1" : "state = ?1 AND session = ?3"
        let newest = "SELECT id FROM task WHERE \(condition) ORDER BY id DESC LIMIT ?2"
        return try tasks(
            "id IN (\(newest))", [.text(state), .integer(Int64(limit))] + (session.map { [.integer($0)] } ?? []))
    }

    /// Returns the transfers that are not in a state, in the order of their creation.
    package func tasks(notInState state: String) throws(DatabaseError) -> [TaskRow] {
        try tasks("state <> ?", [.text(state)])
    }

    /// Returns the transfers in a state whose files or secrets were not removed, because a crash came between.
    package func tasksWithFiles(inState state: String) throws(DatabaseError) -> [TaskRow] {
        try tasks(
            "state = ? AND (has_secret OR id IN (SELECT task FROM part UNION SELECT task FROM package))", [.text(state)]
        )
    }

    /// Removes the transfers that are in a state, ended before a calendar time, and have no events.
    ///
    /// - Returns: The number of removed transfers.
    @discardableResult
    package func removeHistory(inState state: String, before time: Int64) throws(DatabaseError) -> Int {
        try transaction { () throws(DatabaseError) in
            try database.run(
                """
                DELETE FROM task WHERE state = ? AND ended < ? AND id NOT IN (SELECT task FROM event)
                """, [.text(state), .integer(time)])
        }
    }

    /// Removes what the history of a transfer must not contain: the query and fragment of the address, which often
    /// carry tokens, and the part file's row.
    package func moveToHistory(_ task: TaskRow) throws(DatabaseError) {
        try transaction { () throws(DatabaseError) in
            let url = task.request.url.prefix { $0 != "?" && $0 != "#" }
            try database.run(
                "UPDATE task SET url = ?, has_secret = 0 WHERE id = ?", [.text(String(url)), .integer(task.id)])
            try database.run("DELETE FROM part WHERE task = ?", [.integer(task.id)])
            try database.run("DELETE FROM package WHERE task = ?", [.integer(task.id)])
        }
    }

    /// Returns the transfers that meet a condition.
    private func tasks(_ condition: String, _ values: [Value]) throws(DatabaseError) -> [TaskRow] {
        try database.rows("SELECT \(TaskRow.columns) FROM task WHERE \(condition) ORDER BY id", values) { row in
            TaskRow(row)
        }
    }

    // MARK: Part files

    /// Stores or replaces the row of a part file.
    package func save(_ part: PartRow) throws(DatabaseError) {
        try transaction { () throws(DatabaseError) in
            let places = part.values.map { _ in "?" }.joined(separator: ", ")
            try database.run("INSERT OR REPLACE INTO part(\(PartRow.columns)) VALUES(\(places))", part.values)
        }
    }

    /// Removes the row of a part file.
    package func removePart(of task: Int64) throws(DatabaseError) {
        try transaction { () throws(DatabaseError) in
            try database.run("DELETE FROM part WHERE task = ?", [.integer(task)])
        }
    }

    /// Returns the part file of a transfer.
    package func part(of task: Int64) throws(DatabaseError) -> PartRow? {
        try database.row("SELECT \(PartRow.columns) FROM part WHERE task = ?", [.integer(task)]) { row in PartRow(row) }
    }
}
