/// The fixed part of the 256 colours of xterm: a cube of 6 x 6 x 6 (16...231) and 24 greys (232...255).
package enum Palette256 {
    /// Returns the index of the nearest colour. Channels have 8 bits.
    package static func nearest(red: UInt32, green: UInt32, blue: UInt32) -> UInt32 {
        let r = step(red), g = step(green), b = step(blue)
        let cube = 16 + 36 * r + 6 * g + b
        let mean = (red + green + blue) / 3
        let grey = mean < 3 ? 0 : min(23, (mean - 3) / 10)
        let level = 8 + 10 * grey
        let cubeError = square(red, value(r)) + square(green, value(g)) + square(blue, value(b))
        let greyError = square(red, level) + square(green, level) + square(blue, level)
        return greyError < cubeError ? 232 + grey : cube
    }

    /// Returns the step 0...5 of the colour cube that is nearest to a channel's value.
    private static func step(_ value: UInt32) -> UInt32 { value < 48 ? 0 : value < 115 ? 1 : min(5, (value - 35) / 40) }
    /// Returns the channel's value at a step of the colour cube.
    private static func value(_ step: UInt32) -> UInt32 { step == 0 ? 0 : 55 + 40 * step }
    /// Returns the squared difference of two channel values.
    private static func square(_ a: UInt32, _ b: UInt32) -> UInt32 { a > b ? (a - b) * (a - b) : (b - a) * (b - a) }
}
