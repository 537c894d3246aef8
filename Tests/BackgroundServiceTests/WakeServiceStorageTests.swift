import BackgroundProtocol
import LedgerStore
import Testing

@testable import BackgroundService

/// Notifications that a full disk does not permit to remove.
@Suite struct WakeServiceStorageTests {
    private let fixture: WakeFixture

    init() throws { fixture = try WakeFixture() }

    @Test("older notifications of a program that the user closes for good are removed later")
    func notificationsOfAClosedProgramAreRemovedLater() throws {
        try fixture.open()
        for number in 0..<3 { _ = try fixture.push("\(number)", key: "\(number)", isUrgent: false) }
        let ledger = try Database(path: fixture.services.scratch.path + "/state/ledger.sqlite")
        try ledger.execute(
            "CREATE TRIGGER refusal BEFORE DELETE ON notification BEGIN SELECT RAISE(ABORT, 'full'); END")
        try fixture.quit()
        #expect(try fixture.stored.count == 3 && fixture.program?.notifications.count == 1)
        try ledger.execute("DROP TRIGGER refusal")
        fixture.wakes.saveAll()
        #expect(try fixture.stored.map(\.identifier) == ["2"])
    }
}
