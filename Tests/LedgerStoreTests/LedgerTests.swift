import Glibc
import SystemCalls
import TestSupport
import Testing

@testable import LedgerStore

@Suite struct LedgerTests {
    private let fixture: LedgerFixture
    private var ledger: Ledger { fixture.ledger }

    init() throws { fixture = try LedgerFixture() }

    /// Returns the permission bits of a file below the ledger's directory.
    private func permissions(_ name: String) -> UInt32? {
        var status = stat()
        return lstat(ledger.directory + name, &status) == 0 ? status.st_mode & 0o777 : nil
    }

    @Test(arguments: ["", "/secrets"]) func directoriesBelongToTheUserAlone(_ name: String) {
        #expect(permissions(name) == 0o700)
    }

    @Test(arguments: ["/ledger.sqlite", "/ledger.sqlite-wal", "/reserve"])
    func filesBelongToTheUserAlone(_ name: String) { #expect(permissions(name) == 0o600) }

    @Test func aNewLedgerHasNoMark() throws { #expect(try ledger.clockMark() == nil) }

    @Test func theMarkIsReplaced() throws {
        for wall in [1, 2] as [Int64] {
            try ledger.save(ClockMark(boot: "b\(wall)", wall: wall, uptime: wall * 10), passed: 0)
        }
        #expect(try ledger.clockMark() == ClockMark(boot: "b2", wall: 2, uptime: 20))
    }

    @Test func passedTimeShortensTheLimitOfOpenTransfers() throws {
        let open = try fixture.task(1), ended = try fixture.task(2)
        var progress = ended.progress
        progress.ended = 9
        try ledger.save(progress, of: ended.id)
        try ledger.save(ClockMark(boot: "b", wall: 1, uptime: 1), passed: 400)
        #expect(try ledger.task(open.id)?.schedule.timeLimit == 600)
        #expect(try ledger.task(ended.id)?.schedule.timeLimit == 1000)
    }

    @Test func contentSurvivesReopening() throws {
        let task = try fixture.task()
        try fixture.reopen()
        #expect(try ledger.task(task.id) == task)
    }

    @Test func aNewerSchemaIsRefused() throws {
        try ledger.database.execute("PRAGMA user_version = 999")
        let error = #expect(throws: LedgerError.self) { try Ledger(directory: ledger.directory) }
        #expect(error?.description.contains("update SwiftPlay") == true)
    }

    @Test func anUnusableDirectoryIsNamed() {
        let error = #expect(throws: LedgerError.self) { try Ledger(directory: "/proc/background") }
        #expect(error?.description.contains("/proc/background") == true)
    }

    @Test func aDamagedDatabaseIsNamedWithAnInstruction() throws {
        let path = fixture.directory.file("damaged")
        _ = try DirectoryDescriptor.create(path)
        let file = try #require(fopen(path + "/ledger.sqlite", "w"))
        fputs(String(repeating: "damaged ", count: 300), file)
        fclose(file)
        let error = #expect(throws: LedgerError.self) { try Ledger(directory: path) }
        #expect(error?.description.contains("Move it away") == true)
    }

    @Test func aFullDiskGivesUpTheReserveAndRepeatsTheTransaction() throws {
        var calls = 0
        try ledger.transaction { () throws(DatabaseError) in
            calls += 1
            if calls == 1 { throw DatabaseError(operation: "test", code: 13, message: "full") }
        }
        #expect(calls == 2)
        #expect(ledger.isReserveReleased)
        #expect(permissions("/reserve") == nil)
    }

    @Test func withoutReserveAFullDiskIsAnError() throws {
        func fail() throws(DatabaseError) { throw DatabaseError(operation: "test", code: 13, message: "full") }
        for _ in 0..<2 { #expect(throws: DatabaseError.self) { try ledger.transaction(fail) } }
    }

    @Test func theReserveIsRestored() throws {
        _ = try? ledger.transaction { () throws(DatabaseError) in
            throw DatabaseError(operation: "test", code: 13, message: "full")
        }
        ledger.restoreReserve()
        #expect(!ledger.isReserveReleased)
        #expect(permissions("/reserve") == 0o600)
    }

    @Test func otherErrorsKeepTheReserve() {
        _ = try? ledger.transaction { () throws(DatabaseError) in
            throw DatabaseError(operation: "test", code: 5, message: "busy")
        }
        #expect(!ledger.isReserveReleased)
    }

    @Test func compactingEmptiesTheLog() throws {
        _ = try fixture.task()
        ledger.compact()
        var status = stat()
        #expect(stat(ledger.directory + "/ledger.sqlite-wal", &status) == 0 && status.st_size == 0)
    }

    @Test func quirksOfHostsAreReplaced() throws {
        #expect(try ledger.quirks(of: "example.org") == 0)
        for quirks in [1, 3] as [Int64] { try ledger.saveQuirks(quirks, of: "example.org") }
        #expect(try ledger.quirks(of: "example.org") == 3)
    }

    @Test func theNumberOfHostsIsBounded() throws {
        try ledger.transaction { () throws(DatabaseError) in
            for number in 0..<1010 { try ledger.saveQuirks(1, of: "host\(number)") }
        }
        #expect(try ledger.database.row("SELECT count(*) FROM host") { $0.integer(0) } == 1000)
    }
}
