import COpenSSL
import TestSupport
import Testing

@testable import PushEncryption

@Suite struct PushKeysTests {
    private let example: EncryptedMessageExample
    private let keys: PushKeys
    private let sender: MessageSender

    init() throws {
        (example, sender) = (try EncryptedMessageExample(), try MessageSender())
        keys = try PushKeys(privateKey: example.privateKey, authenticationSecret: example.authenticationSecret)
    }

    /// The bytes of the header that no key is derived from: the size of records.
    private static let unprotectedBytes = 16..<20

    @Test func theExampleOfTheStandardIsDecrypted() throws {
        #expect(keys.publicKey == example.publicKey)
        #expect(try keys.decrypt(example.body) == Array(example.text.utf8))
    }

    @Test("a message with one changed bit is refused; another size of records that permits the record changes nothing")
    func everyChangedBitIsRefused() {
        for bit in 0..<(example.body.count * 8) {
            var body = example.body
            body[bit / 8] ^= 1 << UInt8(bit % 8)
            let text = try? keys.decrypt(body)
            let isUnprotected = Self.unprotectedBytes.contains(bit / 8)
            #expect(text == nil || isUnprotected && text == Array(example.text.utf8), "bit \(bit)")
        }
    }

    @Test func everyTruncationAndEveryLongerMessageIsRefused() {
        for count in 0..<example.body.count {
            #expect(throws: PushEncryptionError.self) { try keys.decrypt(Array(example.body.prefix(count))) }
        }
        for byte in 0...2 as ClosedRange<UInt8> {
            #expect(throws: PushEncryptionError.notAuthentic) { try keys.decrypt(example.body + [byte]) }
        }
    }

    @Test func changedMessagesAreRefused() {
        var generator = SeededGenerator.printingSeed()
        for _ in 0..<2000 {
            var body = example.body
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                body[.random(in: 0..<body.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            let text = try? keys.decrypt(body)
            body.replaceSubrange(Self.unprotectedBytes, with: example.body[Self.unprotectedBytes])
            #expect(text == nil || body == example.body)
        }
    }

    @Test func randomMessagesAreRefused() {
        var generator = SeededGenerator.printingSeed()
        for _ in 0..<2000 {
            var body = (0..<Int.random(in: 0...300, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            // Half of the messages have a valid header.
            if Bool.random(using: &generator) {
                body.replaceSubrange(0..<min(86, body.count), with: example.body.prefix(86))
            }
            #expect(throws: PushEncryptionError.self) { try keys.decrypt(body) }
        }
    }

    @Test func otherKeysAreRefused() throws {
        let other = try PushKeys()
        let wrongKeys = [
            other,
            try PushKeys(
                privateKey: other.privateKey, authenticationSecret: example.authenticationSecret),
            try PushKeys(
                privateKey: example.privateKey, authenticationSecret: other.authenticationSecret),
        ]
        for keys in wrongKeys {
            #expect(throws: PushEncryptionError.notAuthentic) { try keys.decrypt(example.body) }
        }
    }

    @Test("texts of every length up to the limit are decrypted, with and without padding", arguments: [0, 1, 17, 1000])
    func textsAreDecrypted(paddingBytes: Int) throws {
        var generator = SeededGenerator.printingSeed(), sender = sender
        sender.paddingBytes = paddingBytes
        let longest = 4096 - 86 - 17 - paddingBytes
        for count in Set([0, 1, 2, 15, 16, 17, longest - 1, longest]).sorted() + stride(from: 3, to: longest, by: 379) {
            // Texts that end with bytes of the padding, too.
            let endings: [[UInt8]] = [[], [0], [2], [2, 0]]
            var text = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            text += endings.randomElement(using: &generator) ?? []
            text = Array(text.suffix(count))
            #expect(try keys.decrypt(sender.body(text, for: keys)) == text, "\(count) bytes")
        }
        let tooLong = try sender.body([UInt8](repeating: 1, count: longest + 1), for: keys)
        #expect(throws: PushEncryptionError.invalidLength(4097)) { try keys.decrypt(tooLong) }
    }

    @Test func newKeysDifferAndDecrypt() throws {
        let keys = try PushKeys(), other = try PushKeys()
        #expect(keys.publicKey.count == 65 && keys.publicKey[0] == 4 && keys.authenticationSecret.count == 16)
        #expect(keys.publicKey != other.publicKey && keys.authenticationSecret != other.authenticationSecret)
        #expect(try keys.decrypt(sender.body([7], for: keys)) == [7])
    }

    @Test func descriptionsContainNoSecrets() {
        var dumped = ""
        dump(keys, to: &dumped)
        for text in [dumped, "\(keys)", String(reflecting: keys)] { #expect(!text.contains { $0.isNumber }) }
    }

    @Test("numbers that are no private keys of the curve, and secrets of another length, are refused")
    func invalidKeysAreRefused() throws {
        let secret = example.authenticationSecret
        // The order of the curve (SEC 2, section 2.4.2), of which a private key is a remainder.
        let order: [UInt8] = [
            0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
            0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
        ]
        let numbers: [[UInt8]] = [
            [], [1], order, [UInt8](repeating: 0, count: 32), [UInt8](repeating: 255, count: 32),
            example.privateKey + [0], Array(example.privateKey.dropLast()),
        ]
        for number in numbers {
            #expect(throws: PushEncryptionError.damagedKeys) {
                try PushKeys(privateKey: number, authenticationSecret: secret)
            }
        }
        for secret in [[], secret + [0], Array(secret.dropLast())] {
            #expect(throws: PushEncryptionError.damagedKeys) {
                try PushKeys(privateKey: example.privateKey, authenticationSecret: secret)
            }
        }
    }

    @Test("a refused message leaves no error behind, which other users of OpenSSL on this thread would read")
    func errorsAreCleared() {
        var body = example.body
        body[22] ^= 1
        #expect(throws: PushEncryptionError.invalidSenderKey) { try keys.decrypt(body) }
        #expect(ERR_peek_error() == 0)
    }
}
