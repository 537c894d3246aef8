/// An overlay drawn over a picture: boxes of premultiplied BGRA pixels in an area of a given size. Immutable.
package final class OverlayPicture: Sendable {
    /// A rectangle of pixels that belongs to the overlay.
    package struct Box: Sendable, Equatable {
        /// The box's position and size within the overlay's area.
        package let rect: PixelRect
        /// `rect.height` rows of `rect.width` pixels, four bytes per pixel: blue, green and red, premultiplied by
        /// alpha, then alpha.
        package let pixels: [UInt8]

        /// Creates a box; nil if the number of bytes does not match the rectangle.
        package init?(rect: PixelRect, pixels: [UInt8]) {
            guard rect.width > 0, rect.height > 0, pixels.count == rect.width * rect.height * 4 else { return nil }
            self.rect = rect
            self.pixels = pixels
        }
    }

    /// The size in pixels of the area that the overlay was drawn for.
    package let size: PixelSize
    /// The overlay's boxes, in the order in which they are drawn.
    package let boxes: [Box]
    /// The overlay's text, for outputs that draw text themselves (a terminal); empty if the overlay contains only
    /// pictures.
    package let text: String

    /// Creates an overlay. Discards boxes that are not completely inside the area.
    package init(size: PixelSize, boxes: [Box], text: String = "") {
        self.size = size
        self.text = text
        self.boxes = boxes.filter { box in
            box.rect.x >= 0 && box.rect.y >= 0 && box.rect.x + box.rect.width <= size.width
                && box.rect.y + box.rect.height <= size.height
        }
    }
}

/// The window, and the part of the window in which an overlay is drawn.
package struct OverlayGeometry: Hashable, Sendable {
    /// The window's size in pixels.
    package var windowSize: PixelSize
    /// The part of the window that the picture covers.
    package var pictureRect: PixelRect
    /// The size of the video in samples, which subtitle positions refer to.
    package var videoSize: PixelSize
    /// The number of pixel rows at the window's lower edge that the player's controls cover; subtitles are placed above
    /// them.
    package var coveredRowCount = 0

    package init(windowSize: PixelSize, pictureRect: PixelRect, videoSize: PixelSize) {
        self.windowSize = windowSize
        self.pictureRect = pictureRect
        self.videoSize = videoSize
    }
}

/// A source of overlays, such as subtitles.
package protocol OverlaySource: AnyObject, Sendable {
    /// Returns the overlay to show at a time; nil if there is no overlay. Returns the same object as long as the
    /// content does not change.
    ///
    /// - Parameters:
    ///   - time: The time on the item's timeline, in nanoseconds.
    ///   - geometry: The window for which the overlay is drawn.
    func overlay(at time: Int64, in geometry: OverlayGeometry) -> OverlayPicture?
}
