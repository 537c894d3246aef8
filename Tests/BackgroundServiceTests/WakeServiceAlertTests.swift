import BackgroundProtocol
import TestSupport
import Testing

@testable import BackgroundService

/// The banners of notifications, with clocks that the test sets.
@Suite struct WakeServiceAlertTests {
    private static let silent = "\"content-available\":1"
    private let fixture: WakeFixture

    init() throws { fixture = try WakeFixture() }

    /// Sends a notification with members of `aps`.
    private func push(_ identifier: String, key: String = "", _ aps: String) throws -> PushMessage.Receipt {
        try fixture.push(identifier, key: key, "{\"aps\":{\(aps)}}")
    }

    @Test func theBannerFollowsTheCompletion() throws {
        let socket = try fixture.connect()
        #expect(try push("a", Self.silent + ",\"alert\":\"new\"") == .delivered)
        let id = try #require(fixture.received(socket).notificationIDs.first)
        #expect(fixture.banners.shown.isEmpty && fixture.banners.planned[id]?.body == "new")
        try fixture.send(.completeNotification(id: id, .newData), from: socket)
        #expect(fixture.banners.shown == ["player: : new"])
    }

    @Test func anAlertAloneIsShownAtOnceAndWakesNoProgram() throws {
        try fixture.open()
        #expect(try push("a", "\"alert\":{\"title\":\"T\",\"body\":\"B\"}") == .delivered)
        #expect(try push("a", "\"alert\":\"again\"") == .duplicate)
        #expect(fixture.banners.shown == ["player: T: B"])
        #expect(fixture.starter.processes.isEmpty)
        #expect(try fixture.stored.isEmpty)
    }

    @Test func aDuplicateIsRecognisedAfterARestart() throws {
        try fixture.open()
        _ = try push("a", "\"alert\":\"new\"")
        try fixture.restart()
        #expect(try push("a", "\"alert\":\"new\"") == .duplicate && fixture.banners.shown.isEmpty)
    }

    @Test(arguments: ["\"sound\":\"default\"", "\"badge\":1", "\"alert\":{}"])
    func withoutATextThereIsNothingToShow(aps: String) throws {
        try fixture.open()
        #expect(throws: ClientEvent.Refusal.self) { try push("a", aps) }
    }

    @Test func aFloodOfAlertsIsRefused() throws {
        try fixture.open()
        var count = 0
        let refusal = #expect(throws: ClientEvent.Refusal.self) {
            for number in 0..<700 {
                _ = try push("\(number)", "\"alert\":\"new\"")
                count += 1
            }
        }
        #expect(count == 600 && refusal?.code == .limit)
    }

    @Test func aReplacedNotificationHasNoBanner() throws {
        _ = try fixture.connect(presence: .background)
        for number in 0..<5 { _ = try push("\(number)", Self.silent + ",\"alert\":\"\(number)\"") }
        #expect(fixture.banners.planned.values.map(\.body).sorted() == ["0", "1", "2", "4"])
    }

    @Test func aNotificationThatIsRepeatedAfterACrashHasItsBanner() throws {
        try fixture.open()
        _ = try push("a", Self.silent + ",\"alert\":\"new\"")
        try fixture.restart()
        #expect(fixture.banners.planned.values.map(\.body) == ["new"])
    }
}
