/// A converter of pixels to quarter-block characters. Each cell shows two samples across and two down, in two colours.
///
/// For every cell the converter finds the split of the four samples into two groups with the least squared error;
/// there are only eight splits. Measured at 120 x 33 cells on one core: less than 0.2 ms, compared with 8 ms for
/// general symbols of libchafa. With a palette of 256 or 16 colours, the samples are dithered (``OrderedDither``).
package struct BlockCanvas: Sendable {
    /// The number of samples from left to right in a cell.
    package static let samplesAcross = 2
    /// The number of samples from top to bottom in a cell.
    package static let samplesDown = 2

    /// The Unicode scalars of a space and of the quarter blocks. The bits 1, 2 and 4 of the index mean that the upper
    /// left, upper right and lower left quarter has the foreground colour; the lower right quarter always has the
    /// background colour.
    private static let symbols: [UInt32] = [0x20, 0x2598, 0x259d, 0x2580, 0x2596, 0x258c, 0x259e, 0x259b]
    /// The weight of a sum of samples, indexed by the number of samples in the sum: 12 divided by that number; 0 for no
    /// sample.
    private static let sumWeights: [Int32] = [0, 12, 6, 4, 3]
    /// The squared colour error of a cell, times 12, up to which the cell is drawn in one colour.
    private static let singleColourErrorLimit: Int32 = 12 * 150

    /// The distance of two neighbouring values of a channel in the palette of 256 colours.
    private static let paletteStep: Int32 = 40
    /// The distance of two neighbouring greys in the palette of 256 colours.
    private static let greyStep: Int32 = 10
    /// The smallest amplitude of dithering with 256 colours, which is used where the picture has details.
    private static let minimumDitherAmplitude: Int32 = 8

    /// Whether the font has no quarter blocks.
    private let hasOnlyHalfBlocks: Bool
    /// The tested divisions of a cell's four samples into foreground and background, as indices of ``symbols``.
    private let foregroundMasks: [Int]

    /// Creates a converter. `hasOnlyHalfBlocks` is true for fonts without quarter blocks.
    package init(hasOnlyHalfBlocks: Bool) {
        self.hasOnlyHalfBlocks = hasOnlyHalfBlocks
        foregroundMasks = hasOnlyHalfBlocks ? [3] : [3, 5, 1, 2, 4, 7, 6]
    }

    /// Draws BGRX pixels, two by two for each cell, into a part of `grid`.
    ///
    /// - Parameters:
    ///   - pixels: `height * 2` rows of `width * 2` pixels without padding.
    ///   - x: The first column of the part.
    ///   - y: The first row of the part.
    ///   - width: The width of the part in cells.
    ///   - height: The height of the part in cells.
    package func draw(
        _ pixels: UnsafePointer<UInt32>, x: Int, y: Int, width: Int, height: Int, into grid: inout CellGrid
    ) {
        let stride = width * 2
        switch grid.colours {
        case .direct:
            for row in 0..<height {
                let line = pixels + row * 2 * stride
                for column in 0..<width {
                    let samples = line + column * 2
                    grid[x + column, y + row] = cell(
                        ColourSum(samples[0]), ColourSum(samples[1]), ColourSum(samples[stride]),
                        ColourSum(samples[stride + 1]), .direct)
                }
            }
        case .indexed256:
            OrderedDither.thresholds.withUnsafeBufferPointer { thresholds in
                for row in 0..<height {
                    for column in 0..<width {
                        grid[x + column, y + row] = ditheredCell(
                            pixels + row * 2 * stride + column * 2, stride: stride, thresholds,
                            position: row % 4 * 16 + column % 4 * 2)
                    }
                }
            }
        case .indexed16:
            let canvas = Block16Canvas(hasOnlyHalfBlocks: hasOnlyHalfBlocks)
            canvas.draw(pixels, x: x, y: y, width: width, height: height, into: &grid)
        }
    }

    /// Returns the cell of 256 colours for four samples.
    ///
    /// - Parameters:
    ///   - samples: The upper left sample.
    ///   - stride: The number of samples from one row to the next.
    ///   - thresholds: The thresholds of ``OrderedDither``.
    ///   - position: The index of the upper left sample's threshold.
    private func ditheredCell(
        _ samples: UnsafePointer<UInt32>, stride: Int, _ thresholds: UnsafeBufferPointer<Int32>, position: Int
    ) -> TerminalCell {
        let upperLeft = ColourSum(samples[0]), upperRight = ColourSum(samples[1])
        let lowerLeft = ColourSum(samples[stride]), lowerRight = ColourSum(samples[stride + 1])
        // Details hide the steps between the palette's colours, and full dithering would blur them.
        let range = ColourSum.range(upperLeft, upperRight, lowerLeft, lowerRight)
        // The palette has more greys than colours of the cube.
        let chroma = (upperLeft + upperRight + lowerLeft + lowerRight).chroma / 4
        let step = min(Self.paletteStep, Self.greyStep + 2 * chroma)
        let amplitude = max(Self.minimumDitherAmplitude, step - range)
        func dithered(_ colour: ColourSum, _ offset: Int) -> ColourSum {
            colour.adding(OrderedDither.offset(thresholds[position + offset], amplitude: amplitude))
        }
        return cell(
            dithered(upperLeft, 0), dithered(upperRight, 1), dithered(lowerLeft, 8), dithered(lowerRight, 9),
            .indexed256)
    }

    /// Returns the cell for four samples.
    private func cell(
        _ upperLeft: ColourSum, _ upperRight: ColourSum, _ lowerLeft: ColourSum, _ lowerRight: ColourSum,
        _ colours: TerminalColours
    ) -> TerminalCell {
        let totalSum = upperLeft + upperRight + lowerLeft + lowerRight
        let singleColourScore = totalSum.squares &* 3
        let squareSum = upperLeft.squares &+ upperRight.squares &+ lowerLeft.squares &+ lowerRight.squares
        let singleColourError = squareSum &* 12 &- singleColourScore
        if singleColourError <= (colours == .direct ? Self.singleColourErrorLimit : 0) {
            let colour = totalSum.mean(4, colours)
            return TerminalCell(scalar: 32, foreground: colour, background: colour)
        }
        var bestSplit = (mask: 0, score: singleColourScore, foregroundSum: ColourSum(0), foregroundCount: 0)
        for mask in foregroundMasks {
            var foregroundSum = ColourSum(0)
            var foregroundCount = 0
            if mask & 1 != 0 {
                foregroundSum = foregroundSum + upperLeft
                foregroundCount += 1
            }
            if mask & 2 != 0 {
                foregroundSum = foregroundSum + upperRight
                foregroundCount += 1
            }
            if mask & 4 != 0 {
                foregroundSum = foregroundSum + lowerLeft
                foregroundCount += 1
            }
            let splitScore =
                foregroundSum.squares &* Self.sumWeights[foregroundCount]
                &+ (totalSum - foregroundSum).squares &* Self.sumWeights[4 - foregroundCount]
            if splitScore > bestSplit.score { bestSplit = (mask, splitScore, foregroundSum, foregroundCount) }
        }
        let background = (totalSum - bestSplit.foregroundSum).mean(4 - bestSplit.foregroundCount, colours)
        guard bestSplit.foregroundCount > 0 else {
            return TerminalCell(scalar: 32, foreground: background, background: background)
        }
        return TerminalCell(
            scalar: Self.symbols[bestSplit.mask],
            foreground: bestSplit.foregroundSum.mean(bestSplit.foregroundCount, colours),
            background: background)
    }

    /// A colour, or a sum of several colours: one 32-bit value per channel.
    private struct ColourSum {
        var red: Int32
        var green: Int32
        var blue: Int32

        /// Creates a sample with the colour of a BGRX pixel.
        init(_ pixel: UInt32) {
            red = Int32(truncatingIfNeeded: pixel >> 16 & 255)
            green = Int32(truncatingIfNeeded: pixel >> 8 & 255)
            blue = Int32(truncatingIfNeeded: pixel & 255)
        }

        /// The sum of the squares of the three channels.
        var squares: Int32 { red &* red &+ green &* green &+ blue &* blue }

        static func + (a: ColourSum, b: ColourSum) -> ColourSum {
            var sum = a
            sum.red &+= b.red
            sum.green &+= b.green
            sum.blue &+= b.blue
            return sum
        }

        static func - (a: ColourSum, b: ColourSum) -> ColourSum {
            var difference = a
            difference.red &-= b.red
            difference.green &-= b.green
            difference.blue &-= b.blue
            return difference
        }

        /// The difference of the largest and the smallest channel.
        var chroma: Int32 { max(red, green, blue) - min(red, green, blue) }

        /// Returns the colour with `offset` added to each channel.
        func adding(_ offset: Int32) -> ColourSum {
            var sum = self
            sum.red &+= offset
            sum.green &+= offset
            sum.blue &+= offset
            return sum
        }

        /// Returns the largest difference of four colours in one channel.
        static func range(_ a: ColourSum, _ b: ColourSum, _ c: ColourSum, _ d: ColourSum) -> Int32 {
            func range(_ a: Int32, _ b: Int32, _ c: Int32, _ d: Int32) -> Int32 {
                max(max(a, b), max(c, d)) - min(min(a, b), min(c, d))
            }
            return max(
                range(a.red, b.red, c.red, d.red), range(a.green, b.green, c.green, d.green),
                range(a.blue, b.blue, c.blue, d.blue))
        }

        /// Returns the mean colour of a sum of `count` samples, as an RGB value or a palette index of the terminal.
        func mean(_ count: Int, _ colours: TerminalColours) -> UInt32 {
            let divisor = Int32(count), halfDivisor = divisor / 2
            let meanRed = (red + halfDivisor) / divisor, meanGreen = (green + halfDivisor) / divisor,
                meanBlue = (blue + halfDivisor) / divisor
            if colours == .direct {
                return UInt32(truncatingIfNeeded: meanRed) << 16 | UInt32(truncatingIfNeeded: meanGreen) << 8
                    | UInt32(truncatingIfNeeded: meanBlue)
            }
            // Dithering may have left the range of a channel.
            func clamped(_ value: Int32) -> UInt32 { UInt32(truncatingIfNeeded: min(255, max(0, value))) }
            return Palette256.nearest(red: clamped(meanRed), green: clamped(meanGreen), blue: clamped(meanBlue))
        }
    }
}
