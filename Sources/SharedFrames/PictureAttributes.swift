/// The meaning of a picture's samples: colour, sample aspect ratio, orientation.
package struct PictureAttributes: Hashable, Sendable {
    /// The numerator of the sample (pixel) aspect ratio, which is the width of a sample divided by its height.
    package var sampleAspectNumerator: Int32 = 1
    /// The denominator of the sample aspect ratio.
    package var sampleAspectDenominator: Int32 = 1
    /// The matrix that converts between RGB and the samples.
    package var matrix = MatrixCoefficients.unspecified
    /// The colour primaries: the chromaticities of pure red, green and blue.
    package var primaries = ColourPrimaries.unspecified
    /// The transfer function between light and sample values.
    package var transfer = TransferCharacteristics.unspecified
    /// Whether samples use the full range (0–255 with 8 bits, as in JPEG) instead of the limited range (16–235).
    package var isFullRange = false
    /// The peak luminance of the content or of the mastering display, in cd/m²; 0 if it is not known. Used only with
    /// HDR transfer functions.
    package var peakLuminance: UInt16 = 0
    /// The rotation and mirroring to apply for display.
    package var orientation = PictureOrientation.upright
    /// The number of samples at each edge that are not shown.
    package var crop = PictureCrop()
    /// The reduction of the decoded picture; nil if the samples are those of the decoder.
    package var reduction: PictureReduction?

    package init() {}

    /// Returns the size, in square pixels, at which a picture of `codedSize` samples is displayed after cropping,
    /// stretching and rotation.
    package func displaySize(of codedSize: PixelSize) -> PixelSize {
        let visibleSize = crop.visibleRect(in: codedSize)?.size ?? codedSize
        let numerator = Int(sampleAspectNumerator), denominator = Int(sampleAspectDenominator)
        guard numerator > 0, denominator > 0, numerator != denominator, numerator < 1 << 16, denominator < 1 << 16
        else { return orientation.rotated(visibleSize) }
        return orientation.rotated(
            numerator > denominator
                ? PixelSize(
                    width: max(1, (visibleSize.width * numerator + denominator / 2) / denominator),
                    height: visibleSize.height)
                : PixelSize(
                    width: visibleSize.width,
                    height: max(1, (visibleSize.height * denominator + numerator / 2) / numerator)))
    }
}

/// The properties that consecutive frames of a stream share. A program sends a format once to the compositor, and each
/// frame then refers to its format by number.
package struct FrameFormat: Hashable, Sendable {
    /// The memory layout of the samples.
    package let layout: FrameLayout
    /// The meaning of the samples: colour, sample aspect ratio, orientation.
    package let attributes: PictureAttributes

    package init(layout: FrameLayout, attributes: PictureAttributes) {
        self.layout = layout
        self.attributes = attributes
    }

    /// The rectangle of the visible part of the decoded picture (``codedSize``), before rotation. Contains all of the
    /// picture if the crop would leave no sample.
    package var visibleRect: PixelRect {
        let codedSize = codedSize
        return attributes.crop.visibleRect(in: codedSize)
            ?? PixelRect(x: 0, y: 0, width: codedSize.width, height: codedSize.height)
    }

    /// The size of the visible picture in samples, after rotation.
    package var orientedSize: PixelSize { attributes.orientation.rotated(visibleRect.size) }

    /// The size at which the picture is displayed, in square pixels. If the samples are not square, either the width or
    /// the height is larger than in ``orientedSize``.
    package var displaySize: PixelSize { attributes.displaySize(of: codedSize) }

    /// The rectangle of all visible samples in memory.
    package var visibleSamples: PixelRect {
        decodedRect(of: PixelRect(x: 0, y: 0, width: orientedSize.width, height: orientedSize.height))
    }

    /// Converts a rectangle of the rotated picture, which has ``orientedSize``, to the rectangle of the corresponding
    /// samples in memory.
    package func decodedRect(of part: PixelRect) -> PixelRect {
        let visible = visibleRect
        var rect = attributes.orientation.decodedRect(of: part, in: visible.size)
        (rect.x, rect.y) = (rect.x + visible.x, rect.y + visible.y)
        guard let reduction = attributes.reduction else { return rect }
        return PixelRect(
            x: rect.x / reduction.columns, y: rect.y / reduction.lines,
            width: max(1, rect.width / reduction.columns), height: max(1, rect.height / reduction.lines))
    }
}

/// A size in pixels.
package struct PixelSize: Hashable, Sendable {
    package var width: Int
    package var height: Int
    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
    /// Whether the size contains no pixel.
    package var isEmpty: Bool { width <= 0 || height <= 0 }
}

/// A rectangle in pixels; y grows downwards.
package struct PixelRect: Hashable, Sendable {
    package var x: Int
    package var y: Int
    package var width: Int
    package var height: Int
    package init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }
    /// The width and height of the rectangle.
    package var size: PixelSize { PixelSize(width: width, height: height) }
    /// Returns whether the pixel at (`px`, `py`) lies inside the rectangle.
    package func contains(x px: Int, y py: Int) -> Bool { px >= x && px < x + width && py >= y && py < y + height }
    /// Returns the number of pixels in the intersection with another rectangle.
    package func sharedArea(with other: PixelRect) -> Int {
        max(0, min(x + width, other.x + other.width) - max(x, other.x))
            * max(0, min(y + height, other.y + other.height) - max(y, other.y))
    }

    /// Returns whether the rectangles have at least one pixel in common.
    package func overlaps(_ other: PixelRect) -> Bool {
        x < other.x + other.width && other.x < x + width && y < other.y + other.height && other.y < y + height
    }
}
