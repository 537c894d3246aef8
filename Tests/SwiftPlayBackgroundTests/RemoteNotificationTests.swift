import BackgroundProtocol
import Foundation
import PushEncryption
import TestSupport
import Testing

@testable import SwiftPlayBackground

/// Which notifications are decrypted, and which are not delivered.
@Suite struct RemoteNotificationTests {
    private let example: EncryptedMessageExample
    private let keys: PushKeys

    init() throws {
        example = try EncryptedMessageExample()
        keys = try PushKeys(privateKey: example.privateKey, authenticationSecret: example.authenticationSecret)
    }

    @Test("messages of servers, and of senders that an old service does not state, are decrypted")
    func messagesOfServersAreDecrypted() throws {
        for sender in [.server, nil] as [NotificationSender?] {
            let notification = try RemoteNotification(received: example.body, from: sender, keys: keys)
            #expect(notification == RemoteNotification(Array(example.text.utf8), isEncrypted: true))
            #expect(throws: PushEncryptionError.self) {
                try RemoteNotification(received: Array("{}".utf8), from: sender, keys: keys)
            }
        }
    }

    @Test(arguments: [.server, .local, nil] as [NotificationSender?])
    func withoutKeysNotificationsAreDeliveredAsTheyArrive(sender: NotificationSender?) throws {
        let notification = try RemoteNotification(received: example.body, from: sender, keys: nil)
        #expect(notification.payload == Data(example.body) && !notification.isEncrypted)
    }

    @Test func notificationsOfProgramsNeedNoEncryption() throws {
        for bytes in [Array("{}".utf8), example.body] {
            let notification = try RemoteNotification(received: bytes, from: .local, keys: keys)
            #expect(notification.payload == Data(bytes) && !notification.isEncrypted)
        }
    }
}
