/// The checksum XXH64 of Yann Collet's xxHash (github.com/Cyan4973/xxHash, doc/xxhash_spec.md). It finds damaged data;
/// it does not protect against an attacker.
enum XXHash64 {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    /// Returns the checksum of bytes.
    ///
    /// - Parameter seed: Different seeds give unrelated checksums of the same bytes.
    static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        var position = 0
        var hash: UInt64
        if bytes.count >= 32 {
            var accumulator1 = seed &+ prime1 &+ prime2
            var accumulator2 = seed &+ prime2
            var accumulator3 = seed
            var accumulator4 = seed &- prime1
            let end = bytes.count - 32
            while position <= end {
                accumulator1 = round(accumulator1, word(bytes, position))
                accumulator2 = round(accumulator2, word(bytes, position + 8))
                accumulator3 = round(accumulator3, word(bytes, position + 16))
                accumulator4 = round(accumulator4, word(bytes, position + 24))
                position += 32
            }
            hash = rotate(accumulator1, 1) &+ rotate(accumulator2, 7)
            hash = hash &+ rotate(accumulator3, 12) &+ rotate(accumulator4, 18)
            hash = merge(merge(merge(merge(hash, accumulator1), accumulator2), accumulator3), accumulator4)
        } else {
            hash = seed &+ prime5
        }
        hash &+= UInt64(bytes.count)
        while position + 8 <= bytes.count {
            hash = rotate(hash ^ round(0, word(bytes, position)), 27) &* prime1 &+ prime4
            position += 8
        }
        if position + 4 <= bytes.count {
            let fourBytes = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
            hash = rotate(hash ^ (UInt64(fourBytes) &* prime1), 23) &* prime2 &+ prime3
            position += 4
        }
        while position < bytes.count {
            hash = rotate(hash ^ (UInt64(bytes[position]) &* prime5), 11) &* prime1
            position += 1
        }
        hash = (hash ^ (hash >> 33)) &* prime2
        hash = (hash ^ (hash >> 29)) &* prime3
        return hash ^ (hash >> 32)
    }

    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, _ position: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    @inline(__always)
    private static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 {
        (value << count) | (value >> (64 - count))
    }

    @inline(__always)
    private static func round(_ accumulator: UInt64, _ input: UInt64) -> UInt64 {
        rotate(accumulator &+ input &* prime2, 31) &* prime1
    }

    @inline(__always)
    private static func merge(_ hash: UInt64, _ accumulator: UInt64) -> UInt64 {
        (hash ^ round(0, accumulator)) &* prime1 &+ prime4
    }
}
