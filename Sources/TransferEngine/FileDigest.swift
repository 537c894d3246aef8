import COpenSSL
import Glibc
import SystemCalls

/// A computation of a SHA-256 digest (`EVP_MD_CTX`). This value owns the handle of OpenSSL.
struct FileDigest: ~Copyable {
    /// The bytes that are read at once.
    static let sliceBytes = 1 << 20

    private let handle: OpaquePointer

    private init() throws(SystemCallError) {
        guard let handle = EVP_MD_CTX_new() else { throw Self.failure("EVP_MD_CTX_new") }
        self.handle = handle
    }

    deinit { EVP_MD_CTX_free(handle) }

    /// OpenSSL states no number of its errors; digests fail only without memory.
    private static func failure(_ function: String) -> SystemCallError {
        SystemCallError(call: function, number: ENOMEM)
    }

    /// Returns the digest of the first bytes of a file; nil if the file is shorter, or `isWanted` returns false.
    ///
    /// - Parameter isWanted: Called before each slice.
    static func sha256(
        of file: SharedDescriptor, length: Int64, isWanted: () -> Bool
    ) throws(SystemCallError) -> [UInt8]? {
        let digest = try FileDigest()
        guard EVP_DigestInit_ex(digest.handle, EVP_sha256(), nil) > 0 else { throw failure("EVP_DigestInit_ex") }
        var slice = [UInt8](repeating: 0, count: sliceBytes), offset: Int64 = 0
        while offset < length {
            guard isWanted() else { return nil }
            let wanted = Int(min(Int64(sliceBytes), length - offset))
            let count = try slice.withUnsafeMutableBytes { buffer in
                Result { () throws(SystemCallError) in
                    try file.fileDescriptor.read(
                        into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: Int(offset))
                }
            }.get()
            guard count > 0 else { return nil }
            guard EVP_DigestUpdate(digest.handle, slice, count) > 0 else { throw failure("EVP_DigestUpdate") }
            offset += Int64(count)
        }
        var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE)), count: UInt32 = 0
        guard EVP_DigestFinal_ex(digest.handle, &bytes, &count) > 0 else { throw failure("EVP_DigestFinal_ex") }
        return Array(bytes.prefix(Int(count)))
    }
}
