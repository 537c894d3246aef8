/// A converter of pixels to quarter-block or half-block characters in the 16 ANSI colours, with ordered dithering.
struct Block16Canvas {
    /// Whether the font has only half blocks, as on the Linux console. That console also has only the first 8 colours
    /// as backgrounds.
    let hasOnlyHalfBlocks: Bool

    /// The Unicode scalars of the block characters. The bits 1, 2, 4 and 8 of the index mean that the upper left, upper
    /// right, lower left and lower right quarter has the foreground colour.
    private static let symbols: [UInt32] = [
        0x20, 0x2598, 0x259d, 0x2580, 0x2596, 0x258c, 0x259e, 0x259b, 0x2597, 0x259a, 0x2590, 0x259c, 0x2584, 0x2599,
        0x259f, 0x2588,
    ]
    /// The distances of each two colours, indexed by 16 times the first colour plus the second colour.
    private static let distances: [Int] = (0..<256).map {
        Palette16.distance(
            Palette16.components(Palette16.colours[$0 / 16]), Palette16.components(Palette16.colours[$0 % 16]))
    }

    /// Draws BGRX pixels, two by two for each cell, into a part of `grid`. The parameters are those of
    /// ``BlockCanvas/draw(_:x:y:width:height:into:)``.
    func draw(
        _ pixels: UnsafePointer<UInt32>, x: Int, y: Int, width: Int, height: Int, into grid: inout CellGrid
    ) {
        let stride = width * 2
        OrderedDither.thresholds.withUnsafeBufferPointer { thresholds in
            Palette16.mixtures.withUnsafeBufferPointer { mixtures in
                for row in 0..<height {
                    for column in 0..<width {
                        let samples = pixels + row * 2 * stride + column * 2
                        let position = row % 4 * 16 + column % 4 * 2
                        func colour(_ offset: Int, _ thresholdOffset: Int) -> Int {
                            Palette16.dithered(
                                samples[offset], threshold: thresholds[position + thresholdOffset], mixtures)
                        }
                        grid[x + column, y + row] = cell(
                            colour(0, 0), colour(1, 1), colour(stride, 8), colour(stride + 1, 9))
                    }
                }
            }
        }
    }

    /// Returns the cell that is most similar to the palette colours of its quarters.
    private func cell(_ upperLeft: Int, _ upperRight: Int, _ lowerLeft: Int, _ lowerRight: Int) -> TerminalCell {
        var bestPair = (error: Int.max, first: upperLeft, second: upperLeft, mask: 0)
        func tryPair(_ first: Int, _ second: Int) {
            var error = 0, mask = 0
            func assign(_ quarters: (Int, Int), bits: (Int, Int)) {
                let firstErrors = (Self.distances[quarters.0 * 16 + first], Self.distances[quarters.1 * 16 + first])
                let secondErrors = (Self.distances[quarters.0 * 16 + second], Self.distances[quarters.1 * 16 + second])
                if hasOnlyHalfBlocks {
                    let usesFirst = firstErrors.0 + firstErrors.1 < secondErrors.0 + secondErrors.1
                    error += usesFirst ? firstErrors.0 + firstErrors.1 : secondErrors.0 + secondErrors.1
                    if usesFirst { mask |= bits.0 | bits.1 }
                } else {
                    error += min(firstErrors.0, secondErrors.0) + min(firstErrors.1, secondErrors.1)
                    if firstErrors.0 < secondErrors.0 { mask |= bits.0 }
                    if firstErrors.1 < secondErrors.1 { mask |= bits.1 }
                }
            }
            assign((upperLeft, upperRight), bits: (1, 2))
            assign((lowerLeft, lowerRight), bits: (4, 8))
            if error < bestPair.error { bestPair = (error, first, second, mask) }
        }
        tryPair(upperLeft, upperRight)
        if bestPair.error > 0 { tryPair(upperLeft, lowerLeft) }
        if bestPair.error > 0 { tryPair(upperLeft, lowerRight) }
        if bestPair.error > 0 { tryPair(upperRight, lowerLeft) }
        if bestPair.error > 0 { tryPair(upperRight, lowerRight) }
        if bestPair.error > 0 { tryPair(lowerLeft, lowerRight) }
        return makeCell(mask: bestPair.mask, foreground: bestPair.first, background: bestPair.second)
    }

    /// Returns a cell with a background that the terminal supports.
    private func makeCell(mask: Int, foreground: Int, background: Int) -> TerminalCell {
        var (mask, foreground, background) = (mask, foreground, background)
        if mask == 15 { (mask, background) = (0, foreground) }
        if mask == 0 { foreground = background }
        if hasOnlyHalfBlocks, background > 7 {
            (mask, foreground, background) = (mask ^ 15, background, foreground)
            // Both colours are bright: use the darker variant for the background.
            if background > 7 { background = mask == 15 || background == 8 ? 0 : background & 7 }
        }
        return TerminalCell(
            scalar: Self.symbols[mask], foreground: UInt32(foreground), background: UInt32(background))
    }
}
