import SharedFrames

/// Draws pictures in some cells of a terminal that belongs to another process, and leaves everything else there as it
/// is.
///
/// Not for two threads at once.
package final class TerminalPatch {
    private let painter = TerminalPainter(detail: .quick)
    private let colours: TerminalColours
    private let halvesOnly: Bool
    private var cells = CellUpdate()
    /// Where ``cells`` stand.
    package private(set) var place: TerminalPlace?

    /// - Parameter halvesOnly: for fonts with half blocks at most.
    package init(colours: TerminalColours, halvesOnly: Bool) {
        self.colours = colours
        self.halvesOnly = halvesOnly
    }

    /// A picture as characters, with black beside it; nil when its format cannot be converted.
    package func paint(_ picture: PictureMemory, _ format: FrameFormat, in place: TerminalPlace) -> CellGrid? {
        painter.paintSymbols(picture, format, geometry: place.geometry, colours: colours, halvesOnly: halvesOnly)
    }

    /// The bytes that draw characters made for a place; empty when they stand there already. Cursor and colours stay as
    /// they were.
    package func draw(_ grid: CellGrid, in new: TerminalPlace) -> [UInt8] {
        if new != place { cells.forget() }
        place = new
        var body = TerminalBytes()
        cells.draw(grid, x: new.cells.x, y: new.cells.y, into: &body)
        if body.isEmpty { return [] }
        var all = TerminalBytes(capacity: body.count + 32)
        all.add("\u{1b}7\u{1b}[?2026h")
        all.add(body)
        all.add("\u{1b}[0m\u{1b}[?2026l\u{1b}8")
        return all.bytes
    }

    /// What stands in the place is not known any more.
    package func forget() {
        cells.forget()
        place = nil
    }
}
