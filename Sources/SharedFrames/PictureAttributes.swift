/// What the samples of a picture mean: colour, sample shape, which way is up. Numbers are those of ITU-T H.273, which
/// FFmpeg uses too.
package struct PictureAttributes: Hashable, Sendable {
    /// Sample (pixel) aspect ratio, width over height.
    package var sampleAspectNumerator: Int32 = 1
    package var sampleAspectDenominator: Int32 = 1
    /// H.273 matrix coefficients; 2 = unspecified.
    package var matrix: UInt8 = 2
    /// H.273 colour primaries; 2 = unspecified.
    package var primaries: UInt8 = 2
    /// H.273 transfer characteristics; 2 = unspecified.
    package var transfer: UInt8 = 2
    /// Samples use all their codes (JPEG range) and not 16-235.
    package var isFullRange = false
    /// The brightest that the picture was made for, cd/m²; 0 = unknown. Matters with the transfer of HDR only.
    package var peakLuminance: UInt16 = 0
    package var orientation = PictureOrientation.upright
    package var crop = PictureCrop()

    package init() {}

    /// Returns the size, in square pixels, at which a picture of `coded` samples is shown: cropped, stretched and
    /// rotated.
    package func displaySize(of coded: PixelSize) -> PixelSize {
        let samples = crop.visible(in: coded)?.size ?? coded
        let n = Int(sampleAspectNumerator), d = Int(sampleAspectDenominator)
        guard n > 0, d > 0, n != d, n < 1 << 16, d < 1 << 16 else { return orientation.turned(samples) }
        return orientation.turned(
            n > d
                ? PixelSize(width: max(1, (samples.width * n + d / 2) / d), height: samples.height)
                : PixelSize(width: samples.width, height: max(1, (samples.height * d + n / 2) / n)))
    }
}

/// All that two frames of one stream have in common: announced once, then named by number.
package struct FrameFormat: Hashable, Sendable {
    package let layout: FrameLayout
    package let attributes: PictureAttributes

    package init(layout: FrameLayout, attributes: PictureAttributes) {
        self.layout = layout
        self.attributes = attributes
    }

    /// The samples that are to be seen, as decoded. All of them where the crop would leave nothing.
    package var visible: PixelRect {
        let whole = PixelSize(width: layout.width, height: layout.height)
        return attributes.crop.visible(in: whole) ?? PixelRect(x: 0, y: 0, width: whole.width, height: whole.height)
    }

    /// How many samples are to be seen, turned as they are to be seen.
    package var orientedSize: PixelSize { attributes.orientation.turned(visible.size) }

    /// The size at which the picture is meant to be seen, in square pixels: width is stretched or height is, never
    /// shrunk.
    package var displaySize: PixelSize {
        attributes.displaySize(of: PixelSize(width: layout.width, height: layout.height))
    }

    /// Where a part of the picture as it is seen (``orientedSize``) lies among the samples.
    package func samples(of part: PixelRect) -> PixelRect {
        let visible = visible
        var rect = attributes.orientation.source(of: part, in: visible.size)
        (rect.x, rect.y) = (rect.x + visible.x, rect.y + visible.y)
        return rect
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
    package var isEmpty: Bool { width <= 0 || height <= 0 }
}

/// A rectangle in pixels, y downwards.
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
    package var size: PixelSize { PixelSize(width: width, height: height) }
    package func contains(x px: Int, y py: Int) -> Bool { px >= x && px < x + width && py >= y && py < y + height }
    /// Of how many pixels both consist.
    package func sharedArea(with other: PixelRect) -> Int {
        max(0, min(x + width, other.x + other.width) - max(x, other.x))
            * max(0, min(y + height, other.y + other.height) - max(y, other.y))
    }

    package func overlaps(_ other: PixelRect) -> Bool {
        x < other.x + other.width && other.x < x + width && y < other.y + other.height && other.y < y + height
    }
}
