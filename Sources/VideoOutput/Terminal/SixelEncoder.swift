import SharedFrames

/// An encoder for sixel images with a fixed, dithered palette. Ordered dithering keeps a still picture still.
///
/// Not thread-safe: the object reuses its memory.
final class SixelEncoder {
    /// The colours of the images.
    private let palette: SixelPalette
    /// For each colour, the sixels of a band: one byte for each column, with a bit for each of the six rows.
    private var planes: [UInt8] = []
    /// For each colour, the first and last column that the band uses; `first` is greater than `last` if there is none.
    private var spans: [(first: Int32, last: Int32)]
    /// The colours that the band uses.
    private var usedColours: [Int] = []
    /// The width of the images, in pixels.
    private var width = 0

    init(palette: SixelPalette) {
        self.palette = palette
        spans = Array(repeating: (Int32.max, -1), count: palette.count)
    }

    /// Returns the sixel sequence of BGRX pixels, `size.height` rows without padding.
    func encode(_ pixels: UnsafePointer<UInt32>, size: PixelSize) -> [UInt8] {
        if width != size.width {
            width = size.width
            planes = [UInt8](repeating: 0, count: palette.count * size.width)
        }
        var output = TerminalBytes(capacity: size.width * size.height / 2 + palette.definitions.count + 64)
        // P2 = 1: pixels without a sixel keep their colour, so the terminal clears nothing before it draws.
        output.add("\u{1b}P0;1;0q\"1;1;\(size.width);\(size.height)")
        output.add(palette.definitions)
        var row = 0
        while row < size.height {
            collectBand(pixels + row * size.width, row: row, rowCount: min(6, size.height - row))
            writeBand(&output)
            row += 6
            if row < size.height { output.add(0x2d) }
        }
        output.add("\u{1b}\\" as StaticString)
        return output.bytes
    }

    /// Sets the bits of a band's pixels in ``planes``.
    private func collectBand(_ pixels: UnsafePointer<UInt32>, row: Int, rowCount: Int) {
        let width = width
        planes.withUnsafeMutableBufferPointer { planes in
            spans.withUnsafeMutableBufferPointer { spans in
                withTables { parts, thresholds in
                    for offset in 0..<rowCount {
                        let line = pixels + offset * width
                        let thresholdRow = (row + offset) % 8 * 8
                        let bit = UInt8(1 << offset)
                        for x in 0..<width {
                            let pixel = line[x]
                            let table = Int(thresholds[thresholdRow + x % 8]) << 8
                            let colour = Int(
                                parts[table + Int(pixel >> 16 & 255)] &+ parts[table + 0x4000 + Int(pixel >> 8 & 255)]
                                    &+ parts[table + 0x8000 + Int(pixel & 255)])
                            planes[colour &* width &+ x] |= bit
                            let column = Int32(truncatingIfNeeded: x)
                            if spans[colour].last < 0 { usedColours.append(colour) }
                            if column < spans[colour].first { spans[colour].first = column }
                            if column > spans[colour].last { spans[colour].last = column }
                        }
                    }
                }
            }
        }
    }

    /// Calls `body` with the table of the palette and the thresholds of ``OrderedDither``.
    private func withTables(_ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<Int32>) -> Void) {
        palette.parts.withUnsafeBufferPointer { parts in
            OrderedDither.thresholds.withUnsafeBufferPointer { body(parts, $0) }
        }
    }

    /// Appends the sixels of the band, colour by colour, and clears ``planes``.
    private func writeBand(_ out: inout TerminalBytes) {
        let width = width
        planes.withUnsafeMutableBufferPointer { planes in
            for (index, colour) in usedColours.enumerated() {
                let firstColumn = Int(spans[colour].first), lastColumn = Int(spans[colour].last)
                spans[colour] = (Int32.max, -1)
                if index > 0 { out.add(0x24) }
                out.add(0x23)
                out.add(number: colour)
                let plane = UnsafeMutableBufferPointer(rebasing: planes[(colour * width)..<((colour + 1) * width)])
                out.addRun(of: 0x3f, count: firstColumn)
                out.addSixels(plane, from: firstColumn, to: lastColumn)
                for x in firstColumn...lastColumn { plane[x] = 0 }
            }
        }
        usedColours.removeAll(keepingCapacity: true)
    }
}

extension TerminalBytes {
    /// Appends a sixel that is repeated `count` times.
    fileprivate mutating func addRun(of sixel: UInt8, count: Int) {
        if count > 3 {
            add(0x21)
            add(number: count)
            add(sixel)
        } else {
            for _ in 0..<max(0, count) { add(sixel) }
        }
    }

    /// Appends the sixels of the columns `first...last`, with repeated sixels as runs.
    fileprivate mutating func addSixels(_ columns: UnsafeMutableBufferPointer<UInt8>, from first: Int, to last: Int) {
        // A run of 4 or more columns takes at most as many bytes: `!`, its length and the sixel.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: last - first + 3) { target in
            var x = first, length = 0
            while x <= last {
                let value = columns[x]
                var end = x + 1
                while end <= last, columns[end] == value { end += 1 }
                let sixel = value &+ 0x3f, count = end - x
                x = end
                if count > 3 {
                    target[length] = 0x21
                    length += 1
                    var divisor = 1
                    while count / divisor >= 10 { divisor *= 10 }
                    while divisor > 0 {
                        target[length] = UInt8(48 + count / divisor % 10)
                        length += 1
                        divisor /= 10
                    }
                    target[length] = sixel
                    length += 1
                } else {
                    for _ in 0..<count {
                        target[length] = sixel
                        length += 1
                    }
                }
            }
            add(UnsafeBufferPointer(rebasing: target[..<length]))
        }
    }
}
