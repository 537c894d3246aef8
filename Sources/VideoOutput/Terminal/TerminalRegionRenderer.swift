import SharedFrames

/// A renderer of pictures in those cells of a terminal that another process has assigned to this process. Other cells
/// stay unchanged.
///
/// Not thread-safe.
package final class TerminalRegionRenderer {
    /// Converts pictures to characters.
    private let painter = TerminalPainter(detail: .quick)
    /// The colour mode of the terminal: RGB, 256 or 16 colours.
    private let colours: TerminalColours
    /// Whether the terminal's font has no quarter blocks.
    private let hasOnlyHalfBlocks: Bool
    /// The cells that the terminal shows in ``region``.
    private var cells = ShownCells()
    /// The part of the terminal that ``cells`` describes; nil if its contents are unknown.
    package private(set) var region: TerminalRegion?

    /// Creates a renderer. `hasOnlyHalfBlocks` is true for fonts without quarter blocks.
    package init(colours: TerminalColours, hasOnlyHalfBlocks: Bool) {
        self.colours = colours
        self.hasOnlyHalfBlocks = hasOnlyHalfBlocks
    }

    /// Converts a picture to characters, with black beside it. Returns nil if the picture's format cannot be converted.
    package func paint(_ picture: PictureMemory, _ format: FrameFormat, in region: TerminalRegion) -> CellGrid? {
        painter.paintSymbols(
            picture, format, geometry: region.geometry, colours: colours, hasOnlyHalfBlocks: hasOnlyHalfBlocks)
    }

    /// Returns the bytes that draw `grid` in its region; empty if the terminal already shows `grid`. The bytes leave
    /// cursor and colours unchanged.
    package func draw(_ grid: CellGrid, in newRegion: TerminalRegion) -> [UInt8] {
        if newRegion != region { cells.invalidate() }
        region = newRegion
        var body = TerminalBytes()
        cells.draw(grid, x: newRegion.cells.x, y: newRegion.cells.y, into: &body)
        if body.isEmpty { return [] }
        var update = TerminalBytes(capacity: body.count + 32)
        update.add("\u{1b}7\u{1b}[?2026h")
        update.add(body)
        update.add("\u{1b}[0m\u{1b}[?2026l\u{1b}8")
        return update.bytes
    }

    /// Marks the contents of the terminal's cells as unknown, so that the next drawing writes all of them.
    package func invalidate() {
        cells.invalidate()
        region = nil
    }
}
