import CFFmpeg

/// Decrypts one segment: AES-128 in CBC mode with PKCS #7 padding (RFC 8216, 4.3.2.4). Used by one thread.
final class SegmentCipher {
    /// FFmpeg's AES state with the key.
    private let cipher: OpaquePointer
    /// The encrypted block that CBC combines with the next decrypted block; at first the initialization vector.
    private var vector: [UInt8]
    /// Encrypted bytes that do not form a complete block yet.
    private var incompleteBlock: [UInt8] = []
    /// The last decrypted block, held back because it may contain the padding.
    private var lastBlock: [UInt8] = []

    private static let blockSize = 16

    /// Creates a cipher for one segment.
    ///
    /// - Throws: `input` unless `key` and `vector` have 16 bytes each; `outOfMemory`.
    init(key: [UInt8], vector: [UInt8]) throws(MediaError) {
        guard key.count == Self.blockSize, vector.count == Self.blockSize else {
            throw MediaError(.input, "the key of an encrypted segment is not 16 bytes long")
        }
        guard let cipher = av_aes_alloc() else { throw MediaError(.outOfMemory, "no memory for a cipher") }
        (self.cipher, self.vector) = (cipher, vector)
        av_aes_init(cipher, key, 128, 1)
    }

    deinit { av_free(UnsafeMutableRawPointer(cipher)) }

    /// Decrypts the next bytes of the segment, but holds back the last block.
    func decrypt(_ bytes: [UInt8]) -> [UInt8] {
        incompleteBlock += bytes
        let length = incompleteBlock.count / Self.blockSize * Self.blockSize
        guard length > 0 else { return [] }
        var plainBytes = Array(incompleteBlock[..<length])
        incompleteBlock.removeFirst(length)
        // Decrypt in place, which is safe because FFmpeg copies each block before overwriting it.
        plainBytes.withUnsafeMutableBufferPointer {
            av_aes_crypt(cipher, $0.baseAddress, $0.baseAddress, Int32(length / Self.blockSize), &vector, 1)
        }
        let decryptedBytes = lastBlock + plainBytes
        lastBlock = Array(decryptedBytes.suffix(Self.blockSize))
        return Array(decryptedBytes.dropLast(Self.blockSize))
    }

    /// Returns the held-back last block of the segment, without the padding.
    func finish() -> [UInt8] {
        defer { lastBlock = [] }
        guard let padding = lastBlock.last, (1...Self.blockSize).contains(Int(padding)) else { return lastBlock }
        return lastBlock.dropLast(Int(padding))
    }
}
