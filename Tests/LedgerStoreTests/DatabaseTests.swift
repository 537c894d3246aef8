import Glibc
import TestSupport
import Testing

@testable import LedgerStore

@Suite struct DatabaseTests {
    private let directory: TemporaryDirectory
    private let database: Database

    init() throws {
        directory = try TemporaryDirectory()
        database = try Database(path: directory.file("test.sqlite"))
        try database.execute("CREATE TABLE item(id INTEGER PRIMARY KEY, v ANY) STRICT")
    }

    @Test(arguments: [
        Value.integer(.min), .integer(.max), .text(""), .text("ü\0x"), .bytes([]), .bytes([0, 255]), .null, .real(0.25),
    ]) func valuesRoundTrip(_ value: Value) throws {
        try database.run("INSERT INTO item(v) VALUES(?)", [value])
        let stored = try database.row("SELECT v FROM item") { row -> Value in
            switch value {
            case .integer: .integer(row.optionalInteger(0))
            case .real: .real(row.real(0))
            case .text: .text(row.optionalText(0))
            case .bytes: .bytes(row.bytes(0))
            case .null: row.optionalInteger(0) == nil && row.optionalText(0) == nil ? .null : .integer(0)
            }
        }
        #expect(stored == value)
    }

    @Test func unsignedNumbersKeepTheirBits() throws {
        try database.run("INSERT INTO item(v) VALUES(?)", [.bits(.max)])
        #expect(try database.row("SELECT v FROM item") { $0.bits(0) } == .max)
    }

    @Test func missingTextsAreEmpty() throws {
        try database.run("INSERT INTO item(v) VALUES(?)", [.null])
        #expect(try database.row("SELECT v FROM item") { $0.text(0) } == "")
    }

    @Test func aWrongNumberOfValuesIsAnError() {
        #expect(throws: DatabaseError.self) { try database.run("INSERT INTO item(v) VALUES(?)", []) }
    }

    @Test func anInvalidStatementIsAnErrorThatNamesIt() {
        let error = #expect(throws: DatabaseError.self) { try database.run("SELEKT 1") }
        #expect(error?.description.contains("SELEKT 1") == true)
    }

    @Test func constraintErrorsAreRecognised() {
        let error = #expect(throws: DatabaseError.self) {
            for _ in 0..<2 { try database.run("INSERT INTO item(id) VALUES(?)", [.integer(1)]) }
        }
        #expect(error?.isConstraint == true)
    }

    @Test func runReturnsTheNumberOfChangedRows() throws {
        for _ in 0..<3 { try database.run("INSERT INTO item(v) VALUES(?)", [.integer(1)]) }
        #expect(try database.run("UPDATE item SET v = ?", [.integer(2)]) == 3)
    }

    @Test func rowsKeepTheOrderOfTheQuery() throws {
        for value in [3, 1, 2] as [Int64] { try database.run("INSERT INTO item(v) VALUES(?)", [.integer(value)]) }
        #expect(try database.rows("SELECT v FROM item ORDER BY v") { $0.integer(0) } == [1, 2, 3])
    }

    @Test func aFailedTransactionLeavesNoChange() throws {
        #expect(throws: DatabaseError.self) {
            try database.transaction { () throws(DatabaseError) in
                try database.run("INSERT INTO item(v) VALUES(?)", [.integer(1)])
                try database.run("no statement")
            }
        }
        #expect(try database.rows("SELECT v FROM item") { $0.integer(0) }.isEmpty)
    }

    @Test func aNestedTransactionBelongsToTheOuterOne() throws {
        #expect(throws: DatabaseError.self) {
            try database.transaction { () throws(DatabaseError) in
                try database.transaction { () throws(DatabaseError) in
                    try database.run("INSERT INTO item(v) VALUES(?)", [.integer(1)])
                }
                try database.run("no statement")
            }
        }
        #expect(try database.rows("SELECT v FROM item") { $0.integer(0) }.isEmpty)
    }

    @Test func aTransactionFollowsAFailedOne() throws {
        _ = try? database.transaction { () throws(DatabaseError) in try database.run("no statement") }
        try database.transaction { () throws(DatabaseError) in
            try database.run("INSERT INTO item(v) VALUES(?)", [.integer(4)])
        }
        #expect(try database.row("SELECT v FROM item") { $0.integer(0) } == 4)
    }

    @Test(arguments: [("journal_mode", "wal"), ("synchronous", "2"), ("foreign_keys", "1")])
    func settingsAreInEffect(_ setting: (name: String, value: String)) throws {
        #expect(try database.row("PRAGMA \(setting.name)") { $0.text(0) } == setting.value)
    }

    @Test func aFileThatIsNotADatabaseIsRefused() throws {
        let path = directory.file("text.sqlite")
        let file = try #require(fopen(path, "w"))
        fputs(String(repeating: "not a database ", count: 200), file)
        fclose(file)
        let error = #expect(throws: DatabaseError.self) { try Database(path: path) }
        #expect(error?.isCorrupt == true)
    }

    @Test func aSymbolicLinkIsRefused() throws {
        #expect(symlink(directory.file("test.sqlite"), directory.file("link.sqlite")) == 0)
        #expect(throws: DatabaseError.self) { try Database(path: directory.file("link.sqlite")) }
    }
}
