import CCairo
import SharedFrames
import VideoOutput

/// Draws the placeholder of a window whose picture is in Picture-in-Picture: the outline of a screen with a small
/// window in its corner, and a line of text.
enum PlaceholderPainter {
    /// Draws the placeholder into BGRX pixels; `stride` is the number of bytes between the starts of two rows.
    static func draw(_ pixels: UnsafeMutableRawPointer, _ size: PixelSize, _ stride: Int, _ text: String) {
        PlaceholderPicture.draw(pixels: pixels, size: size, stride: stride)
        let fontSize = min(32, max(11, size.height / 22)), icon = min(size.width / 3, size.height / 2) * 3 / 4
        let line = PixelRect(x: 0, y: (size.height + icon) / 2 + fontSize, width: size.width, height: fontSize * 2)
        guard line.y + line.height <= size.height else { return }
        CairoDrawing.draw(pixels.assumingMemoryBound(to: UInt8.self), CAIRO_FORMAT_RGB24, size, stride: stride) {
            cairo in
            cairo.setGrey(0.7)
            cairo.drawText(text, in: line, size: Double(fontSize), .middle)
        }
    }
}
