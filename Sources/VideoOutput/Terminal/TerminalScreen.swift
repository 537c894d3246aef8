import SharedFrames

/// What stands on the terminal, and the fewest bytes that turn it into something else.
///
/// A value of the writer's thread. After ``invalidate(_:)`` everything is drawn anew.
package struct TerminalScreen {
    /// A colour so near to the one wanted is left as it is: noise that no eye sees is half of the bytes.
    private static let tolerance: Int32 = 3

    package private(set) var geometry: TerminalGeometry
    private var isUnknown = true
    private var shown: CellGrid?
    private var image: TerminalImage?
    private var message = ""

    package init(geometry: TerminalGeometry) { self.geometry = geometry }

    /// Forgets what stands on the terminal, which may have another size now.
    package mutating func invalidate(_ geometry: TerminalGeometry) {
        self.geometry = geometry
        isUnknown = true
    }

    /// The bytes for this content and this message; empty when they stand there already.
    /// Content that was made for another size is left out.
    package mutating func draw(_ content: TerminalContent?, message: String) -> [UInt8] {
        var body = TerminalBytes()
        if isUnknown {
            if image?.isKitty == true { body.add(Self.deleteImages) }
            body.add("\u{1b}[0m\u{1b}[2J")
            shown = nil
            image = nil
            self.message = ""
            isUnknown = false
        }
        switch content {
        case .cells(let grid) where grid.columns == geometry.columns && grid.rows == geometry.pictureRows: draw(grid, &body)
        case .image(let picture) where picture.geometry == geometry: draw(picture, &body)
        case .cells, .image, nil: break
        }
        draw(message: message, &body)
        if body.isEmpty { return [] }
        var all = TerminalBytes(capacity: body.count + 32)
        all.add("\u{1b}[?2026h")
        all.add(body)
        all.add("\u{1b}[?2026l")
        return all.bytes
    }

    private static let deleteImages = "\u{1b}_Ga=d,d=A,q=2\u{1b}\\"

    private mutating func draw(_ grid: CellGrid, _ out: inout TerminalBytes) {
        if let old = image {
            if old.isKitty { out.add(Self.deleteImages) }
            out.add("\u{1b}[0m\u{1b}[2J")
            message = ""
            image = nil
        }
        let isFresh = shown?.colours != grid.colours || shown?.cells.count != grid.cells.count
        var old = isFresh ? grid : shown ?? grid
        shown = nil  // one owner only: what follows changes the cells in place
        var pen = Pen()
        var cursor = -1
        out.reserve(isFresh ? grid.cells.count * 40 : grid.cells.count * 8)
        for index in grid.cells.indices {
            let cell = grid.cells[index]
            // The right half of a wide character draws nothing.
            if cell.scalar == 0 {
                old.cells[index] = cell
                continue
            }
            if !isFresh, Self.isNear(cell, old.cells[index], grid.colours) { continue }
            let column = index % grid.columns
            if cursor != index || column == 0 { out.moveCursor(x: column, y: index / grid.columns) }
            old.cells[index] = pen.put(cell, grid.colours, tolerance: Self.tolerance, &out)
            let isWide = column + 1 < grid.columns && grid.cells[index + 1].scalar == 0
            cursor = index + (isWide ? 2 : 1)
        }
        shown = old
    }

    private mutating func draw(_ picture: TerminalImage, _ out: inout TerminalBytes) {
        if let image, image.cells == picture.cells, image.bytes == picture.bytes { return }
        if shown != nil || image?.cells != picture.cells {
            out.add("\u{1b}[0m\u{1b}[2J")
            message = ""
            shown = nil
        }
        out.moveCursor(x: picture.cells.x, y: picture.cells.y)
        out.add(picture.bytes)
        image = picture
    }

    private mutating func draw(message text: String, _ out: inout TerminalBytes) {
        guard geometry.hasStatusRow, text != message else { return }
        message = text
        out.moveCursor(x: 0, y: geometry.rows - 1)
        out.add("\u{1b}[0m\u{1b}[2K")
        for item in TerminalText.fitting(text, columns: geometry.columns) {
            for scalar in item.scalars { out.add(scalar: scalar.value) }
        }
    }

    static func isNear(_ a: TerminalCell, _ b: TerminalCell, _ colours: TerminalColours) -> Bool {
        guard a.scalar == b.scalar else { return false }
        let slack = colours == .direct ? tolerance : 0
        return isNear(a.background, b.background, slack) && (a.scalar == 32 || isNear(a.foreground, b.foreground, slack))
    }

    static func isNear(_ a: UInt32, _ b: UInt32, _ slack: Int32) -> Bool {
        if a == b { return true }
        if slack == 0 || a == TerminalCell.defaultColour || b == TerminalCell.defaultColour { return false }
        func distance(_ shift: UInt32) -> Int32 { abs(Int32(truncatingIfNeeded: (a >> shift) & 255) - Int32(truncatingIfNeeded: (b >> shift) & 255)) }
        return distance(16) <= slack && distance(8) <= slack && distance(0) <= slack
    }
}
