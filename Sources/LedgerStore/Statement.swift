import CSQLite

/// A value that is bound to a parameter of a statement.
package enum Value: Sendable, Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case bytes([UInt8])

    /// Returns an integer, or `null` for nil.
    package static func integer(_ value: Int64?) -> Value { value.map { .integer($0) } ?? .null }
    /// Returns a text, or `null` for nil.
    package static func text(_ value: String?) -> Value { value.map { .text($0) } ?? .null }
    /// Returns 1 or 0.
    package static func flag(_ value: Bool) -> Value { .integer(value ? 1 : 0) }
    /// Returns the integer with the bits of an unsigned number, such as an inode.
    package static func bits(_ value: UInt64) -> Value { .integer(Int64(bitPattern: value)) }
}

/// A compiled SQL statement. Columns are numbered from 0.
package final class Statement {
    /// The statement of SQLite.
    private let handle: OpaquePointer
    /// The database, which closes only after its statements were finalized; it owns this object.
    private unowned let database: Database
    /// The text of the statement, for errors.
    private let text: String

    /// Compiles a statement.
    init(_ database: Database, _ text: String) throws(DatabaseError) {
        var statement: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        guard sqlite3_prepare_v3(database.handle, text, -1, flags, &statement, nil) == SQLITE_OK, let statement else {
            throw database.error(text)
        }
        (handle, self.database, self.text) = (statement, database, text)
    }

    deinit { sqlite3_finalize(handle) }

    /// Binds the parameters in order; the number of values must be the number of parameters.
    func bind(_ values: [Value]) throws(DatabaseError) {
        guard values.count == Int(sqlite3_bind_parameter_count(handle)) else {
            throw DatabaseError(operation: text, code: SQLITE_RANGE, message: "wrong number of values")
        }
        for (index, value) in values.enumerated() {
            let position = Int32(index + 1)
            let code =
                switch value {
                case .null: sqlite3_bind_null(handle, position)
                case .integer(let number): sqlite3_bind_int64(handle, position, number)
                case .real(let number): sqlite3_bind_double(handle, position, number)
                case .text(let string): bind(string, at: position)
                case .bytes(let bytes): csqlite_bind_bytes(handle, position, bytes, Int32(clamping: bytes.count))
                }
            guard code == SQLITE_OK else { throw database.error(text) }
        }
    }

    /// Binds a text with its length, because it may contain zero characters.
    private func bind(_ string: String, at position: Int32) -> Int32 {
        var string = string
        return string.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                csqlite_bind_text(handle, position, $0.baseAddress, Int32(clamping: $0.count))
            }
        }
    }

    /// Advances to the next row; returns false after the last one.
    func step() throws(DatabaseError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw database.error(text)
        }
    }

    /// Ends the execution and forgets the bound values, so that no large value stays in memory.
    func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    /// Returns an integer of the current row; 0 for `null`.
    package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
    /// Returns an integer of the current row; nil for `null`.
    package func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }
    /// Returns a flag of the current row.
    package func flag(_ column: Int32) -> Bool { integer(column) != 0 }
    /// Returns the bits of an integer of the current row as an unsigned number.
    package func bits(_ column: Int32) -> UInt64 { UInt64(bitPattern: integer(column)) }

    /// Returns a number of the current row; 0 for `null`.
    package func real(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    /// Returns a text of the current row; empty for `null`.
    package func text(_ column: Int32) -> String {
        guard let pointer = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: pointer, count: count), as: UTF8.self)
    }
    /// Returns a text of the current row; nil for `null`.
    package func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    /// Returns the bytes of the current row; empty for `null`.
    package func bytes(_ column: Int32) -> [UInt8] {
        guard let pointer = sqlite3_column_blob(handle, column) else { return [] }
        let count = Int(sqlite3_column_bytes(handle, column))
        return Array(UnsafeRawBufferPointer(start: pointer, count: count))
    }

    /// Whether a column of the current row is `null`.
    private func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }
}
