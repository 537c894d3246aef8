import COpenSSL

/// The stored form of keys: a mark with the version of the form, the private key, the authentication secret, and the
/// SHA-256 digest of these bytes.
extension PushKeys {
    private static let mark = Array("SwiftPlay push keys 1\n".utf8)
    private static let digestBytes = 32
    /// The size of stored keys, in bytes.
    package static let storedBytes = mark.count + privateKeyBytes + authenticationSecretBytes + digestBytes

    /// Reads stored keys.
    ///
    /// - Throws: ``PushEncryptionError/damagedKeys`` if a byte is missing or was changed.
    package init(stored bytes: [UInt8]) throws(PushEncryptionError) {
        guard bytes.count == Self.storedBytes, bytes.starts(with: Self.mark) else { throw .damagedKeys }
        let content = Array(bytes.dropLast(Self.digestBytes))
        guard try Self.digest(of: content) == Array(bytes.suffix(Self.digestBytes)) else { throw .damagedKeys }
        try self.init(
            privateKey: Array(content.dropFirst(Self.mark.count).prefix(Self.privateKeyBytes)),
            authenticationSecret: Array(content.suffix(Self.authenticationSecretBytes)))
    }

    /// Returns the stored form of the keys.
    package func stored() throws(PushEncryptionError) -> [UInt8] {
        let content = Self.mark + privateKey + authenticationSecret
        return content + (try Self.digest(of: content))
    }

    private static func digest(of bytes: [UInt8]) throws(PushEncryptionError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: digestBytes), count: UInt32 = 0
        try check("EVP_Digest", EVP_Digest(bytes, bytes.count, &digest, &count, EVP_sha256(), nil))
        return digest
    }
}
