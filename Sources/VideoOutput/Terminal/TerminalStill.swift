import SharedFrames

/// A still picture in the text output of a command: lines of coloured characters.
package struct TerminalStill: Sendable {
    /// The lines. Each begins and ends with the terminal's default colours.
    package let lines: [String]
    /// The width in cells.
    package let columns: Int

    /// Draws a picture with libchafa.
    ///
    /// - Parameters:
    ///   - pixels: The rows without padding; four bytes per pixel: blue, green, red and an unused byte.
    ///   - size: The size of the picture.
    ///   - columns: The largest width in cells. A cell is taken to be twice as high as wide.
    ///   - rows: The largest height in cells.
    ///   - capabilities: The colours and characters that the terminal can show.
    /// - Returns: nil if the picture is empty, or if memory is short.
    package init?(_ pixels: [UInt32], size: PixelSize, columns: Int, rows: Int, capabilities: TerminalCapabilities) {
        guard !size.isEmpty, pixels.count == size.width * size.height, columns > 0, rows > 0 else { return nil }
        // The height of the picture in halves of its width's cells.
        let scale = min(Double(columns) / Double(size.width), Double(rows * 2) / Double(size.height))
        let width = min(columns, max(1, Int((Double(size.width) * scale).rounded()))),
            height = min(rows, max(1, Int((Double(size.height) * scale / 2).rounded())))
        let shape = ChafaCanvas.Shape(
            columns: width, rows: height, cellWidthInPixels: ChafaCanvas.symbolRasterLength,
            cellHeightInPixels: ChafaCanvas.symbolRasterLength, colours: capabilities.colours,
            hasOnlyHalfBlocks: capabilities.hasOnlyHalfBlocks)
        guard let canvas = ChafaCanvas(shape), let scaled = Self.scale(pixels, size, to: shape.pixelSize) else {
            return nil
        }
        var grid = CellGrid(columns: width, rows: height, colours: capabilities.colours)
        scaled.withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress else { return }
            canvas.drawSymbols(start.assumingMemoryBound(to: UInt8.self), x: 0, y: 0, into: &grid)
        }
        self.columns = width
        lines = (0..<height).map { Self.line($0, of: grid) }
    }

    /// Scales a picture; returns nil if libswscale cannot allocate memory.
    private static func scale(_ pixels: [UInt32], _ size: PixelSize, to target: PixelSize) -> [UInt32]? {
        guard let pixelFormat = PixelFormat(name: "bgr0"),
            let layout = FrameLayout(
                pixelFormat: pixelFormat, width: size.width, height: size.height,
                planes: [.init(offset: 0, stride: size.width * 4)])
        else { return nil }
        let format = FrameFormat(layout: layout, attributes: PictureAttributes())
        // The scaler may read and write a little beyond the last pixel.
        let padding = FrameLayout.overreadPadding
        let source = pixels + [UInt32](repeating: 0, count: padding)
        var scaled = [UInt32](repeating: 0, count: target.width * target.height + 1024)
        let isDrawn = source.withUnsafeBytes { source in
            scaled.withUnsafeMutableBytes { scaled in
                guard let sourceStart = source.baseAddress, let start = scaled.baseAddress else { return false }
                return PictureScaler().draw(
                    PictureMemory(base: sourceStart, layout: layout), format: format, source: format.visibleSamples,
                    into: start, size: target, stride: target.width * 4)
            }
        }
        guard isDrawn else { return nil }
        // libchafa requires an alpha of 255.
        for index in scaled.indices { scaled[index] |= 0xFF00_0000 }
        return scaled
    }

    /// Returns a row of cells as text with control sequences for its colours.
    private static func line(_ row: Int, of grid: CellGrid) -> String {
        var bytes = TerminalBytes(), pen = TerminalScreen.Pen()
        for column in 0..<grid.columns { _ = pen.put(grid[column, row], grid.colours, tolerance: 0, &bytes) }
        bytes.add("\u{1b}[0m")
        return String(decoding: bytes.bytes, as: UTF8.self)
    }
}
