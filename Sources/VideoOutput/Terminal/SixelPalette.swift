/// A fixed palette for sixel images with ordered dithering: a few levels of each channel, and tables that map a
/// channel's value and a threshold to a level.
struct SixelPalette {
    /// The number of levels of red, green and blue.
    let levels: (red: Int, green: Int, blue: Int)
    /// The sequences that define all colours, in percent of each channel.
    let definitions: [UInt8]
    /// For each threshold 0...63 of ``OrderedDither`` and each value of a channel, the channel's part of the colour's
    /// number: red in the first 64 * 256 entries, then green, then blue. The colour's number is the sum of three parts.
    let parts: [UInt8]

    /// The number of colours.
    var count: Int { levels.red * levels.green * levels.blue }

    /// The number of colours of the full palette.
    static let fullCount = 240
    /// A palette of 240 colours. The eye distinguishes most levels of green.
    static let full = SixelPalette(red: 6, green: 8, blue: 5)
    /// A palette of 16 colours, for terminals like the VT340.
    static let small = SixelPalette(red: 2, green: 4, blue: 2)

    private init(red: Int, green: Int, blue: Int) {
        levels = (red, green, blue)
        var sequences = TerminalBytes()
        for number in 0..<(red * green * blue) {
            sequences.add("#\(number);2;\(number / (green * blue) * 100 / (red - 1));")
            sequences.add("\(number / blue % green * 100 / (green - 1));\(number % blue * 100 / (blue - 1))")
        }
        definitions = sequences.bytes
        var table = [UInt8](repeating: 0, count: 3 * 64 * 256)
        for (channel, (count, factor)) in [(red, green * blue), (green, blue), (blue, 1)].enumerated() {
            for threshold in 0..<64 {
                for value in 0..<256 {
                    // Round up if the fraction of the level exceeds the threshold.
                    let level = (value * (count - 1) * 128 + (2 * threshold + 1) * 255) / (255 * 128)
                    table[(channel * 64 + threshold) * 256 + value] = UInt8(min(level, count - 1) * factor)
                }
            }
        }
        parts = table
    }
}
