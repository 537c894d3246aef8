import SharedFrames

/// A record of the contents that a terminal shows. Only differences from this record are drawn, so that few bytes are
/// written.
///
/// Used on the thread that writes to the terminal. After ``invalidate(_:)`` all contents are drawn again.
package struct TerminalScreen {
    /// The size of the terminal.
    package private(set) var geometry: TerminalGeometry
    /// Whether the contents of the whole terminal are unknown.
    private var isUnknown = true
    /// The cells that the terminal shows.
    private var cells = ShownCells()
    /// The image that the terminal shows; nil if it shows cells.
    private var image: TerminalImage?
    /// The message that the terminal shows in its last row; nil if it is not known.
    private var message: String?
    /// The cells that the compositor draws; they are never written.
    private var excludedArea: PixelRect?
    /// The style in which the compositor draws in ``excludedArea``.
    private var regionStyle: TerminalPictureStyle?
    /// Whether to end a control sequence that the compositor may have left incomplete on the terminal.
    private var mustEndSequence = false
    /// The bytes that delete the kitty image that the compositor may have left on the terminal.
    private var pendingDeletion: [UInt8] = []

    /// Creates a screen with unknown contents.
    package init(geometry: TerminalGeometry) { self.geometry = geometry }

    /// Marks the terminal's contents as unknown and sets its size.
    package mutating func invalidate(_ geometry: TerminalGeometry) {
        self.geometry = geometry
        isUnknown = true
    }

    /// Sets the cells that are not written from now on. Cells that were excluded before are drawn again.
    ///
    /// - Parameter style: How the compositor draws in these cells. A kitty image is deleted later.
    package mutating func exclude(_ newArea: PixelRect?, style: TerminalPictureStyle? = nil) {
        if let oldArea = excludedArea {
            cells.invalidate(oldArea)
            mustEndSequence = true
            pendingDeletion = regionStyle?.imageDeletion ?? []
        }
        (excludedArea, regionStyle) = (newArea, style)
    }

    /// Returns the bytes that draw the content and the message; empty if the terminal already shows both. Content for
    /// another terminal size is skipped.
    package mutating func draw(_ content: TerminalContent?, message: String) -> [UInt8] {
        var drawingBytes = TerminalBytes()
        if isUnknown {
            clear(&drawingBytes)
            isUnknown = false
        }
        switch content {
        case .cells(let grid) where grid.columns == geometry.columns && grid.rows == geometry.pictureRows:
            draw(grid, &drawingBytes)
        // An image would cover the compositor's cells.
        case .image(let picture) where picture.geometry == geometry && excludedArea == nil: draw(picture, &drawingBytes)
        case .cells, .image, nil: if excludedArea != nil, cells.isUnknown { draw(blankGrid, &drawingBytes) }
        }
        draw(message: message, &drawingBytes)
        if drawingBytes.isEmpty, !mustEndSequence { return [] }
        var update = TerminalBytes(capacity: drawingBytes.count + 32)
        if mustEndSequence { update.add("\u{18}\u{1b}\\" as StaticString) }
        mustEndSequence = false
        update.add(pendingDeletion)
        pendingDeletion = []
        update.add("\u{1b}[?2026h")
        update.add(drawingBytes)
        update.add("\u{1b}[?2026l")
        return update.bytes
    }

    /// A grid of black cells for the whole picture area.
    private var blankGrid: CellGrid {
        CellGrid(columns: geometry.columns, rows: geometry.pictureRows, colours: .indexed16)
    }

    /// Clears the terminal. If the compositor draws a part of it, everything outside that part is drawn again instead.
    private mutating func clear(_ out: inout TerminalBytes) {
        out.add(imageDeletion)
        out.add(excludedArea == nil ? "\u{1b}[0m\u{1b}[2J" as StaticString : "\u{1b}[0m")
        message = excludedArea == nil ? "" : nil
        cells.invalidate()
        image = nil
    }

    /// Appends the bytes that draw a grid of cells.
    private mutating func draw(_ grid: CellGrid, _ out: inout TerminalBytes) {
        if image != nil { clear(&out) }
        cells.draw(grid, excluding: excludedArea, into: &out)
    }

    /// The bytes that delete the images behind a multiplexer, which clearing the screen does not delete.
    var passedImageDeletion: [UInt8] {
        (image?.passthrough == nil ? [] : imageDeletion)
            + (regionStyle?.passthrough == nil ? [] : regionStyle?.imageDeletion ?? [])
    }

    /// The bytes that delete the image that the terminal shows; empty if the terminal needs none.
    var imageDeletion: [UInt8] { image?.deletion ?? [] }

    /// Appends the bytes that draw an image.
    private mutating func draw(_ picture: TerminalImage, _ out: inout TerminalBytes) {
        let isMoved = image?.cells != picture.cells || image?.passthrough != picture.passthrough
        if !isMoved, image?.bytes == picture.bytes { return }
        let isNew = !cells.isUnknown || isMoved
        if isNew {
            out.add("\u{1b}[0m\u{1b}[2J")
            message = ""
            cells.invalidate()
        }
        picture.draw(isNew: isNew, into: &out)
        image = picture
    }

    /// Appends the bytes that draw the message in the last row.
    private mutating func draw(message text: String, _ out: inout TerminalBytes) {
        guard geometry.hasStatusRow, text != message else { return }
        message = text
        out.moveCursor(x: 0, y: geometry.rows - 1)
        out.add("\u{1b}[0m\u{1b}[2K")
        for character in TerminalText.fitting(text, columns: geometry.columns) {
            for scalar in character.scalars { out.add(scalar: scalar.value) }
        }
    }

    /// Returns whether two cells look the same, with the tolerance for colours.
    static func isNear(_ a: TerminalCell, _ b: TerminalCell, _ colours: TerminalColours) -> Bool {
        guard a.scalar == b.scalar else { return false }
        let tolerance = colours == .direct ? ShownCells.colourTolerance : 0
        return isNear(a.background, b.background, tolerance)
            && (a.scalar == 32 || isNear(a.foreground, b.foreground, tolerance))
    }

    /// Returns whether two colours differ by at most `tolerance` in each channel (0...255).
    static func isNear(_ a: UInt32, _ b: UInt32, _ tolerance: Int32) -> Bool {
        if a == b { return true }
        if tolerance == 0 || a == TerminalCell.defaultColour || b == TerminalCell.defaultColour { return false }
        func distance(_ shift: UInt32) -> Int32 {
            abs(Int32(truncatingIfNeeded: (a >> shift) & 255) - Int32(truncatingIfNeeded: (b >> shift) & 255))
        }
        return distance(16) <= tolerance && distance(8) <= tolerance && distance(0) <= tolerance
    }
}
