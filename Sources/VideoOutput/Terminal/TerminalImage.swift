import SharedFrames

/// A picture that is encoded for a graphics protocol of the terminal: kitty graphics or sixels.
package struct TerminalImage: Sendable {
    /// The escape sequence that draws the image at the cursor.
    package let bytes: [UInt8]
    /// The cells that the image covers.
    package let cells: PixelRect
    /// The geometry of the terminal for which the image was encoded. With another geometry the image is not drawn.
    package let geometry: TerminalGeometry
    /// Whether this is a kitty image, which stays above the text until a sequence deletes it.
    package let isKitty: Bool
}
