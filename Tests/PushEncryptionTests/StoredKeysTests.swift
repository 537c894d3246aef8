import Testing

@testable import PushEncryption

@Suite struct StoredKeysTests {
    private let keys: PushKeys
    private let bytes: [UInt8]

    init() throws {
        keys = try PushKeys()
        bytes = try keys.stored()
    }

    @Test func keysRoundTrip() throws {
        #expect(bytes.count == PushKeys.storedBytes)
        #expect(try PushKeys(stored: bytes) == keys)
    }

    @Test func everyChangedByteIsRefused() {
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 0x10
            #expect(throws: PushEncryptionError.damagedKeys) { try PushKeys(stored: changed) }
        }
    }

    @Test func everyTruncationAndEveryLongerFormIsRefused() {
        for count in bytes.indices {
            #expect(throws: PushEncryptionError.damagedKeys) { try PushKeys(stored: Array(bytes.prefix(count))) }
        }
        #expect(throws: PushEncryptionError.damagedKeys) { try PushKeys(stored: bytes + [0]) }
    }
}
