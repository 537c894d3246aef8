import COpenSSL

/// A key of the curve P-256 (`EVP_PKEY`). This value owns the handle of OpenSSL.
struct CurveKey: ~Copyable {
    private let handle: OpaquePointer

    /// The first byte of an uncompressed point (SEC 1, section 2.3.3).
    private static let uncompressedMark: UInt8 = 4
    /// The bytes before and after the private number in a key without its public part (RFC 5915): a sequence of the
    /// version 1, the number and the name of the curve.
    private static let derPrefix: [UInt8] = [0x30, 0x31, 2, 1, 1, 4, 0x20]
    private static let derSuffix: [UInt8] = [0xA0, 0x0A, 6, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7]

    private init(owning handle: OpaquePointer) { self.handle = handle }

    /// Creates a new private key.
    static func generate() throws(PushEncryptionError) -> CurveKey {
        CurveKey(owning: try KeyOperation(algorithm: "EC").makeKey())
    }

    /// Creates a private key from its number. OpenSSL computes the public part.
    ///
    /// - Throws: ``PushEncryptionError/damagedKeys`` if the number is not a key of the curve.
    static func key(privateKey: [UInt8]) throws(PushEncryptionError) -> CurveKey {
        guard privateKey.count == PushKeys.privateKeyBytes else { throw .damagedKeys }
        let bytes = derPrefix + privateKey + derSuffix
        let handle = bytes.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            return d2i_AutoPrivateKey(nil, &position, buffer.count)
        }
        guard let handle else { throw .damagedKeys }
        let key = CurveKey(owning: handle)
        guard try KeyOperation(key: handle).isKeyValid() else { throw .damagedKeys }
        return key
    }

    /// Returns the public key of another owner, which must be an uncompressed point on the curve.
    func peer(publicKey: [UInt8]) throws(PushEncryptionError) -> CurveKey {
        // OpenSSL also reads points of the same length in the hybrid form, which RFC 8291 does not have.
        guard publicKey.count == PushKeys.publicKeyBytes, publicKey[0] == Self.uncompressedMark else {
            throw .invalidSenderKey
        }
        let peer = CurveKey(owning: try created("EVP_PKEY_new", EVP_PKEY_new()))
        try check("EVP_PKEY_copy_parameters", EVP_PKEY_copy_parameters(peer.handle, handle))
        guard EVP_PKEY_set1_encoded_public_key(peer.handle, publicKey, publicKey.count) > 0 else {
            throw .invalidSenderKey
        }
        return peer
    }

    /// The public key: an uncompressed point.
    func publicKey() throws(PushEncryptionError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: PushKeys.publicKeyBytes), count = 0
        try check(
            "EVP_PKEY_get_octet_string_param",
            EVP_PKEY_get_octet_string_param(handle, "pub", &bytes, bytes.count, &count))
        guard count == bytes.count, bytes[0] == Self.uncompressedMark else {
            throw .library(function: "EVP_PKEY_get_octet_string_param")
        }
        return bytes
    }

    /// The private number, with its most significant byte first.
    func privateKey() throws(PushEncryptionError) -> [UInt8] {
        var number: OpaquePointer?
        try check("EVP_PKEY_get_bn_param", EVP_PKEY_get_bn_param(handle, "priv", &number))
        defer { BN_clear_free(number) }
        var bytes = [UInt8](repeating: 0, count: PushKeys.privateKeyBytes)
        try check("BN_bn2binpad", BN_bn2binpad(number, &bytes, Int32(bytes.count)))
        return bytes
    }

    /// Returns the secret that this private key shares with the public key of another owner.
    func sharedSecret(with peer: borrowing CurveKey) throws(PushEncryptionError) -> [UInt8] {
        try KeyOperation(key: handle).sharedSecret(with: peer.handle)
    }

    deinit { EVP_PKEY_free(handle) }
}
