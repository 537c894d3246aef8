import SystemCalls

extension Ledger {
    /// Registers a program, or updates the executable file and arguments of the program with its name.
    ///
    /// - Parameter keepsExecutable: Whether the stored executable file and arguments are kept if there are any.
    /// - Returns: The stored row.
    package func register(_ client: ClientRow, keepsExecutable: Bool = false) throws(DatabaseError) -> ClientRow {
        try transaction { () throws(DatabaseError) in
            try database.run(
                """
                INSERT INTO client(name, executable, device, inode, arguments, relaunch) VALUES(?, ?, ?, ?, ?, ?) \
                ON CONFLICT(name) DO UPDATE SET executable = excluded.executable, device = excluded.device, \
                inode = excluded.inode, arguments = excluded.arguments WHERE NOT ?
                """,
                [
                    .text(client.name), .text(client.executable), .bits(client.identity.device),
                    .bits(client.identity.inode), .bytes(client.encodedArguments), .bytes(client.relaunch),
                    .flag(keepsExecutable),
                ])
            guard let row = try clients("name = ?", [.text(client.name)]).first else {
                throw DatabaseError(operation: "register", code: 12, message: "the program was not stored")
            }
            return row
        }
    }

    /// Returns a program by its key.
    package func client(_ id: Int64) throws(DatabaseError) -> ClientRow? {
        try clients("id = ?", [.integer(id)]).first
    }

    /// Returns all programs.
    package func clients() throws(DatabaseError) -> [ClientRow] { try clients("1", []) }

    /// Saves which file the executable file of a program is.
    package func saveExecutable(_ identity: FileIdentity, of client: Int64) throws(DatabaseError) {
        try transaction { () throws(DatabaseError) in
            try database.run(
                "UPDATE client SET device = ?, inode = ? WHERE id = ?",
                [.bits(identity.device), .bits(identity.inode), .integer(client)])
        }
    }

    /// Saves the state of the rule that limits how often a program is started, and whether the user ended it.
    package func save(_ relaunch: [UInt8], isForceQuit: Bool, ofClient id: Int64) throws(DatabaseError) {
        try transaction { () throws(DatabaseError) in
            try database.run(
                "UPDATE client SET relaunch = ?, is_force_quit = ? WHERE id = ?",
                [.bytes(relaunch), .flag(isForceQuit), .integer(id)])
        }
    }

    /// Returns the session of a program, which is created if necessary; its configuration is replaced.
    package func session(
        _ identifier: String, of client: Int64, configuration: [UInt8]
    ) throws(DatabaseError) -> SessionRow {
        try transaction { () throws(DatabaseError) in
            try database.run(
                """
                INSERT INTO session(client, identifier, configuration) VALUES(?, ?, ?) \
                ON CONFLICT(client, identifier) DO UPDATE SET configuration = excluded.configuration
                """, [.integer(client), .text(identifier), .bytes(configuration)])
            let rows = try sessions(
                "client = ? AND identifier = ?", [.integer(client), .text(identifier)])
            guard let row = rows.first else {
                throw DatabaseError(operation: "session", code: 12, message: "the session was not stored")
            }
            return row
        }
    }

    /// Returns a session by its key.
    package func session(_ id: Int64) throws(DatabaseError) -> SessionRow? {
        try sessions("id = ?", [.integer(id)]).first
    }

    /// Returns all sessions.
    package func sessions() throws(DatabaseError) -> [SessionRow] { try sessions("1", []) }

    /// Returns the sessions that meet a condition, in the order of their creation.
    private func sessions(_ condition: String, _ values: [Value]) throws(DatabaseError) -> [SessionRow] {
        try database.rows("SELECT \(SessionRow.columns) FROM session WHERE \(condition) ORDER BY id", values) { row in
            SessionRow(row)
        }
    }

    /// Returns the programs that meet a condition.
    private func clients(_ condition: String, _ values: [Value]) throws(DatabaseError) -> [ClientRow] {
        try database.rows("SELECT \(ClientRow.columns) FROM client WHERE \(condition) ORDER BY id", values) { row in
            ClientRow(row)
        }
    }
}
