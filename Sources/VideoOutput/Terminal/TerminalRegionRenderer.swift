import SharedFrames

/// A renderer of pictures in those cells of a terminal that another process has assigned to this process. Other cells
/// stay unchanged.
///
/// Not thread-safe.
package final class TerminalRegionRenderer {
    /// Converts pictures to characters and images.
    private let painter = TerminalPainter(detail: .quick)
    /// The style of pictures in regions without a style of their own.
    private let defaultStyle: TerminalPictureStyle
    /// The cells that the terminal shows in ``region``, below an image if there is one.
    private var cells = ShownCells()
    /// The cells that the terminal shows in the row for the state of the playback.
    private var controlCells = ShownCells()
    /// The image that the terminal shows in ``region``; nil if it shows characters.
    private var image: TerminalImage?
    /// The part of the terminal whose contents this object knows; nil if the contents are unknown.
    package private(set) var region: TerminalRegion?

    /// The content of a region of a terminal.
    package struct Content: Sendable {
        /// The picture.
        let picture: TerminalContent
        /// The row for the state of the playback; nil if the region has no such row.
        let controls: CellGrid?
    }

    /// An overlay over the picture, such as subtitles.
    package struct Overlay {
        /// The text, which pictures that consist of characters show.
        let text: String
        /// Draws the overlay's pixels over the BGRX pixels of an image. Receives the first pixel, the size of the image
        /// and the distance between its rows in bytes.
        let draw: (UnsafeMutableRawPointer, PixelSize, Int) -> Void

        package init(text: String, draw: @escaping (UnsafeMutableRawPointer, PixelSize, Int) -> Void) {
            self.text = text
            self.draw = draw
        }
    }

    /// Creates a renderer.
    ///
    /// - Parameters:
    ///   - colours: The colours of regions without a ``TerminalRegion/style``.
    ///   - hasOnlyHalfBlocks: Whether the font of these regions has no quarter blocks.
    package init(colours: TerminalColours, hasOnlyHalfBlocks: Bool) {
        defaultStyle = TerminalPictureStyle(colours: colours, hasOnlyHalfBlocks: hasOnlyHalfBlocks)
    }

    /// Converts a picture to characters or an image, with black beside it. Returns nil if the picture's format cannot
    /// be converted.
    ///
    /// - Parameters:
    ///   - overlay: The overlay over the picture; nil for none.
    ///   - controls: The state of the playback for the row below the picture.
    package func paint(
        _ picture: PictureMemory, _ format: FrameFormat, overlay: Overlay? = nil, controls: TerminalControls? = nil,
        in region: TerminalRegion
    ) -> Content? {
        let style = region.style ?? defaultStyle
        // Pixels of an overlay are legible in images only.
        let painterOverlay = TerminalPainter.Overlay(
            text: overlay?.text ?? "", draw: style.mode == .symbols ? nil : overlay?.draw)
        guard let content = painter.paint(picture, format, overlay: painterOverlay, in: region, style: style) else {
            return nil
        }
        return Content(picture: content, controls: controlsRow(controls, in: region, style))
    }

    /// Returns the row for the state of the playback; nil if the region has none.
    private func controlsRow(
        _ controls: TerminalControls?, in region: TerminalRegion, _ style: TerminalPictureStyle
    ) -> CellGrid? {
        guard region.controlRows > 0 else { return nil }
        var row = CellGrid(columns: region.cells.width, rows: 1, colours: style.colours)
        if let controls {
            row.writeCentred(controls.line(columns: row.columns - 2, isASCII: style.hasOnlyHalfBlocks))
        }
        return row
    }

    /// Returns the bytes that draw `content` in its region; empty if the terminal already shows `content`. The bytes
    /// leave cursor and colours unchanged.
    package func draw(_ content: Content, in newRegion: TerminalRegion) -> [UInt8] {
        if newRegion != region { forgetContents() }
        region = newRegion
        var drawingBytes = TerminalBytes()
        let origin = newRegion.pictureCells
        switch content.picture {
        case .cells(let grid):
            image = nil
            cells.draw(grid, x: origin.x, y: origin.y, into: &drawingBytes)
        case .image(let newImage): draw(newImage, at: origin, newRegion.style ?? defaultStyle, &drawingBytes)
        }
        if let controls = content.controls {
            controlCells.draw(controls, x: origin.x, y: origin.y + origin.height, into: &drawingBytes)
        }
        if drawingBytes.isEmpty { return [] }
        var update = TerminalBytes(capacity: drawingBytes.count + 32)
        update.add("\u{1b}7\u{1b}[?2026h")
        update.add(drawingBytes)
        update.add("\u{1b}[0m\u{1b}[?2026l\u{1b}8")
        return update.bytes
    }

    /// Appends the bytes that draw an image, and black cells beside it.
    private func draw(
        _ newImage: TerminalImage, at origin: PixelRect, _ style: TerminalPictureStyle, _ out: inout TerminalBytes
    ) {
        // Characters that are written over a sixel image erase it.
        if image?.cells != newImage.cells { cells.invalidate() }
        let blankGrid = CellGrid(columns: origin.width, rows: origin.height, colours: style.colours)
        cells.draw(blankGrid, x: origin.x, y: origin.y, into: &out)
        guard image?.cells != newImage.cells || image?.bytes != newImage.bytes else { return }
        newImage.moved(x: origin.x, y: origin.y).draw(isNew: image?.cells != newImage.cells, into: &out)
        image = newImage
    }

    /// Marks the contents of the terminal's cells as unknown, so that the next drawing writes all of them.
    package func invalidate() {
        forgetContents()
        region = nil
    }

    /// Marks the contents of all cells as unknown.
    private func forgetContents() {
        cells.invalidate()
        controlCells.invalidate()
        image = nil
    }
}
