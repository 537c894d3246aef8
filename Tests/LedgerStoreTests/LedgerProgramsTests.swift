import Testing

@testable import LedgerStore

@Suite struct LedgerProgramsTests {
    private let fixture: LedgerFixture
    private var client: Int64 { fixture.client }
    private var ledger: Ledger { fixture.ledger }

    init() throws { fixture = try LedgerFixture() }

    private var program: ProgramRow {
        var row = ProgramRow(
            client: client, modes: 3, fetchInterval: 900, mark: ClockMark(boot: "b", wall: 1, uptime: 2))
        (row.fetchRecord, row.pushRecord, row.process, row.processStart) = ([1, 0, 2], [3], 4, .max)
        return row
    }

    private var notification: NotificationRow {
        var row = NotificationRow(client: client, identifier: "a", payload: [0, 255], received: 5)
        (row.collapseKey, row.isUrgent, row.attempts, row.isDelivered) = ("feed", false, 2, true)
        row.isFromServer = true
        return row
    }

    @Test func aProgramRoundTrips() throws {
        try ledger.save(program)
        try fixture.reopen()
        #expect(try ledger.programs() == [program])
    }

    @Test func savingAgainReplacesAProgram() throws {
        try ledger.save(program)
        var changed = program
        (changed.fetchInterval, changed.modes, changed.pushRecord, changed.process) = (nil, 1, [], 0)
        try ledger.save(changed)
        #expect(try ledger.programs() == [changed])
    }

    @Test func aProgramNeedsARegisteredClient() {
        var row = program
        row.client = 99
        #expect(throws: DatabaseError.self) { try ledger.save(row) }
    }

    @Test func aNotificationRoundTrips() throws {
        var row = notification
        row.id = try ledger.append(row)
        #expect(row.id > 0)
        try fixture.reopen()
        #expect(try ledger.notifications() == [row])
    }

    @Test func notificationsKeepTheOrderOfTheirReceipt() throws {
        let ids = try (0..<3).map { _ in try ledger.append(notification) }
        #expect(try ledger.notifications().map(\.id) == ids)
    }

    @Test func aDeliveryIsSaved() throws {
        var row = notification
        row.id = try ledger.append(row)
        (row.attempts, row.isDelivered) = (3, false)
        try ledger.saveDelivery(of: row)
        #expect(try ledger.notifications() == [row])
    }

    @Test("the key of a removed notification is not used again, so that a late acknowledgement removes no other one")
    func keysAreNotUsedAgain() throws {
        let first = try ledger.append(notification)
        try ledger.removeNotification(first)
        try ledger.removeNotification(first)
        #expect(try ledger.notifications().isEmpty)
        #expect(try ledger.append(notification) > first)
    }

    @Test("a notification that an older version has stored counts as one of a program, and keeps its content")
    func aLedgerWithoutSendersIsMigrated() throws {
        var row = notification
        row.id = try ledger.append(row)
        for change in [
            "ALTER TABLE notification DROP COLUMN is_from_server", "ALTER TABLE registration DROP COLUMN is_encrypted",
            "ALTER TABLE task DROP COLUMN digest",
            "INSERT INTO registration(client, token, endpoint) VALUES(\(client), 'secret', '')",
            "PRAGMA user_version = 4",
        ] { try ledger.database.execute(change) }
        try fixture.reopen()
        row.isFromServer = false
        #expect(try ledger.notifications() == [row])
        #expect(try ledger.registrations() == [RegistrationRow(client: client, token: "secret")])
        row.isFromServer = true
        row.id = try ledger.append(row)
        try fixture.reopen()
        #expect(try ledger.notifications().map(\.isFromServer) == [false, true])
    }

    @Test func aLedgerWithoutProgramsIsMigrated() throws {
        for table in ["push_server", "registration", "notification"] {
            try ledger.database.execute("DROP TABLE \(table)")
        }
        try ledger.database.execute("DROP TABLE program")
        try ledger.database.execute("ALTER TABLE task DROP COLUMN digest")
        try ledger.database.execute("PRAGMA user_version = 2")
        try fixture.reopen()
        try ledger.save(program)
        #expect(try ledger.programs() == [program])
    }
}
