import SystemCalls

/// The digest of the last bytes of a part file, by which a start after a loss of power recognises that these bytes are
/// really on the disk.
///
/// The digest detects lost blocks, not an attacker: it is FNV-1a with 64 bits.
enum TailDigest {
    /// The number of bytes that the digest covers.
    static let byteCount: Int64 = 65_536

    /// Returns the digest of the bytes before `length`; nil if the file is shorter or cannot be read.
    static func value(of file: borrowing FileDescriptor, length: Int64) -> UInt64? {
        let start = max(0, length - byteCount)
        var bytes = [UInt8](repeating: 0, count: Int(length - start))
        let offset = Int(start)
        let count = bytes.withUnsafeMutableBytes { try? file.read(into: $0, at: offset) }
        return count == bytes.count ? digest(bytes) : nil
    }

    /// Returns the digest of bytes.
    static func digest(_ bytes: [UInt8]) -> UInt64 {
        bytes.withUnsafeBufferPointer { bytes in
            var hash: UInt64 = 0xcbf2_9ce4_8422_2325
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            return hash
        }
    }
}
