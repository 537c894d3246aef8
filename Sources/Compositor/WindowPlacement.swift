import SharedFrames

/// Where a floating window opens: pure arithmetic.
package enum WindowPlacement {
    /// Pixels between the window and the screen's edges.
    package static let margin = 24
    package static let minimumWidth = 160

    /// The lower right corner, a quarter of the screen wide, the picture's shape.
    package static func initialFrame(picture: PixelSize, screen: PixelSize) -> PixelRect {
        let w = max(picture.width, 1), h = max(picture.height, 1)
        var width = max(minimumWidth, screen.width / 4)
        var height = max(1, width * h / w)
        if height > screen.height / 2 {
            height = max(1, screen.height / 2)
            width = max(1, height * w / h)
        }
        // Even sizes keep chroma samples and pixels in step.
        (width, height) = (max(width & ~1, 2), max(height & ~1, 2))
        return PixelRect(x: screen.width - width - margin, y: screen.height - height - margin, width: width, height: height)
    }
}
