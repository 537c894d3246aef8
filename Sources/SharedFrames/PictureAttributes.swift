/// What the samples of a picture mean: colour, sample shape. Numbers are those of ITU-T H.273, which FFmpeg uses too.
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

    package init() {}
}

/// All that two frames of one stream have in common: announced once, then named by number.
package struct FrameFormat: Hashable, Sendable {
    package let layout: FrameLayout
    package let attributes: PictureAttributes

    package init(layout: FrameLayout, attributes: PictureAttributes) {
        self.layout = layout
        self.attributes = attributes
    }

    /// The size at which the picture is meant to be seen, in square pixels: width is stretched or height is, never shrunk.
    package var displaySize: PixelSize {
        let n = Int(attributes.sampleAspectNumerator), d = Int(attributes.sampleAspectDenominator)
        guard n > 0, d > 0, n != d, n < 1 << 16, d < 1 << 16 else { return PixelSize(width: layout.width, height: layout.height) }
        return n > d
            ? PixelSize(width: max(1, (layout.width * n + d / 2) / d), height: layout.height)
            : PixelSize(width: layout.width, height: max(1, (layout.height * d + n / 2) / n))
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
}
