import DesktopBus
import Foundation
import PushEncryption
import SystemCalls
import TestSupport
import Testing

/// Encrypted notifications from servers, with the real processes and a distributor on a private session bus that starts
/// the service.
@Suite struct EncryptedNotificationTests {
    private let push: PushFixture
    private var fixture: BackgroundFixture { push.background }
    private var distributor: PushDistributor { push.distributor }
    private var desktop: NotificationServer { push.desktop }
    private let example: EncryptedMessageExample

    init() throws {
        (push, example) = (try PushFixture(), try EncryptedMessageExample())
        let keys = try PushKeys(privateKey: example.privateKey, authenticationSecret: example.authenticationSecret)
        try Data(keys.stored()).write(to: URL(filePath: fixture.scratch.file("log.keys")))
    }

    private func wait(until isMet: () -> Bool) throws { try push.wait(until: isMet) }

    /// Starts the probe as a user does, and waits until it has an endpoint.
    private func startProbe() throws -> ChildProcess {
        try push.startProbe("encrypted", until: "endpoint https://push.example.org/1")
    }

    /// Sends a message of the server.
    private func send(_ bytes: [UInt8], identifier: String) throws {
        let token = try #require(distributor.registered.first?[1])
        try distributor.call("Message", [.string(token), .bytes(bytes), .string(identifier)])
    }

    /// The logged texts of notifications, without the times behind them.
    private var texts: [String] {
        fixture.log.filter { $0.hasPrefix("notification ") }.map { line in
            line.split(separator: " ").dropFirst().dropLast().joined(separator: " ")
        }
    }

    @Test("a message that is not encrypted is neither delivered nor shown, and the next encrypted one is delivered")
    func onlyEncryptedMessagesAndLocalNotificationsAreDelivered() throws {
        let probe = try startProbe()
        let forged = "{\"aps\":{\"content-available\":1,\"alert\":{\"body\":\"forged\"}}}"
        try send(Array(forged.utf8), identifier: "1")
        try send(example.body, identifier: "2")
        try wait { fixture.log.contains("completed") }
        #expect(texts == [example.text] && fixture.log.contains("encrypted true"))
        let local = "{\"aps\":{\"content-available\":1,\"alert\":{\"body\":\"local\"}}}"
        let sender = try fixture.swiftplay("push", "send", "--to", "probe", local)
        // The banner of the forged message would come first: it follows the completion of its notification.
        try wait { !desktop.received.isEmpty }
        #expect(try sender.waitForExit().isSuccess && desktop.texts.map { $0[2] } == ["local"])
        #expect(texts == [example.text, local] && fixture.log.contains("encrypted false"))
        let refusal = "a notification was not delivered"
        let isLogged = Deadline.poll(for: .seconds(20)) { probe.errors.text.contains(refusal) ? true : nil }
        #expect(isLogged == true && !probe.errors.text.contains("forged"))
        // The refused message is completed: a new process of the program does not receive it again.
        try push.kill(probe)
        let other = try startProbe()
        try send(example.body, identifier: "3")
        try wait { texts.count == 3 }
        #expect(texts.last == example.text && !other.errors.text.contains(refusal))
    }

    @Test func anEncryptedMessageStartsTheServiceAndTheProgram() throws {
        try push.kill(startProbe())
        try send(example.body, identifier: "1")
        try wait { fixture.log.contains("completed") }
        #expect(texts == [example.text])
        #expect(fixture.log.contains("encrypted true") && fixture.log.contains("start background"))
    }
}
