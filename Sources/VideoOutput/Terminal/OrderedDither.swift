/// Ordered dithering with a Bayer matrix of 8 x 8 thresholds. A threshold depends on the position alone, so that a
/// still picture does not flicker.
enum OrderedDither {
    /// The thresholds 0...63, row by row.
    static let thresholds: [Int32] = (0..<64).map { index in
        let x = index % 8, y = index / 8
        // Interleave the bits of x ^ y and y, the lowest bits first.
        var value = 0
        for bit in 0..<3 {
            value = value << 2 | ((x ^ y) >> bit & 1) << 1 | (y >> bit & 1)
        }
        return Int32(value)
    }

    /// Returns the offset that is added to a colour channel at a position: -1/2...1/2 of `amplitude`.
    ///
    /// - Parameters:
    ///   - threshold: The threshold at the position, 0...63.
    ///   - amplitude: The distance of two neighbouring colours of the palette.
    static func offset(_ threshold: Int32, amplitude: Int32) -> Int32 { amplitude &* (2 &* threshold &- 63) / 128 }
}
