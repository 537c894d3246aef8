import COpenSSL

/// The keys with which a program receives encrypted messages of a server (Web Push, RFC 8291).
package struct PushKeys: Sendable, Equatable {
    /// The sizes of the keys, of the authentication secret and of a secret that two keys share, in bytes.
    package static let privateKeyBytes = 32, publicKeyBytes = 65, authenticationSecretBytes = 16
    static let secretBytes = 32

    /// The private number of the program, with its most significant byte first.
    let privateKey: [UInt8]
    /// The public key of the program: an uncompressed point of the curve P-256.
    package let publicKey: [UInt8]
    /// The secret that only the program and its server know.
    package let authenticationSecret: [UInt8]

    /// Creates new keys.
    package init() throws(PushEncryptionError) {
        defer { ERR_clear_error() }
        let key = try CurveKey.generate()
        (privateKey, publicKey) = (try key.privateKey(), try key.publicKey())
        authenticationSecret = (0..<Self.authenticationSecretBytes).map { _ in .random(in: 0...255) }
    }

    /// Creates the keys of a private number.
    ///
    /// - Throws: ``PushEncryptionError/damagedKeys`` if the number is not a key, or the secret has another length.
    package init(privateKey: [UInt8], authenticationSecret: [UInt8]) throws(PushEncryptionError) {
        // Other users of OpenSSL on this thread must not read the errors of these calls.
        defer { ERR_clear_error() }
        guard authenticationSecret.count == Self.authenticationSecretBytes else { throw .damagedKeys }
        publicKey = try CurveKey.key(privateKey: privateKey).publicKey()
        (self.privateKey, self.authenticationSecret) = (privateKey, authenticationSecret)
    }

    /// Decrypts a message (RFC 8188 and RFC 8291).
    ///
    /// - Throws: ``PushEncryptionError`` if the message was not encrypted for these keys, or was changed.
    package func decrypt(_ body: [UInt8]) throws(PushEncryptionError) -> [UInt8] {
        defer { ERR_clear_error() }
        let message = try PushRecord(body)
        let key = try CurveKey.key(privateKey: privateKey)
        let secret = try key.sharedSecret(with: try key.peer(publicKey: message.senderKey))
        let inputKey = try KeyOperation(algorithm: "HKDF").derivedBytes(
            Self.secretBytes, from: secret, salt: authenticationSecret,
            info: Array("WebPush: info\0".utf8) + publicKey + message.senderKey)
        let contentKey = try KeyOperation(algorithm: "HKDF").derivedBytes(
            MessageCipher.keyBytes, from: inputKey, salt: message.salt,
            info: Array("Content-Encoding: aes128gcm\0".utf8))
        let nonce = try KeyOperation(algorithm: "HKDF").derivedBytes(
            MessageCipher.nonceBytes, from: inputKey, salt: message.salt,
            info: Array("Content-Encoding: nonce\0".utf8))
        return try PushRecord.text(of: try MessageCipher().decrypt(message.content, key: contentKey, nonce: nonce))
    }
}

/// Logs, and reports of failed tests, must not contain the secret keys.
extension PushKeys: CustomStringConvertible, CustomReflectable {
    package var description: String { "keys of notifications" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
