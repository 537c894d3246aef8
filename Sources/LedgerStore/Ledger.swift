import Glibc
import SystemCalls

/// The durable record of all background transfers of a user: a directory with a database, secrets and a reserve of
/// disk space. Used by one thread.
///
/// Every method that changes the record is one transaction, or part of the transaction that the caller has opened with
/// ``transaction(_:)``.
package final class Ledger {
    /// The directory, with access for this user only.
    package let directory: String
    /// The database.
    let database: Database
    /// The header fields of requests, which may contain secrets.
    package let secrets: SecretStore
    /// The disk space that is given up so that a transaction succeeds on a full disk.
    private let reserve: DiskReserve

    /// Opens or creates the record in `directory`.
    ///
    /// - Throws: ``LedgerError`` with what failed.
    package init(directory: String) throws(LedgerError) {
        self.directory = directory
        do throws(SystemCallError) {
            let handle = try DirectoryDescriptor.create(directory)
            try systemCall("fchmod") { fchmod(handle.raw, 0o700) }
            secrets = try SecretStore(directory: directory + "/secrets")
            reserve = DiskReserve(directory: handle)
            // SQLite creates its files with the permissions of the process; the database contains addresses.
            umask(0o077)
        } catch { throw .files(directory: directory, error) }
        do throws(DatabaseError) {
            database = try Database(path: directory + "/ledger.sqlite")
            try LedgerSchema.migrate(database)
        } catch { throw .database(directory: directory, error) }
        reserve.restore()
    }

    /// Runs `body` as one transaction. If the disk is full, the reserve is given up and `body` runs once more; its
    /// first run has had no effect.
    @discardableResult
    package func transaction<Result>(_ body: () throws(DatabaseError) -> Result) throws(DatabaseError) -> Result {
        do throws(DatabaseError) {
            return try database.transaction(body)
        } catch {
            guard error.isDiskFull, reserve.release() else { throw error }
            return try database.transaction(body)
        }
    }

    /// Whether the reserve was given up, so that the disk was full.
    package var isReserveReleased: Bool { !reserve.isHeld }

    /// Creates the reserve again, if there is space.
    package func restoreReserve() { reserve.restore() }

    /// Moves the write-ahead log into the database and returns memory. Call it when the service becomes idle.
    package func compact() {
        database.checkpoint()
        database.releaseMemory()
    }

    // MARK: Clocks

    /// The mark that was saved last; nil in a new record.
    package func clockMark() throws(DatabaseError) -> ClockMark? {
        try database.row("SELECT boot, wall, uptime FROM mark") { row in
            ClockMark(boot: row.text(0), wall: row.integer(1), uptime: row.integer(2))
        }
    }

    /// Saves the clocks, and subtracts the time that has passed since the last mark from the time limit of every
    /// transfer that has not ended.
    package func save(_ mark: ClockMark, passed: Int64) throws(DatabaseError) {
        try transaction { () throws(DatabaseError) in
            try database.run(
                """
                INSERT INTO mark(id, boot, wall, uptime) VALUES(1, ?, ?, ?) ON CONFLICT(id) DO UPDATE SET \
                boot = excluded.boot, wall = excluded.wall, uptime = excluded.uptime
                """, [.text(mark.boot), .integer(mark.wall), .integer(mark.uptime)])
            guard passed > 0 else { return }
            try database.run(
                "UPDATE task SET time_limit = time_limit - ? WHERE ended IS NULL AND time_limit > 0",
                [.integer(passed)])
        }
    }

    // MARK: Hosts

    /// The observed quirks of a host, as bits of the caller; 0 if none.
    package func quirks(of host: String) throws(DatabaseError) -> Int64 {
        try database.row("SELECT quirks FROM host WHERE name = ?", [.text(host)]) { row in row.integer(0) } ?? 0
    }

    /// Saves the observed quirks of a host. At most 1,000 hosts are kept.
    package func saveQuirks(_ quirks: Int64, of host: String) throws(DatabaseError) {
        try transaction { () throws(DatabaseError) in
            try database.run(
                "INSERT INTO host VALUES(?, ?) ON CONFLICT(name) DO UPDATE SET quirks = excluded.quirks",
                [.text(host), .integer(quirks)])
            try database.run("DELETE FROM host WHERE name IN (SELECT name FROM host LIMIT -1 OFFSET 1000)")
        }
    }
}

/// The reason why the record cannot be opened.
package enum LedgerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A file or directory cannot be created or opened.
    case files(directory: String, SystemCallError)
    /// The database cannot be opened or is damaged.
    case database(directory: String, DatabaseError)

    /// Whether the disk or the quota of the user is full.
    package var isDiskFull: Bool {
        switch self {
        case .files(_, let error): error.number == ENOSPC || error.number == EDQUOT
        case .database(_, let error): error.isDiskFull
        }
    }

    package var description: String {
        switch self {
        case .files(let directory, let error):
            "the background transfers in \(directory) cannot be opened: \(error). Check its permissions and free space."
        case .database(let directory, let error) where error.isCorrupt:
            "\(directory)/ledger.sqlite is damaged: \(error.message). Move it away to start without transfers."
        case .database(let directory, let error) where error.isDiskFull:
            "the background transfers in \(directory) cannot be opened: the disk is full. Free some space."
        case .database(let directory, let error):
            "\(directory)/ledger.sqlite cannot be opened: \(error.message). Check its permissions and free space."
        }
    }
}
