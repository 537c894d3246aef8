import CFFmpeg

/// A hash function for checksums of decoded pictures and sound: one of those that FFmpeg's muxer `framehash` offers.
package struct ChecksumHash: Sendable, Equatable {
    /// FFmpeg's name of the hash function.
    package let name: String

    /// The hash function of FFmpeg's muxer `framemd5`.
    package static let md5 = ChecksumHash(known: "MD5")

    /// The names of all hash functions.
    package static var names: [String] {
        (0...).lazy.map { av_hash_names($0) }.prefix { $0 != nil }.compactMap { $0.map { String(cString: $0) } }
    }

    /// Returns the hash function with a name, in capital or small letters; nil if FFmpeg has none.
    package init?(_ name: String) {
        guard let known = Self.names.first(where: { $0.lowercased() == name.lowercased() }) else { return nil }
        self.init(known: known)
    }

    private init(known name: String) { self.name = name }

    /// Returns the hash, in hexadecimal digits, of all data that `body` passes to its argument; empty if memory is
    /// exhausted.
    func hash(_ body: ((UnsafeRawBufferPointer) -> Void) -> Void) -> String {
        var context: OpaquePointer?
        guard av_hash_alloc(&context, name) >= 0 else { return "" }
        defer { av_hash_freep(&context) }
        av_hash_init(context)
        body { av_hash_update(context, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), $0.count) }
        // Two digits a byte, and the terminating zero.
        var digits = [UInt8](repeating: 0, count: Int(AV_HASH_MAX_SIZE) * 2 + 1)
        av_hash_final_hex(context, &digits, Int32(digits.count))
        return String(decoding: digits.prefix { $0 != 0 }, as: UTF8.self)
    }
}
