import BackgroundProtocol
import TestSupport
import Testing
import WireFormat

@testable import BackgroundService

/// What programs learn about the sender of a notification, and what is shown of messages that are not encrypted.
@Suite struct NotificationSenderTests {
    private static let alert = "{\"aps\":{\"content-available\":1,\"alert\":\"text\"}}"
    private let fixture: WakeFixture

    init() throws { fixture = try WakeFixture() }

    /// Registers the program, and returns its token.
    private func register(_ socket: MessageSocket, _ command: ClientCommand) throws -> String {
        try fixture.send(command, from: socket)
        fixture.connector.setDistributor(true)
        return try #require(fixture.connector.registered.last)
    }

    /// The senders of the received notifications.
    private func senders(_ events: [ClientEvent]) -> [NotificationSender?] {
        events.compactMap { event in
            if case .notification(_, _, let sender) = event { .some(sender) } else { nil }
        }
    }

    /// Sends a message of the server and one of a program.
    private func sendBoth(_ token: String) throws {
        fixture.connector.onEvent(.message(token: token, Array(Self.alert.utf8), identifier: "server"))
        try fixture.push("local", key: "another", Self.alert)
    }

    @Test(
        "a program learns the sender; a program of the first version receives the message that it knows",
        arguments: [(1, [nil, nil]), (2, [.server, .local]), (.max, [.server, .local])]
            as [(UInt16, [NotificationSender?])])
    func aProgramLearnsTheSender(version: UInt16, expected: [NotificationSender?]) throws {
        let socket = try fixture.connect(version: version)
        let token = try register(socket, .registerForNotifications(true))
        try sendBoth(token)
        #expect(senders(fixture.received(socket)) == expected)
    }

    @Test func theSenderSurvivesARestart() throws {
        let socket = try fixture.connect(), token = try register(socket, .registerForNotifications(true))
        fixture.disconnect(socket)
        try sendBoth(token)
        try fixture.restart()
        #expect(try fixture.stored.map(\.isFromServer) == [true, false])
        let other = try fixture.connect(presence: nil)
        let opening = try fixture.send(.setPresence(.opened), from: other)
        #expect(senders(fixture.helloEvents + opening) == [.server, .local])
    }

    @Test("the alert of a message that is not encrypted is shown only for programs that accept such messages")
    func alertsOfMessagesThatAreNotEncryptedAreNotShown() throws {
        let socket = try fixture.connect(), token = try register(socket, .registerForEncryptedNotifications)
        try sendBoth(token)
        #expect(fixture.banners.planned.count == 1)
        for id in fixture.received(socket).notificationIDs {
            try fixture.send(.completeNotification(id: id, .failed), from: socket)
        }
        #expect(fixture.banners.shown == ["player: : text"])
        try fixture.send(.registerForNotifications(true), from: socket)
        fixture.connector.onEvent(.message(token: token, Array(Self.alert.utf8), identifier: "another"))
        #expect(fixture.banners.planned.count == 1)
    }

    @Test func storedAlertsThatAreNotEncryptedAreNotShownAfterARestart() throws {
        let socket = try fixture.connect(), token = try register(socket, .registerForEncryptedNotifications)
        fixture.disconnect(socket)
        try sendBoth(token)
        try fixture.restart()
        #expect(try fixture.stored.count == 2 && fixture.banners.planned.count == 1)
        let registrations = try fixture.services.sessions.ledger.registrations()
        #expect(registrations.map(\.isEncrypted) == [true] && registrations.map(\.token) == [token])
    }
}
