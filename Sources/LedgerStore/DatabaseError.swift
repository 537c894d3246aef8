/// A failed call of SQLite.
package struct DatabaseError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What failed, such as `open` or the start of a statement.
    package let operation: String
    /// SQLite's extended result code.
    package let code: Int32
    /// SQLite's message.
    package let message: String

    /// Creates an error.
    package init(operation: String, code: Int32, message: String) {
        (self.operation, self.code, self.message) = (operation, code, message)
    }

    /// Whether the disk or the quota of the user is full (`SQLITE_FULL`).
    package var isDiskFull: Bool { code & 0xff == 13 }
    /// Whether the file is damaged or not a database (`SQLITE_CORRUPT`, `SQLITE_NOTADB`).
    package var isCorrupt: Bool { [11, 26].contains(code & 0xff) }
    /// Whether a unique value exists already (`SQLITE_CONSTRAINT`).
    package var isConstraint: Bool { code & 0xff == 19 }

    package var description: String { "database: \(operation): \(message) (\(code))" }
}
