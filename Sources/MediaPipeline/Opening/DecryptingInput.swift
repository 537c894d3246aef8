import CFFmpeg

/// A segment of an HLS playlist that is encrypted as a whole (`METHOD=AES-128`): AES in CBC mode, padded as PKCS #7 says (RFC 8216, 4.3.2.4).
///
/// libavformat would do this with its protocol `crypto`, which opens the segment by itself; here the segment is opened behind the
/// policy like everything else. Used by one thread; freed after the context that reads through it.
final class DecryptingInput {
    /// The encrypted bytes. The opener closes it after this object's own context.
    let source: UnsafeMutablePointer<AVIOContext>
    private(set) var context: UnsafeMutablePointer<AVIOContext>?
    private let cipher: OpaquePointer
    private let key: [UInt8]
    private var vector: [UInt8]
    private let firstVector: [UInt8]
    /// Decrypted and not yet given out.
    private var plain: ArraySlice<UInt8> = []
    /// The last block may hold padding: it is given out once the end is known.
    private var held: [UInt8] = []
    private var hasEnded = false
    /// Why reading the source ended, as FFmpeg's error.
    private var failure: Int32?
    private var position: Int64 = 0

    private static let blockSize = 16
    private static let chunkSize = 64 * 1024

    /// - Throws: `input` for a key or an initialization vector that is not 16 bytes in hexadecimal digits.
    init(_ source: UnsafeMutablePointer<AVIOContext>, key: String, vector: String) throws(MediaError) {
        guard let key = Self.bytes(hexadecimal: key), let vector = Self.bytes(hexadecimal: vector) else {
            throw MediaError(.input, "the key of an encrypted segment is not 16 bytes long")
        }
        guard let cipher = av_aes_alloc() else { throw MediaError(.outOfMemory, "no memory for a cipher") }
        (self.source, self.cipher, self.key, self.vector, firstVector) = (source, cipher, key, vector, vector)
        av_aes_init(cipher, key, 128, 1)
        context = cffmpeg_io_context(
            Int32(Self.chunkSize), Unmanaged.passUnretained(self).toOpaque(),
            { opaque, bytes, count in
                guard let opaque, let bytes else { return cffmpeg_error(EINVAL) }
                return Unmanaged<DecryptingInput>.fromOpaque(opaque).takeUnretainedValue().read(into: bytes, count: Int(count))
            },
            { opaque, offset, whence in
                guard let opaque else { return -1 }
                return Unmanaged<DecryptingInput>.fromOpaque(opaque).takeUnretainedValue().seek(offset, whence)
            })
        guard let context else { throw MediaError(.outOfMemory, "no memory for a read buffer") }
        context.pointee.seekable = source.pointee.seekable
    }

    deinit {
        av_free(UnsafeMutableRawPointer(cipher))
        guard let context else { return }
        av_free(context.pointee.buffer)
        var pointer: UnsafeMutablePointer<AVIOContext>? = context
        avio_context_free(&pointer)
    }

    static func bytes(hexadecimal text: String) -> [UInt8]? {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == 2 * blockSize, text.count == digits.count else { return nil }
        return (0..<blockSize).map { UInt8(digits[2 * $0] << 4 | digits[2 * $0 + 1]) }
    }

    private func read(into target: UnsafeMutablePointer<UInt8>, count: Int) -> Int32 {
        while plain.isEmpty {
            if hasEnded { return failure ?? cffmpeg_error_eof }
            refill()
        }
        let part = plain.prefix(max(count, 0))
        for (offset, byte) in part.enumerated() { target[offset] = byte }
        plain = plain.dropFirst(part.count)
        position += Int64(part.count)
        return Int32(clamping: part.count)
    }

    private func refill() {
        var chunk = [UInt8](repeating: 0, count: Self.chunkSize)
        let count = Int(avio_read(source, &chunk, Int32(chunk.count)))
        // Fewer bytes than asked for come at the end only.
        if count < chunk.count {
            hasEnded = true
            let error = count < 0 ? Int32(count) : source.pointee.error
            if error < 0, error != cffmpeg_error_eof { failure = error }
        }
        let blocks = max(0, count) / Self.blockSize
        if blocks > 0 {
            // In place: FFmpeg keeps a block before it writes over it.
            chunk.withUnsafeMutableBufferPointer { av_aes_crypt(cipher, $0.baseAddress, $0.baseAddress, Int32(blocks), &vector, 1) }
            held += chunk[..<(blocks * Self.blockSize)]
        }
        guard hasEnded else {
            plain = held.dropLast(Self.blockSize)
            held = Array(held.suffix(Self.blockSize))
            return
        }
        if failure == nil, let padding = held.last, (1...Self.blockSize).contains(Int(padding)) { held.removeLast(min(Int(padding), held.count)) }
        plain = held[...]
        held = []
    }

    /// Goes to a place by decrypting what lies before it: CBC needs the block before, and segments are short.
    private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
        guard whence & AVSEEK_SIZE == 0 else { return Int64(cffmpeg_error(ENOSYS)) }
        let target: Int64
        switch whence & 0x3 {
        case 0: target = offset
        case 1: target = position &+ offset
        default: return Int64(cffmpeg_error(ENOSYS))
        }
        guard target >= 0 else { return Int64(cffmpeg_error(EINVAL)) }
        if target < position {
            guard avio_seek(source, 0, 0) >= 0 else { return Int64(cffmpeg_error(EIO)) }
            (vector, plain, held, hasEnded, failure, position) = (firstVector, [], [], false, nil, 0)
            av_aes_init(cipher, key, 128, 1)
        }
        while position < target {
            if plain.isEmpty {
                if hasEnded { break }
                refill()
                continue
            }
            let part = min(Int64(plain.count), target - position)
            plain = plain.dropFirst(Int(part))
            position += part
        }
        return position
    }
}
