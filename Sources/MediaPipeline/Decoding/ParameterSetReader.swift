/// Reads the bits of a parameter set of H.264 or HEVC. Skips the byte 3 that prevents start codes after two zero bytes.
struct ParameterSetReader {
    private let bytes: [UInt8]
    /// The number of bits that were read.
    private var position = 0

    init(_ bytes: some Sequence<UInt8>) {
        var zeroCount = 0, content: [UInt8] = []
        for byte in bytes {
            defer { zeroCount = byte == 0 ? zeroCount + 1 : 0 }
            if zeroCount >= 2, byte == 3 { continue }
            content.append(byte)
        }
        self.bytes = content
    }

    /// Returns the next bit; nil at the end.
    mutating func bit() -> UInt8? {
        guard position < bytes.count * 8 else { return nil }
        defer { position += 1 }
        return bytes[position / 8] >> UInt8(7 - position % 8) & 1
    }

    mutating func skipBits(_ count: Int) { position += count }

    /// Skips numbers of variable length (Exp-Golomb codes): as many bits follow the first 1 as zeros precede it.
    mutating func skipNumbers(_ count: Int) {
        for _ in 0..<count {
            var zeroCount = 0
            while let bit = bit(), bit == 0 { zeroCount += 1 }
            skipBits(zeroCount)
        }
    }
}
