import SharedFrames

/// A picture that is encoded for a graphics protocol of the terminal: kitty graphics or sixels.
package struct TerminalImage: Sendable {
    /// The escape sequence that draws the image at the cursor.
    package let bytes: [UInt8]
    /// The cells that the image covers.
    package private(set) var cells: PixelRect
    /// The geometry of the terminal for which the image was encoded. With another geometry the image is not drawn.
    package let geometry: TerminalGeometry
    /// Whether this is a kitty image, which stays above the text until a sequence deletes it.
    package let isKitty: Bool
    /// The number of a kitty image.
    package var imageNumber = 1
    /// The way to the terminal behind a multiplexer; nil without a multiplexer.
    package var passthrough: TerminalPassthrough?

    /// Whether the terminal shows the image in place of ``KittyPlaceholder`` characters.
    var hasPlaceholders: Bool { isKitty && passthrough?.multiplexer == .tmux }

    /// Returns the image in cells that lie further to the right and further down.
    func moved(x: Int, y: Int) -> TerminalImage {
        var image = self
        image.cells = PixelRect(x: cells.x + x, y: cells.y + y, width: cells.width, height: cells.height)
        return image
    }

    /// Appends the bytes that draw the image in its cells.
    ///
    /// - Parameter isNew: Whether the terminal does not show an image in these cells yet.
    func draw(isNew: Bool, into out: inout TerminalBytes) {
        guard let passthrough else {
            out.moveCursor(x: cells.x, y: cells.y)
            return out.add(bytes)
        }
        if hasPlaceholders {
            out.add(passthrough.wrap(bytes))
            if isNew { KittyPlaceholder.draw(cells, imageNumber: imageNumber, into: &out) }
            return
        }
        // The multiplexer does not know that the cursor moves.
        var positionedBytes = TerminalBytes(capacity: bytes.count + 32)
        positionedBytes.add("\u{1b}7" as StaticString)
        positionedBytes.moveCursor(x: passthrough.origin.x + cells.x, y: passthrough.origin.y + cells.y)
        positionedBytes.add(bytes)
        positionedBytes.add("\u{1b}8" as StaticString)
        out.add(passthrough.wrap(positionedBytes.bytes))
    }

    /// The bytes that delete a kitty image, which clearing the screen does not delete.
    var deletion: [UInt8] {
        guard isKitty else { return [] }
        guard let passthrough else { return Array("\u{1b}_Ga=d,d=A,q=2\u{1b}\\".utf8) }
        return KittyImageEncoder.deletion(of: imageNumber, passthrough)
    }
}
