import COpenSSL

/// The cipher of one record (AES-128-GCM; `EVP_CIPHER_CTX`). This value owns the handle of OpenSSL.
struct MessageCipher: ~Copyable {
    /// The sizes of keys, nonces and authentication tags, in bytes.
    static let keyBytes = 16, nonceBytes = 12, tagBytes = 16

    private let handle: OpaquePointer

    init() throws(PushEncryptionError) { handle = try created("EVP_CIPHER_CTX_new", EVP_CIPHER_CTX_new()) }

    deinit { EVP_CIPHER_CTX_free(handle) }

    /// Returns the decrypted record.
    ///
    /// - Parameter content: The encrypted record and its authentication tag.
    func decrypt(
        _ content: [UInt8], key: [UInt8], nonce: [UInt8]
    ) throws(PushEncryptionError) -> [UInt8] {
        guard content.count > Self.tagBytes, key.count == Self.keyBytes, nonce.count == Self.nonceBytes else {
            throw .notAuthentic
        }
        let encrypted = Array(content.dropLast(Self.tagBytes))
        var tag = Array(content.suffix(Self.tagBytes))
        try check("EVP_DecryptInit_ex", EVP_DecryptInit_ex(handle, EVP_aes_128_gcm(), nil, key, nonce))
        var record = [UInt8](repeating: 0, count: encrypted.count), count: Int32 = 0
        try check(
            "EVP_DecryptUpdate", EVP_DecryptUpdate(handle, &record, &count, encrypted, Int32(encrypted.count)))
        try check(
            "EVP_CIPHER_CTX_ctrl",
            EVP_CIPHER_CTX_ctrl(handle, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagBytes), &tag))
        var rest = [UInt8](repeating: 0, count: Self.tagBytes), restCount: Int32 = 0
        // The record is not used before the tag was compared.
        guard EVP_DecryptFinal_ex(handle, &rest, &restCount) > 0 else { throw .notAuthentic }
        guard Int(count) == encrypted.count, restCount == 0 else { throw .library(function: "EVP_DecryptUpdate") }
        return record
    }
}
