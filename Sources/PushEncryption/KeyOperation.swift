import COpenSSL

/// A computation with keys (`EVP_PKEY_CTX`). This value owns the handle of OpenSSL.
struct KeyOperation: ~Copyable {
    private let handle: OpaquePointer

    /// Creates a computation of an algorithm, such as `HKDF`.
    init(algorithm: String) throws(PushEncryptionError) {
        handle = try created("EVP_PKEY_CTX_new_from_name", EVP_PKEY_CTX_new_from_name(nil, algorithm, nil))
    }

    /// Creates a computation with a key, which OpenSSL retains.
    init(key: OpaquePointer) throws(PushEncryptionError) {
        handle = try created("EVP_PKEY_CTX_new", EVP_PKEY_CTX_new(key, nil))
    }

    deinit { EVP_PKEY_CTX_free(handle) }

    /// Returns a new key of the curve P-256, which the caller must free.
    func makeKey() throws(PushEncryptionError) -> OpaquePointer {
        try check("EVP_PKEY_keygen_init", EVP_PKEY_keygen_init(handle))
        try check("EVP_PKEY_CTX_set_group_name", EVP_PKEY_CTX_set_group_name(handle, "prime256v1"))
        var key: OpaquePointer?
        try check("EVP_PKEY_generate", EVP_PKEY_generate(handle, &key))
        return try created("EVP_PKEY_generate", key)
    }

    /// Whether the numbers of the key are valid.
    func isKeyValid() -> Bool { EVP_PKEY_check(handle) > 0 }

    /// Returns the secret that the key shares with another one (ECDH).
    func sharedSecret(with other: OpaquePointer) throws(PushEncryptionError) -> [UInt8] {
        try check("EVP_PKEY_derive_init", EVP_PKEY_derive_init(handle))
        // OpenSSL checks the other key once more here.
        guard EVP_PKEY_derive_set_peer(handle, other) > 0 else { throw .invalidSenderKey }
        return try derive(PushKeys.secretBytes)
    }

    /// Returns bytes that are derived from a key (HKDF with SHA-256, RFC 5869).
    func derivedBytes(
        _ count: Int, from key: [UInt8], salt: [UInt8], info: [UInt8]
    ) throws(PushEncryptionError) -> [UInt8] {
        try check("EVP_PKEY_derive_init", EVP_PKEY_derive_init(handle))
        try check("EVP_PKEY_CTX_set_hkdf_md", EVP_PKEY_CTX_set_hkdf_md(handle, EVP_sha256()))
        try check("EVP_PKEY_CTX_set1_hkdf_salt", EVP_PKEY_CTX_set1_hkdf_salt(handle, salt, Int32(salt.count)))
        try check("EVP_PKEY_CTX_set1_hkdf_key", EVP_PKEY_CTX_set1_hkdf_key(handle, key, Int32(key.count)))
        try check("EVP_PKEY_CTX_add1_hkdf_info", EVP_PKEY_CTX_add1_hkdf_info(handle, info, Int32(info.count)))
        return try derive(count)
    }

    private func derive(_ count: Int) throws(PushEncryptionError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count), derivedCount = count
        try check("EVP_PKEY_derive", EVP_PKEY_derive(handle, &bytes, &derivedCount))
        guard derivedCount == count else { throw .library(function: "EVP_PKEY_derive") }
        return bytes
    }
}
