/// The fixed part of the 256 colours of xterm: a cube of 6 x 6 x 6 (16...231) and 24 greys (232...255).
package enum Palette256 {
    /// Returns the index of the nearest colour. Channels have 8 bits.
    package static func nearest(red: UInt32, green: UInt32, blue: UInt32) -> UInt32 {
        let r = cubeStep(red), g = cubeStep(green), b = cubeStep(blue)
        let cubeIndex = 16 + 36 * r + 6 * g + b
        let mean = (red + green + blue) / 3
        let greyStep = mean < 3 ? 0 : min(23, (mean - 3) / 10)
        let greyLevel = 8 + 10 * greyStep
        let cubeError =
            squaredDifference(red, channelValue(r)) + squaredDifference(green, channelValue(g))
            + squaredDifference(blue, channelValue(b))
        let greyError =
            squaredDifference(red, greyLevel) + squaredDifference(green, greyLevel) + squaredDifference(blue, greyLevel)
        return greyError < cubeError ? 232 + greyStep : cubeIndex
    }

    /// Returns the step 0...5 of the colour cube that is nearest to a channel's value.
    private static func cubeStep(_ value: UInt32) -> UInt32 {
        value < 48 ? 0 : value < 115 ? 1 : min(5, (value - 35) / 40)
    }
    /// Returns the channel's value at a step of the colour cube.
    private static func channelValue(_ step: UInt32) -> UInt32 { step == 0 ? 0 : 55 + 40 * step }
    /// Returns the squared difference of two channel values.
    private static func squaredDifference(_ a: UInt32, _ b: UInt32) -> UInt32 {
        a > b ? (a - b) * (a - b) : (b - a) * (b - a)
    }
}
