import BackgroundProtocol
import FetchPolicy
import Glibc
import LedgerStore
import PushPolicy
import TestSupport
import Testing

@testable import BackgroundService

/// Notifications by the service, with clocks that the test sets.
@Suite struct WakeServiceNotificationTests {
    private let fixture: WakeFixture

    init() throws { fixture = try WakeFixture() }

    /// The numbers of notifications.
    private var counts: BackgroundProgram.Notifications {
        get throws { try #require(fixture.wakes.snapshots().first).notifications }
    }

    @Test func anOpenProgramReceivesANotificationAtOnce() throws {
        let socket = try fixture.connect()
        #expect(try fixture.push("a") == .delivered)
        let events = fixture.received(socket)
        #expect(events.notifications == ["{\"aps\":{\"content-available\":1},\"id\":\"a\"}"])
        try fixture.send(.completeNotification(id: events.notificationIDs[0], .newData), from: socket)
        #expect(try fixture.stored.isEmpty && fixture.wakes.wakes.isEmpty)
    }

    @Test func aProgramThatDoesNotRunIsStarted() throws {
        try fixture.open()
        #expect(try fixture.push("a") == .delivered)
        #expect(fixture.starter.processes.count == 1)
        try fixture.connect(isBackgroundStart: true, presence: .background)
        #expect(fixture.wakes.wakes.first?.isSent == true)
    }

    @Test("of a hundred notifications, three are delivered at once and the newest of the rest later")
    func aFloodWakesTheProgramThreeTimes() throws {
        let socket = try fixture.connect(presence: .background)
        for number in 0..<100 {
            try fixture.push("\(number)")
            for id in fixture.received(socket).notificationIDs {
                try fixture.send(.completeNotification(id: id, .newData), from: socket)
            }
        }
        var counts = try counts
        #expect(counts.received == 100 && counts.delivered == 3 && counts.replaced == 96 && counts.waiting == 1)
        fixture.advance(by: 1199)
        #expect(fixture.received(socket).notifications.isEmpty)
        fixture.advance(by: 1)
        #expect(fixture.received(socket).notifications.first?.contains("\"99\"") == true)
        counts = try self.counts
        #expect(counts.delivered == 4 && counts.waiting == 0)
    }

    @Test func openingTheProgramDeliversWhatWaits() throws {
        let socket = try fixture.connect(presence: .background)
        for number in 0..<4 { try fixture.push("\(number)") }
        _ = fixture.received(socket)
        #expect(try fixture.send(.setPresence(.opened), from: socket).notifications.count == 1)
        #expect(try fixture.push("more") == .delivered)
    }

    @Test("a notification that the service did not survive is delivered again without a further wake")
    func aRestartDeliversAgain() throws {
        try fixture.open()
        for number in 0..<3 { try fixture.push("\(number)", key: "\(number)") }
        try fixture.restart()
        fixture.advance(by: 1)
        #expect(fixture.starter.processes.count == 1)
        let socket = try fixture.connect(isBackgroundStart: true, presence: .background)
        #expect(fixture.wakes.wakes.count == 3 && fixture.wakes.wakes.allSatisfy { $0.isSent })
        for row in try fixture.stored {
            try fixture.send(.completeNotification(id: row.id, .noData), from: socket)
        }
        #expect(try fixture.stored.isEmpty)
        try fixture.restart()
        fixture.advance(by: 1)
        #expect(fixture.starter.processes.isEmpty)
    }

    @Test("after a crash of the program, the newer of two notifications with the same key is repeated")
    func aCrashRepeatsTheNewerNotification() throws {
        let socket = try fixture.connect(presence: .opened)
        for number in 0..<2 { try fixture.push("\(number)", key: "key") }
        #expect(fixture.received(socket).notifications.count == 2)
        fixture.disconnect(socket)
        #expect(try fixture.stored.map(\.identifier) == ["1"])
    }

    @Test("after a crash of the program, notifications with different keys keep their order")
    func aCrashKeepsTheOrderOfNotifications() throws {
        let socket = try fixture.connect(presence: .opened)
        for number in 0..<3 { try fixture.push("\(number)", key: "\(number)") }
        fixture.disconnect(socket)
        #expect(try #require(fixture.program).queue.pending.map(\.id) == ["0", "1", "2"])
    }

    @Test("a running program connects again after a crash of the service, and is not started a second time")
    func aRunningProgramIsNotStartedAgain() throws {
        try fixture.connect(presence: .background)
        try fixture.push("a")
        try fixture.restart()
        fixture.advance(by: 4)
        #expect(fixture.starter.processes.isEmpty && fixture.wakes.wakes.count == 1)
        let socket = try fixture.connect(presence: .background)
        #expect(fixture.wakes.wakes.first?.isSent == true)
        try fixture.send(.completeNotification(id: try #require(try fixture.stored.first).id, .newData), from: socket)
        #expect(try fixture.stored.isEmpty)
    }

    @Test func aStartedProcessIsNotStartedAgainAfterACrashOfTheService() throws {
        try fixture.open()
        fixture.starter.processID = getpid()
        try fixture.push("a")
        try fixture.restart()
        fixture.advance(by: 4)
        #expect(fixture.starter.processes.isEmpty)
        try fixture.connect(isBackgroundStart: true, presence: .background)
        #expect(fixture.wakes.wakes.first?.isSent == true)
    }

    @Test func aProgramThatDoesNotConnectAgainIsStarted() throws {
        try fixture.connect(presence: .background)
        try fixture.push("a")
        try fixture.restart()
        fixture.advance(by: 1)
        fixture.advance(by: 4)
        #expect(fixture.starter.processes.count == 1 && fixture.wakes.wakes.count == 1)
    }

    @Test("a program that connects again after a crash of the service and exits at once is started")
    func aProgramThatExitsAfterItsHelloIsStarted() throws {
        try fixture.connect(presence: .background)
        try fixture.push("a")
        try fixture.restart()
        fixture.advance(by: 1)
        #expect(fixture.starter.processes.isEmpty && fixture.wakes.wakes.count == 1)
        try fixture.connectAndExit()
        fixture.advance(by: 1)
        #expect(fixture.starter.processes.count == 1 && fixture.wakes.wakes.count == 1)
    }

    @Test("a program that ends before the service has read its hello can still be started")
    func aProgramThatEndsAtOnceCanBeStarted() throws {
        try fixture.open()
        var description = ProgramDescription(name: WakeFixture.name, launchArguments: [])
        description.modes = .known
        // No process has this ID.
        let client = try fixture.services.sessions.register(description, processID: (1 << 22) + 1)
        #expect(client.row.arguments == ["--background"])
        #expect(try fixture.push("a") == .delivered)
    }

    @Test func aDuplicateIsIgnoredAlsoAfterARestart() throws {
        try fixture.open()
        try fixture.push("a")
        try fixture.restart()
        #expect(try fixture.push("a") == .duplicate)
        #expect(try fixture.stored.count == 1)
    }

    @Test func aProgramThatExitsWithoutAnAnswerReceivesTheNotificationAgain() throws {
        try fixture.open()
        try fixture.push("a")
        fixture.starter.exit()
        fixture.advance(by: 1)
        #expect(fixture.starter.processes.count == 2)
        #expect(try fixture.stored.first?.attempts == 2)
    }

    @Test func aNotificationThatIsNeverAnsweredIsDropped() throws {
        try fixture.open(interval: nil)
        try fixture.push("a")
        for _ in 0..<10 {
            fixture.starter.exit()
            fixture.advance(by: 1200)
        }
        #expect(fixture.starter.processes.count == Int(WakeService.attemptLimit))
        #expect(try fixture.stored.isEmpty)
    }

    @Test func aLateAnswerIsAccepted() throws {
        let socket = try fixture.connect(presence: .background)
        try fixture.push("a")
        let id = try #require(fixture.received(socket).notificationIDs.first)
        fixture.setTime(30)
        for wake in fixture.wakes.wakes { fixture.wakes.checkTime(of: wake) }
        #expect(try counts.waiting == 1)
        try fixture.send(.completeNotification(id: id, .newData), from: socket)
        #expect(try fixture.stored.isEmpty && counts.waiting == 0)
    }

    @Test("an end that a full disk does not permit to store is refused, and stored later")
    func anEndThatCannotBeStoredIsTriedAgain() throws {
        let socket = try fixture.connect(presence: .background)
        try fixture.push("a")
        let id = try #require(fixture.received(socket).notificationIDs.first)
        let ledger = try Database(path: fixture.services.scratch.path + "/state/ledger.sqlite")
        try ledger.execute(
            "CREATE TRIGGER refusal BEFORE DELETE ON notification BEGIN SELECT RAISE(ABORT, 'full'); END")
        let client = try #require(fixture.program).client
        #expect(throws: ClientEvent.Refusal.self) {
            try fixture.wakes.completeNotification(id, .newData, client: client)
        }
        #expect(try fixture.stored.count == 1 && counts.waiting == 0 && fixture.wakes.wakes.isEmpty)
        try ledger.execute("DROP TRIGGER refusal")
        fixture.wakes.saveAll()
        #expect(try fixture.stored.isEmpty)
    }

    @Test func anAnswerOfAnotherProgramIsIgnored() throws {
        let socket = try fixture.connect(presence: .background)
        try fixture.push("a")
        let id = try #require(fixture.received(socket).notificationIDs.first)
        let client = try fixture.services.sessions.register(ProgramDescription(name: "other"), processID: getpid())
        try fixture.wakes.completeNotification(id, .newData, client: client)
        #expect(try fixture.stored.count == 1)
    }

    @Test func aProgramThatTheUserHasClosedForGoodIsNotStarted() throws {
        try fixture.open()
        try fixture.quit()
        for number in 0..<3 { #expect(try fixture.push("\(number)", key: "\(number)") == .waiting) }
        fixture.advance(by: 100_000)
        #expect(fixture.starter.processes.isEmpty)
        let opened = try fixture.connect(presence: nil)
        let events = try fixture.send(.setPresence(.opened), from: opened)
        #expect(events.notifications.count == 1 && events.notifications[0].contains("\"2\""))
    }

    @Test func aNotificationThatIsNotUrgentGoesAlongWithAFetch() throws {
        try fixture.open()
        #expect(try fixture.push("low", isUrgent: false) == .waiting)
        fixture.advance(by: 1)
        #expect(fixture.starter.processes.isEmpty)
        fixture.wakes.send(.requested(try #require(fixture.program).id))
        #expect(fixture.wakes.wakes.count == 2 && fixture.starter.processes.count == 1)
    }

    @Test func aReplacedNotificationLeavesTheRecord() throws {
        let socket = try fixture.connect(presence: .background)
        for number in 0..<3 { try fixture.push("\(number)") }
        for id in fixture.received(socket).notificationIDs {
            try fixture.send(.completeNotification(id: id, .newData), from: socket)
        }
        try fixture.push("old", key: "feed")
        try fixture.push("new", key: "feed")
        #expect(try fixture.stored.map(\.identifier) == ["new"])
    }

    @Test(arguments: [
        "", "text", "{}", "{\"aps\":{\"alert\":\" \"}}",
        "{\"aps\":{\"content-available\":1},\"text\":\"" + String(repeating: "x", count: 4096) + "\"}",
    ])
    func otherPayloadsAreRefused(_ payload: String) throws {
        try fixture.open()
        let refusal = #expect(throws: ClientEvent.Refusal.self) { try fixture.push("a", payload) }
        #expect(refusal?.code == .invalid)
        #expect(try fixture.stored.isEmpty)
    }

    @Test func aProgramWithoutTheModeReceivesNothing() throws {
        try fixture.connect(modes: .fetch)
        let refusal = #expect(throws: ClientEvent.Refusal.self) { try fixture.push("a") }
        #expect(refusal?.code == .invalid)
    }

    @Test func aSenderThatExceedsTheLimitIsRefused() throws {
        try fixture.connect()
        for number in 0..<PushQueue.messagesPerMinute { try fixture.push("\(number)") }
        let refusal = #expect(throws: ClientEvent.Refusal.self) { try fixture.push("more") }
        #expect(refusal?.code == .limit)
    }

    @Test func aStartThatIsRefusedLetsTheNotificationWait() throws {
        try fixture.open()
        try #require(fixture.program).client.relaunch.handleFailedStart(now: .zero)
        #expect(try fixture.push("a") == .waiting)
        fixture.advance(by: 59)
        #expect(fixture.starter.processes.isEmpty)
        fixture.advance(by: 1)
        #expect(fixture.starter.processes.count == 1)
    }
}
