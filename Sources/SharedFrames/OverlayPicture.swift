/// What is drawn over a picture: boxes of premultiplied BGRA pixels in a place of a certain size. Immutable.
package final class OverlayPicture: Sendable {
    package struct Box: Sendable, Equatable {
        /// Within the place.
        package let rect: PixelRect
        /// `rect.height` rows of `rect.width` pixels, four bytes each: blue, green, red, already multiplied by the
        /// fourth, alpha.
        package let pixels: [UInt8]

        /// nil when the bytes are not those of the rectangle.
        package init?(rect: PixelRect, pixels: [UInt8]) {
            guard rect.width > 0, rect.height > 0, pixels.count == rect.width * rect.height * 4 else { return nil }
            self.rect = rect
            self.pixels = pixels
        }
    }

    /// Pixels of the place that it was made for.
    package let size: PixelSize
    package let boxes: [Box]
    /// The words in it, for a place that has letters of its own; "" where it is only pictures.
    package let text: String

    package init(size: PixelSize, boxes: [Box], text: String = "") {
        self.size = size
        self.text = text
        self.boxes = boxes.filter { box in
            box.rect.x >= 0 && box.rect.y >= 0 && box.rect.x + box.rect.width <= size.width
                && box.rect.y + box.rect.height <= size.height
        }
    }
}

/// Where an overlay is wanted.
package struct OverlayPlace: Hashable, Sendable {
    /// All of the window.
    package var size: PixelSize
    /// The part of it that the picture covers.
    package var picture: PixelRect
    /// The picture's own samples: what positions in subtitles refer to.
    package var video: PixelSize
    /// So many rows at the lower edge are covered by something else: lines of text are to be read above them.
    package var covered = 0

    package init(size: PixelSize, picture: PixelRect, video: PixelSize) {
        self.size = size
        self.picture = picture
        self.video = video
    }
}

/// Whoever knows what is to be seen over a picture.
package protocol OverlaySource: AnyObject, Sendable {
    /// What lies over the picture of a moment; the same object as long as nothing changes, nil for nothing.
    ///
    /// - Parameter time: nanoseconds on the item's timeline.
    func overlay(at time: Int64, in place: OverlayPlace) -> OverlayPicture?
}
