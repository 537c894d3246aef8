/// The queries that bound the numbers of programs and sessions.
extension Ledger {
    /// The transfers that only the history needs: of the state `?1`, and without files and secrets.
    private static let historyCondition = """
        state = ?1 AND NOT has_secret AND id NOT IN (SELECT task FROM part UNION SELECT task FROM package)
        """
    /// The sessions that have neither events nor transfers outside the history.
    private static let idleSessionCondition = """
        id NOT IN (SELECT session FROM event) \
        AND id NOT IN (SELECT session FROM task WHERE NOT (\(historyCondition)))
        """

    /// The number of programs.
    package func clientCount() throws(DatabaseError) -> Int {
        Int(try database.row("SELECT count(*) FROM client") { row in row.integer(0) } ?? 0)
    }

    /// Returns whether a program with a name is stored.
    package func hasClient(named name: String) throws(DatabaseError) -> Bool {
        try database.row("SELECT 1 FROM client WHERE name = ?", [.text(name)]) { _ in true } ?? false
    }

    /// The number of sessions of a program.
    package func sessionCount(ofClient client: Int64) throws(DatabaseError) -> Int {
        Int(
            try database.row("SELECT count(*) FROM session WHERE client = ?", [.integer(client)]) { row in
                row.integer(0)
            } ?? 0)
    }

    /// Returns whether a program has a session with an identifier.
    package func hasSession(_ identifier: String, ofClient client: Int64) throws(DatabaseError) -> Bool {
        try database.row(
            "SELECT 1 FROM session WHERE client = ? AND identifier = ?", [.integer(client), .text(identifier)]
        ) { _ in true } ?? false
    }

    /// Returns the keys of a program's sessions that have no events, and no transfers outside a state or with files.
    /// The session whose newest transfer is the oldest comes first.
    package func idleSessions(ofClient client: Int64, historyState: String) throws(DatabaseError) -> [Int64] {
        try database.rows(
            """
            SELECT id FROM session WHERE client = ?2 AND \(Self.idleSessionCondition) \
            ORDER BY (SELECT max(id) FROM task WHERE task.session = session.id), id
            """, [.text(historyState), .integer(client)]
        ) { row in row.integer(0) }
    }

    /// Returns the keys of the programs whose sessions are all idle, and that neither fetch nor receive notifications.
    /// The program whose newest transfer is the oldest comes first.
    package func idleClients(historyState: String) throws(DatabaseError) -> [Int64] {
        try database.rows(
            """
            SELECT id FROM client WHERE id NOT IN (SELECT client FROM program \
            UNION SELECT client FROM notification UNION SELECT client FROM registration) \
            AND id NOT IN (SELECT client FROM session WHERE NOT (\(Self.idleSessionCondition))) \
            ORDER BY (SELECT max(task.id) FROM task JOIN session ON session.id = task.session \
            WHERE session.client = client.id), id
            """, [.text(historyState)]
        ) { row in row.integer(0) }
    }

    /// Removes an idle session with its history.
    package func removeSession(_ id: Int64) throws(DatabaseError) {
        try transaction { () throws(DatabaseError) in
            try database.run("DELETE FROM task WHERE session = ?", [.integer(id)])
            try database.run("DELETE FROM session WHERE id = ?", [.integer(id)])
        }
    }

    /// Removes an idle program with its sessions and their history.
    package func removeClient(_ id: Int64) throws(DatabaseError) {
        try transaction { () throws(DatabaseError) in
            try database.run(
                "DELETE FROM task WHERE session IN (SELECT id FROM session WHERE client = ?)", [.integer(id)])
            try database.run("DELETE FROM session WHERE client = ?", [.integer(id)])
            try database.run("DELETE FROM client WHERE id = ?", [.integer(id)])
        }
    }
}
