import TestSupport
import Testing

@testable import PushEncryption

/// The header, the record and its padding: values that RFC 8188 and RFC 8291 forbid.
@Suite struct PushRecordTests {
    private let example: EncryptedMessageExample
    private let keys: PushKeys
    private let sender: MessageSender

    init() throws {
        (example, sender) = (try EncryptedMessageExample(), try MessageSender())
        keys = try PushKeys(privateKey: example.privateKey, authenticationSecret: example.authenticationSecret)
    }

    @Test(arguments: [0, 1, 17] as [UInt32]) func sizesOfRecordsBelow18AreRefused(_ size: UInt32) throws {
        var sender = sender
        sender.recordSize = size
        let body = try sender.body([], for: keys)
        #expect(throws: PushEncryptionError.invalidRecordSize(size)) { try keys.decrypt(body) }
    }

    @Test func aRecordMayHaveTheSizeOfTheHeaderAndNotMore() throws {
        var sender = sender
        let text = [UInt8](repeating: 7, count: 50)
        for size in [67, 68, .max] as [UInt32] {
            sender.recordSize = size
            #expect(try keys.decrypt(sender.body(text, for: keys)) == text)
        }
        sender.recordSize = 66
        let body = try sender.body(text, for: keys)
        #expect(throws: PushEncryptionError.severalRecords) { try keys.decrypt(body) }
    }

    @Test func severalRecordsAreRefused() throws {
        var sender = sender
        sender.recordSize = 24
        let records: [[UInt8]] = [[1, 2, 3, 4, 5, 6, 7, 1], [8, 2]]
        let body = try sender.body(records: records, for: keys)
        #expect(throws: PushEncryptionError.severalRecords) { try keys.decrypt(body) }
        // The first record alone is not the last one.
        let first = try sender.body(records: [records[0]], for: keys)
        #expect(throws: PushEncryptionError.invalidPadding) { try keys.decrypt(first) }
    }

    @Test(arguments: [[], [0], [0, 0], [1], [1, 0], [3], [2, 1], [2, 0, 255], [5, 1, 0, 0]] as [[UInt8]])
    func paddingWithoutTheDelimiterOfALastRecordIsRefused(_ record: [UInt8]) throws {
        #expect(throws: PushEncryptionError.invalidPadding) { try PushRecord.text(of: record) }
        guard !record.isEmpty else { return }
        let body = try sender.body(records: [record], for: keys)
        #expect(throws: PushEncryptionError.invalidPadding) { try keys.decrypt(body) }
    }

    @Test func aMessageWithoutARecordIsRefused() throws {
        let body = try sender.body(records: [[]], for: keys)
        #expect(throws: PushEncryptionError.invalidLength(102)) { try keys.decrypt(body) }
    }

    @Test(arguments: [0, 1, 33, 64, 66, 255] as [UInt8]) func keysOfOtherLengthsAreRefused(_ count: UInt8) {
        var body = example.body
        body[20] = count
        #expect(throws: PushEncryptionError.invalidKeyLength(Int(count))) { try keys.decrypt(body) }
    }

    @Test("a key that is not an uncompressed point on the curve is refused")
    func invalidPointsAreRefused() throws {
        let key = sender.keys.publicKey
        let isOdd = key[64] & 1 == 1
        var other = key
        other[64] ^= 1
        // 6 and 7 mark the hybrid form of a valid key (SEC 1, section 2.3.3), which OpenSSL reads.
        let marks: [UInt8] = [isOdd ? 7 : 6, 0, 2, 5]
        var points = [other] + marks.map { [$0] + key.dropFirst() }
        for byte in [0, 1, 255] as [UInt8] { points.append([4] + [UInt8](repeating: byte, count: 64)) }
        let body = try sender.body([1], for: keys)
        #expect(try keys.decrypt(body) == [1])
        for point in points {
            var changed = body
            changed.replaceSubrange(21..<86, with: point)
            #expect(throws: PushEncryptionError.invalidSenderKey) { try keys.decrypt(changed) }
        }
    }
}
