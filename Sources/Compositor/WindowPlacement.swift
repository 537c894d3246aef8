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

    /// The window for a picture that has changed its shape: as wide as it was where that fits, its lower right corner where it was.
    package static func reshaped(_ frame: PixelRect, picture: PixelSize, screen: PixelSize) -> PixelRect {
        let w = max(picture.width, 1), h = max(picture.height, 1)
        var width = max(frame.width, minimumWidth), height = max(1, width * h / w)
        if height > screen.height / 2 {
            height = max(1, screen.height / 2)
            width = max(1, height * w / h)
        }
        (width, height) = (max(width & ~1, 2), max(height & ~1, 2))
        return PixelRect(x: frame.x + frame.width - width, y: frame.y + frame.height - height, width: width, height: height)
    }
}
