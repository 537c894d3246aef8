import CFFmpeg

/// A segment of an HLS playlist that is encrypted as a whole (`METHOD=AES-128`): AES in CBC mode with PKCS #7 padding
/// (RFC 8216, 4.3.2.4).
///
/// libavformat's `crypto` protocol would open the segment itself. Here ``MediaOpener`` opens the segment, so that the
/// opening policy applies to it. A segment that is a byte range (`EXT-X-BYTERANGE`) is encrypted separately: its first
/// block lies at the start of the range and uses the initialization vector, and its padding lies at the end of the
/// range.
///
/// Reads forward only, which is sufficient for libavformat. Used by one thread.
final class DecryptingInput {
    /// FFmpeg's input of the encrypted bytes. ``MediaOpener`` closes it before it releases this object.
    let source: UnsafeMutablePointer<AVIOContext>
    /// FFmpeg's I/O context, from which FFmpeg reads the decrypted bytes; nil only if memory is exhausted.
    private(set) var context: UnsafeMutablePointer<AVIOContext>?
    /// FFmpeg's AES state with the key.
    private let cipher: OpaquePointer
    /// The block with which CBC combines the next block: the initialization vector for the first block, the preceding
    /// encrypted block for every other block.
    private var chainingVector: [UInt8]
    /// The number of encrypted bytes left to read; nil if all bytes up to the end of the source belong to the segment.
    private var remainingByteCount: Int64?
    /// Decrypted bytes that have not been read yet.
    private var plainBytes: ArraySlice<UInt8> = []
    /// The last decrypted block, held back until it is known whether it contains the padding.
    private var lastBlock: [UInt8] = []
    /// Whether all encrypted bytes have been read.
    private var hasEnded = false
    /// The FFmpeg error that ended reading; nil if none occurred.
    private var failure: Int32?

    /// The size of an AES block in bytes.
    private static let blockSize = 16
    /// The number of encrypted bytes that are read from the source at a time.
    private static let chunkSize = 64 * 1024

    /// Creates an input that decrypts the bytes of `source`.
    ///
    /// - Parameters:
    ///   - range: The segment's bytes, if the segment is a part of `source`.
    ///   - isWhole: Whether `source` is the whole file that contains the range. Otherwise `source` delivers only the
    ///     bytes of the range, as a server does.
    /// - Throws: `input` if the key or the initialization vector is not 16 bytes in hexadecimal digits, or if the range
    ///   lies outside the source; `outOfMemory`.
    init(
        _ source: UnsafeMutablePointer<AVIOContext>, key: String, vector: String, range: Range<Int64>? = nil,
        isWhole: Bool = false
    ) throws(MediaError) {
        guard let key = Self.bytes(hexadecimal: key), let vector = Self.bytes(hexadecimal: vector) else {
            throw MediaError(.input, "the key of an encrypted segment is not 16 bytes long")
        }
        if let range, isWhole, avio_seek(source, range.lowerBound, 0) != range.lowerBound {
            throw MediaError(.input, "a byte range of an encrypted segment lies outside its file")
        }
        guard let cipher = av_aes_alloc() else { throw MediaError(.outOfMemory, "no memory for a cipher") }
        (self.source, self.cipher, chainingVector) = (source, cipher, vector)
        remainingByteCount = range.map { $0.upperBound - $0.lowerBound }
        av_aes_init(cipher, key, 128, 1)
        context = cffmpeg_io_context(
            Int32(Self.chunkSize), Unmanaged.passUnretained(self).toOpaque(),
            { opaque, bytes, count in
                guard let opaque, let bytes else { return cffmpeg_error(EINVAL) }
                return Unmanaged<DecryptingInput>.fromOpaque(opaque).takeUnretainedValue().read(
                    into: bytes, count: Int(count))
            }, nil)
        guard let context else { throw MediaError(.outOfMemory, "no memory for a read buffer") }
        context.pointee.seekable = 0
        // libavformat seeks to the start of the range, as if it read the whole file. This context already starts there.
        if let range, isWhole { context.pointee.pos = range.lowerBound }
    }

    deinit {
        av_free(UnsafeMutableRawPointer(cipher))
        guard let context else { return }
        av_free(context.pointee.buffer)
        var pointer: UnsafeMutablePointer<AVIOContext>? = context
        avio_context_free(&pointer)
    }

    /// Parses 16 bytes in hexadecimal digits; nil for any other text.
    static func bytes(hexadecimal text: String) -> [UInt8]? {
        let digits: [Int] = text.compactMap(\.hexDigitValue)
        guard digits.count == 2 * blockSize, text.count == digits.count else { return nil }
        return (0..<blockSize).map { index -> UInt8 in
            let byte: Int = digits[2 * index] * 16 + digits[2 * index + 1]
            return UInt8(byte)
        }
    }

    /// Copies decrypted bytes to `target`; returns their number or an FFmpeg error code. FFmpeg calls this method
    /// through ``context``.
    private func read(into target: UnsafeMutablePointer<UInt8>, count: Int) -> Int32 {
        while plainBytes.isEmpty {
            if hasEnded { return failure ?? cffmpeg_error_eof }
            refill()
        }
        let bytes = plainBytes.prefix(max(count, 0))
        for (offset, byte) in bytes.enumerated() { target[offset] = byte }
        plainBytes = plainBytes.dropFirst(bytes.count)
        return Int32(clamping: bytes.count)
    }

    /// Reads and decrypts the next chunk of the segment, and removes the padding at the end of the segment.
    private func refill() {
        var chunk = [UInt8](repeating: 0, count: Int(min(Int64(Self.chunkSize), max(0, remainingByteCount ?? .max))))
        let count = chunk.isEmpty ? 0 : Int(avio_read(source, &chunk, Int32(chunk.count)))
        if let remainingByteCount { self.remainingByteCount = remainingByteCount - Int64(max(0, count)) }
        // `avio_read` returns fewer bytes than requested only at the end of the source or after an error.
        if count < chunk.count || remainingByteCount == 0 {
            hasEnded = true
            let error = count < 0 ? Int32(count) : count < chunk.count ? source.pointee.error : 0
            if error < 0, error != cffmpeg_error_eof { failure = error }
        }
        let blockCount = max(0, count) / Self.blockSize
        if blockCount > 0 {
            // Decrypt in place, which is safe because FFmpeg copies each block before overwriting it.
            chunk.withUnsafeMutableBufferPointer {
                av_aes_crypt(cipher, $0.baseAddress, $0.baseAddress, Int32(blockCount), &chainingVector, 1)
            }
            lastBlock += chunk[..<(blockCount * Self.blockSize)]
        }
        guard hasEnded else {
            plainBytes = lastBlock.dropLast(Self.blockSize)
            lastBlock = Array(lastBlock.suffix(Self.blockSize))
            return
        }
        if failure == nil, let padding = lastBlock.last, (1...Self.blockSize).contains(Int(padding)) {
            lastBlock.removeLast(min(Int(padding), lastBlock.count))
        }
        plainBytes = lastBlock[...]
        lastBlock = []
    }
}
