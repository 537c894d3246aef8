import SharedFrames

/// What stands on the terminal, and the fewest bytes that turn it into something else.
///
/// A value of the writer's thread. After ``invalidate(_:)`` everything is drawn anew.
package struct TerminalScreen {
    package private(set) var geometry: TerminalGeometry
    private var isUnknown = true
    private var cells = CellUpdate()
    private var image: TerminalImage?
    /// nil: what stands in the last row is not known.
    private var message: String?
    /// Cells that another process draws: never written.
    private var hole: PixelRect?
    /// The other process may have been cut off in the middle of a sequence.
    private var mustEndSequence = false

    package init(geometry: TerminalGeometry) { self.geometry = geometry }

    /// Forgets what stands on the terminal, which may have another size now.
    package mutating func invalidate(_ geometry: TerminalGeometry) {
        self.geometry = geometry
        isUnknown = true
    }

    /// From now on these cells are not written, and those of before are ours again.
    package mutating func leave(_ new: PixelRect?) {
        if let old = hole {
            cells.forget(old)
            mustEndSequence = true
        }
        hole = new
    }

    /// The bytes for this content and this message; empty when they stand there already.
    /// Content that was made for another size is left out.
    package mutating func draw(_ content: TerminalContent?, message: String) -> [UInt8] {
        var body = TerminalBytes()
        if isUnknown {
            clear(&body)
            isUnknown = false
        }
        switch content {
        case .cells(let grid) where grid.columns == geometry.columns && grid.rows == geometry.pictureRows:
            draw(grid, &body)
        // An image would cover what is not ours.
        case .image(let picture) where picture.geometry == geometry && hole == nil: draw(picture, &body)
        case .cells, .image, nil: if hole != nil, cells.isEmpty { draw(blank, &body) }
        }
        draw(message: message, &body)
        if body.isEmpty, !mustEndSequence { return [] }
        var all = TerminalBytes(capacity: body.count + 32)
        if mustEndSequence { all.add("\u{18}\u{1b}\\" as StaticString) }
        mustEndSequence = false
        all.add("\u{1b}[?2026h")
        all.add(body)
        all.add("\u{1b}[?2026l")
        return all.bytes
    }

    private static let deleteImages = "\u{1b}_Ga=d,d=A,q=2\u{1b}\\"

    private var blank: CellGrid { CellGrid(columns: geometry.columns, rows: geometry.pictureRows, colours: .indexed16) }

    /// Empties the terminal, or where a part of it is another's, has all of ours drawn.
    private mutating func clear(_ out: inout TerminalBytes) {
        if image?.isKitty == true { out.add(Self.deleteImages) }
        out.add(hole == nil ? "\u{1b}[0m\u{1b}[2J" as StaticString : "\u{1b}[0m")
        message = hole == nil ? "" : nil
        cells.forget()
        image = nil
    }

    private mutating func draw(_ grid: CellGrid, _ out: inout TerminalBytes) {
        if image != nil { clear(&out) }
        cells.draw(grid, leaving: hole, into: &out)
    }

    private mutating func draw(_ picture: TerminalImage, _ out: inout TerminalBytes) {
        if let image, image.cells == picture.cells, image.bytes == picture.bytes { return }
        if !cells.isEmpty || image?.cells != picture.cells {
            out.add("\u{1b}[0m\u{1b}[2J")
            message = ""
            cells.forget()
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
        let slack = colours == .direct ? CellUpdate.tolerance : 0
        return isNear(a.background, b.background, slack)
            && (a.scalar == 32 || isNear(a.foreground, b.foreground, slack))
    }

    static func isNear(_ a: UInt32, _ b: UInt32, _ slack: Int32) -> Bool {
        if a == b { return true }
        if slack == 0 || a == TerminalCell.defaultColour || b == TerminalCell.defaultColour { return false }
        func distance(_ shift: UInt32) -> Int32 {
            abs(Int32(truncatingIfNeeded: (a >> shift) & 255) - Int32(truncatingIfNeeded: (b >> shift) & 255))
        }
        return distance(16) <= slack && distance(8) <= slack && distance(0) <= slack
    }
}
