import SharedFrames

/// The rule that excludes variants with more pixels than the view can show.
///
/// Apple's player chooses by the size of its layer too (WWDC 2016, session 503); the rule itself is not published. The
/// largest eligible variant is the smallest variant with at least the pixels that the picture has on the screen.
package struct SizeRule: Sendable, Equatable {
    /// The fraction of the width and height on the screen that a variant must reach to cover the view. It is below 1,
    /// because a variant of 1280×720 is good enough for a view of 1290×726.
    package var coverage = 0.98

    package init() {}

    /// Returns the size, in pixels of the screen, at which `view` shows a picture of `size`, before cropping. The width
    /// and the height are those of the upright picture.
    func fittedSize(of size: PixelSize, in view: VideoViewGeometry) -> (width: Double, height: Double) {
        var (width, height) = (Double(size.width), Double(size.height))
        if view.isQuarterTurned { swap(&width, &height) }
        let horizontal = Double(view.size.width) * view.pixelAspectRatio / width
        let vertical = Double(view.size.height) / height
        let scales: (x: Double, y: Double) =
            switch view.gravity {
            case .aspectFit: (min(horizontal, vertical), min(horizontal, vertical))
            case .aspectFill: (max(horizontal, vertical), max(horizontal, vertical))
            case .stretch: (horizontal, vertical)
            }
        let shownSize = (width: width * scales.x / view.pixelAspectRatio, height: height * scales.y)
        return view.isQuarterTurned ? (width: shownSize.height, height: shownSize.width) : shownSize
    }

    /// Returns whether a picture of `size` has at least about as many pixels as its area on the screen in `view`.
    func covers(_ size: PixelSize, _ view: VideoViewGeometry) -> Bool {
        let sizeInView = fittedSize(of: size, in: view)
        return Double(size.width) >= coverage * sizeInView.width && Double(size.height) >= coverage * sizeInView.height
    }

    /// Returns the number of pixels of the smallest variant that covers `view`; infinity if no variant does.
    func pixelLimit(of variants: [VariantCandidate], in view: VideoViewGeometry) -> Double {
        guard view.area > 0 else { return .infinity }
        return variants.compactMap { variant in
            variant.size.flatMap { covers($0, view) ? Self.area(of: $0) : nil }
        }.min() ?? .infinity
    }

    /// Returns whether a variant has at most `pixelLimit` pixels. A variant without a resolution is never too large.
    func isWithinPixelLimit(_ variant: VariantCandidate, pixelLimit: Double) -> Bool {
        variant.size.map { Self.area(of: $0) <= pixelLimit } ?? true
    }

    /// Returns the number of pixels of a size. A floating-point number, because a playlist may state any size.
    private static func area(of size: PixelSize) -> Double { Double(size.width) * Double(size.height) }
}
