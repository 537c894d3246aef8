import SharedFrames

/// A picture as the terminal's own kind of image.
package struct TerminalImage: Sendable {
    /// The escape sequence that draws it at the cursor.
    package let bytes: [UInt8]
    /// The cells that it covers.
    package let cells: PixelRect
    /// The terminal it was made for: of another size it is not drawn.
    package let geometry: TerminalGeometry
    /// It stays until it is deleted, over the text.
    package let isKitty: Bool
}
