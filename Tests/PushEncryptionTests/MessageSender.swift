import COpenSSL
import TestSupport

@testable import PushEncryption

/// A server that encrypts messages as RFC 8188 and RFC 8291 describe. Tests change its properties to send messages that
/// are not valid.
struct MessageSender {
    /// The server's key pair, whose secret is not used.
    let keys: PushKeys
    var salt = (0..<16).map { UInt8($0) }
    /// The size of records in the header.
    var recordSize: UInt32 = 4096
    /// The byte behind the text of the last record.
    var delimiter: UInt8 = 2
    /// The zeros behind the delimiter.
    var paddingBytes = 0

    init() throws { keys = try PushKeys() }

    /// Returns the message with a text for a receiver.
    func body(_ text: [UInt8], for receiver: PushKeys) throws -> [UInt8] {
        try body(records: [text + [delimiter] + [UInt8](repeating: 0, count: paddingBytes)], for: receiver)
    }

    /// Returns the message with padded records for a receiver.
    func body(records: [[UInt8]], for receiver: PushKeys) throws -> [UInt8] {
        let key = try CurveKey.key(privateKey: keys.privateKey)
        let secret = try key.sharedSecret(with: try key.peer(publicKey: receiver.publicKey))
        let inputKey = Self.derivedBytes(
            32, from: secret, salt: receiver.authenticationSecret,
            info: Array("WebPush: info\0".utf8) + receiver.publicKey + keys.publicKey)
        let contentKey = Self.derivedBytes(
            16, from: inputKey, salt: salt, info: Array("Content-Encoding: aes128gcm\0".utf8))
        let firstNonce = Self.derivedBytes(
            12, from: inputKey, salt: salt, info: Array("Content-Encoding: nonce\0".utf8))
        var body = salt
        for shift in [24, 16, 8, 0] as [UInt32] { body.append(UInt8(truncatingIfNeeded: recordSize >> shift)) }
        body += [65] + keys.publicKey
        for (index, record) in records.enumerated() {
            var nonce = firstNonce
            nonce[11] ^= UInt8(index)
            body += try Self.encrypted(record, key: contentKey, nonce: nonce)
        }
        return body
    }

    /// Derives up to 32 bytes (HKDF with SHA-256, RFC 5869), without the code under test.
    private static func derivedBytes(_ count: Int, from key: [UInt8], salt: [UInt8], info: [UInt8]) -> [UInt8] {
        Array(authenticationCode(info + [1], key: authenticationCode(key, key: salt)).prefix(count))
    }

    private static func authenticationCode(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 32), count: UInt32 = 0
        HMAC(EVP_sha256(), key, Int32(key.count), bytes, bytes.count, &code, &count)
        return code
    }

    /// Returns an encrypted record and its authentication tag (AES-128-GCM).
    private static func encrypted(_ record: [UInt8], key: [UInt8], nonce: [UInt8]) throws -> [UInt8] {
        let cipher = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(cipher) }
        var bytes = [UInt8](repeating: 0, count: record.count + 16), count: Int32 = 0
        var tag = [UInt8](repeating: 0, count: 16)
        guard EVP_EncryptInit_ex(cipher, EVP_aes_128_gcm(), nil, key, nonce) > 0,
            EVP_EncryptUpdate(cipher, &bytes, &count, record, Int32(record.count)) > 0, Int(count) == record.count,
            EVP_EncryptFinal_ex(cipher, &tag, &count) > 0,
            EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, 16, &tag) > 0
        else { throw TestFailure("a record cannot be encrypted") }
        return Array(bytes.prefix(record.count)) + tag
    }
}
