/// The tables of the database, and their migrations.
enum LedgerSchema {
    /// The statements that bring a database from version `index` to version `index + 1` (`user_version`).
    static let migrations: [[String]] = [
        [
            """
            CREATE TABLE mark(
                id INTEGER PRIMARY KEY CHECK(id = 1), boot TEXT NOT NULL, wall INTEGER NOT NULL,
                uptime INTEGER NOT NULL) STRICT
            """,
            """
            CREATE TABLE client(
                id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, executable TEXT NOT NULL, device INTEGER NOT NULL,
                inode INTEGER NOT NULL, arguments BLOB NOT NULL, relaunch BLOB NOT NULL,
                is_force_quit INTEGER NOT NULL DEFAULT 0) STRICT
            """,
            """
            CREATE TABLE session(
                id INTEGER PRIMARY KEY, client INTEGER NOT NULL REFERENCES client, identifier TEXT NOT NULL,
                configuration BLOB NOT NULL, next_task INTEGER NOT NULL DEFAULT 1,
                next_sequence INTEGER NOT NULL DEFAULT 1, UNIQUE(client, identifier)) STRICT
            """,
            """
            CREATE TABLE task(
                id INTEGER PRIMARY KEY AUTOINCREMENT, session INTEGER NOT NULL REFERENCES session,
                number INTEGER NOT NULL, uuid BLOB NOT NULL, url TEXT NOT NULL, method TEXT NOT NULL,
                upload TEXT, has_secret INTEGER NOT NULL, options INTEGER NOT NULL, directory TEXT NOT NULL,
                device INTEGER NOT NULL, inode INTEGER NOT NULL, name TEXT NOT NULL, is_kept INTEGER NOT NULL,
                description TEXT NOT NULL, priority REAL NOT NULL, created INTEGER NOT NULL,
                earliest INTEGER NOT NULL, time_limit INTEGER NOT NULL, state TEXT NOT NULL, state_number INTEGER,
                ended INTEGER, attempts INTEGER NOT NULL DEFAULT 0, fruitless INTEGER NOT NULL DEFAULT 0,
                faults INTEGER NOT NULL DEFAULT 0, status INTEGER, bytes INTEGER,
                detail TEXT NOT NULL DEFAULT '',
                UNIQUE(session, number), UNIQUE(session, uuid)) STRICT
            """,
            "CREATE INDEX task_state ON task(state)",
            """
            CREATE TABLE part(
                task INTEGER PRIMARY KEY REFERENCES task ON DELETE CASCADE, name TEXT NOT NULL,
                device INTEGER NOT NULL, inode INTEGER NOT NULL, total INTEGER, durable INTEGER NOT NULL,
                boot TEXT NOT NULL, digest INTEGER NOT NULL, etag TEXT, last_modified TEXT, date TEXT,
                media_type TEXT, is_resumable INTEGER NOT NULL) STRICT
            """,
            """
            CREATE TABLE event(
                session INTEGER NOT NULL REFERENCES session, sequence INTEGER NOT NULL,
                task INTEGER NOT NULL REFERENCES task, kind INTEGER NOT NULL,
                PRIMARY KEY(session, sequence)) STRICT, WITHOUT ROWID
            """,
            "CREATE TABLE host(name TEXT PRIMARY KEY, quirks INTEGER NOT NULL) STRICT, WITHOUT ROWID",
        ],
        [
            """
            CREATE TABLE package(
                task INTEGER PRIMARY KEY REFERENCES task ON DELETE CASCADE, preferences BLOB NOT NULL,
                device INTEGER, inode INTEGER) STRICT
            """,
            """
            CREATE TABLE resource(
                task INTEGER NOT NULL REFERENCES package ON DELETE CASCADE, number INTEGER NOT NULL,
                kind INTEGER NOT NULL, plan INTEGER NOT NULL, url TEXT NOT NULL, name TEXT NOT NULL,
                start INTEGER NOT NULL, duration INTEGER NOT NULL, length INTEGER, PRIMARY KEY(task, number),
                UNIQUE(task, name)) STRICT, WITHOUT ROWID
            """,
            "CREATE INDEX resource_order ON resource(task, length, kind, start, number)",
        ],
        [
            """
            CREATE TABLE program(
                client INTEGER PRIMARY KEY REFERENCES client, modes INTEGER NOT NULL, fetch_interval INTEGER,
                boot TEXT NOT NULL, wall INTEGER NOT NULL, uptime INTEGER NOT NULL, fetch_record BLOB NOT NULL,
                push_record BLOB NOT NULL, process INTEGER NOT NULL, process_start INTEGER NOT NULL) STRICT
            """,
            """
            CREATE TABLE notification(
                id INTEGER PRIMARY KEY AUTOINCREMENT, client INTEGER NOT NULL REFERENCES client,
                identifier TEXT NOT NULL, collapse_key TEXT NOT NULL, is_urgent INTEGER NOT NULL,
                payload BLOB NOT NULL, received INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
                is_delivered INTEGER NOT NULL) STRICT
            """,
        ],
        [
            """
            CREATE TABLE registration(
                client INTEGER PRIMARY KEY REFERENCES client, token TEXT NOT NULL UNIQUE,
                endpoint TEXT NOT NULL) STRICT
            """,
            """
            CREATE TABLE push_server(
                id INTEGER PRIMARY KEY CHECK(id = 1), address TEXT NOT NULL, since TEXT NOT NULL) STRICT
            """,
        ],
        [
            // Older versions did not record the sender: their notifications count as those of programs.
            "ALTER TABLE notification ADD COLUMN is_from_server INTEGER NOT NULL DEFAULT 0",
            "ALTER TABLE registration ADD COLUMN is_encrypted INTEGER NOT NULL DEFAULT 0",
        ],
        ["ALTER TABLE task ADD COLUMN digest BLOB NOT NULL DEFAULT x''"],
    ]

    /// Brings a database to the newest version, each version in one transaction.
    ///
    /// - Throws: ``DatabaseError``, also if a newer version of the program has written the database.
    static func migrate(_ database: Database) throws(DatabaseError) {
        let version = try database.row("PRAGMA user_version") { row in Int(row.integer(0)) } ?? 0
        guard version <= migrations.count else {
            throw DatabaseError(
                operation: "open", code: 1,
                message: "a newer version of SwiftPlay has written it (version \(version)); update SwiftPlay")
        }
        for (index, statements) in migrations.enumerated().dropFirst(version) {
            try database.transaction { () throws(DatabaseError) in
                for statement in statements { try database.execute(statement) }
                try database.execute("PRAGMA user_version = \(index + 1)")
            }
        }
    }
}
