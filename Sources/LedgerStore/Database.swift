import CSQLite

/// An open SQLite database. Used by one thread, which also finalizes all statements.
package final class Database {
    /// The connection of SQLite.
    let handle: OpaquePointer
    /// The compiled statements by their text. A statement is compiled once and used again.
    private var statements: [String: Statement] = [:]
    /// The number of open calls of ``transaction(_:)``.
    private var transactionDepth = 0

    /// Opens or creates the database at `path`, with a write-ahead log and a sync of the log after each transaction.
    ///
    /// - Throws: ``DatabaseError`` if the file cannot be opened or is not a database.
    package init(path: String) throws(DatabaseError) {
        _ = csqlite_disable_memory_statistics()
        var connection: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW
        let code = sqlite3_open_v2(path, &connection, flags, nil)
        guard code == SQLITE_OK, let connection else {
            let message = String(cString: sqlite3_errstr(code))
            sqlite3_close_v2(connection)
            throw DatabaseError(operation: "open", code: code, message: message)
        }
        handle = connection
        sqlite3_extended_result_codes(connection, 1)
        // One process at a time holds the lock of the service, but its predecessor may still be closing the file.
        sqlite3_busy_timeout(connection, 2000)
        _ = csqlite_enable_defensive_mode(connection)
        // The schema that the file contains must not call functions; the file may have been replaced.
        try execute("PRAGMA trusted_schema = OFF")
        try execute("PRAGMA journal_mode = WAL")
        try execute("PRAGMA synchronous = FULL")
        try execute("PRAGMA foreign_keys = ON")
        // 256 KiB of pages: the rows of a thousand transfers.
        try execute("PRAGMA cache_size = -256")
        try execute("PRAGMA journal_size_limit = 1048576")
    }

    deinit {
        statements.removeAll()
        sqlite3_close_v2(handle)
    }

    /// Runs a statement without parameters and ignores its rows.
    package func execute(_ text: String) throws(DatabaseError) {
        let code = sqlite3_exec(handle, text, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(text) }
    }

    /// Runs a statement once.
    ///
    /// - Returns: The number of rows that the statement changed.
    @discardableResult
    package func run(_ text: String, _ values: [Value] = []) throws(DatabaseError) -> Int {
        let statement = try prepared(text)
        defer { statement.reset() }
        try statement.bind(values)
        while try statement.step() {}
        return Int(sqlite3_changes(handle))
    }

    /// Runs a query and decodes each row.
    package func rows<Row>(
        _ text: String, _ values: [Value] = [], _ decode: (Statement) throws(DatabaseError) -> Row
    ) throws(DatabaseError) -> [Row] {
        let statement = try prepared(text)
        defer { statement.reset() }
        try statement.bind(values)
        var rows: [Row] = []
        while try statement.step() { rows.append(try decode(statement)) }
        return rows
    }

    /// Runs a query and decodes its first row; nil if it has no rows.
    package func row<Row>(
        _ text: String, _ values: [Value] = [], _ decode: (Statement) throws(DatabaseError) -> Row
    ) throws(DatabaseError) -> Row? {
        let statement = try prepared(text)
        defer { statement.reset() }
        try statement.bind(values)
        return try statement.step() ? try decode(statement) : nil
    }

    /// The number of the row that was inserted last.
    package var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Runs `body` as one transaction: either all of its changes are on the disk when this method returns, or none of
    /// them if the method throws. Nested calls belong to the outermost transaction.
    @discardableResult
    package func transaction<Result>(
        _ body: () throws(DatabaseError) -> Result
    ) throws(DatabaseError) -> Result {
        guard transactionDepth == 0 else { return try body() }
        try execute("BEGIN IMMEDIATE")
        transactionDepth += 1
        defer { transactionDepth -= 1 }
        do throws(DatabaseError) {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // SQLite has rolled the transaction back itself after some errors, such as a full disk.
            if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
            throw error
        }
    }

    /// Copies the write-ahead log into the database and empties the log.
    package func checkpoint() { sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil) }

    /// Returns memory that SQLite can do without, such as cached pages.
    package func releaseMemory() { sqlite3_db_release_memory(handle) }

    /// Returns the compiled statement for a text.
    private func prepared(_ text: String) throws(DatabaseError) -> Statement {
        if let statement = statements[text] { return statement }
        let statement = try Statement(self, text)
        statements[text] = statement
        return statement
    }

    /// Returns the error of the last call.
    func error(_ operation: String) -> DatabaseError {
        DatabaseError(
            operation: String(operation.prefix(60)), code: sqlite3_extended_errcode(handle),
            message: String(cString: sqlite3_errmsg(handle)))
    }
}
