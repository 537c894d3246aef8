/// Bytes that depend on a key, so that a test recognises a picture that was written under another key or only in part.
public enum PictureContent {
    /// Returns `count` bytes for a key: numbers of a SplitMix64 generator whose seed is the key's FNV-1a hash.
    public static func bytes(forKey key: String, count: Int) -> [UInt8] {
        var state: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in key.utf8 { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        let numbers = [UInt64](unsafeUninitializedCapacity: (count + 7) / 8) { buffer, initialized in
            for index in 0..<buffer.count {
                state &+= 0x9e37_79b9_7f4a_7c15
                let mixed = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
                buffer[index] = mixed ^ (mixed >> 27)
            }
            initialized = buffer.count
        }
        return numbers.withUnsafeBytes { Array($0.prefix(count)) }
    }
}
