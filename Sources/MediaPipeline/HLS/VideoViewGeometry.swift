import SharedFrames

/// The size and the geometry of the area on a screen in which the video is shown. A pure value, not a user-interface
/// view.
package struct VideoViewGeometry: Sendable, Equatable {
    /// The scaling of a picture whose aspect ratio differs from the view's.
    package enum Gravity: Sendable, Equatable {
        /// The whole picture is visible.
        case aspectFit
        /// The picture fills the view and is cropped.
        case aspectFill
        /// The picture is stretched to the view.
        case stretch
    }

    /// The size of the area, in pixels of the screen.
    package var size: PixelSize
    /// The scaling of the picture.
    package var gravity: Gravity
    /// The width of the screen's pixels over their height: 1 on a usual screen, about 0.5 for character cells of a
    /// terminal.
    package var pixelAspectRatio: Double
    /// Whether the picture is shown rotated by 90° or 270°.
    package var isQuarterTurned: Bool

    /// Clamps the pixel aspect ratio to 0.01…100. A ratio that is not positive and finite becomes 1.
    package init(
        size: PixelSize, gravity: Gravity = .aspectFit, pixelAspectRatio: Double = 1, isQuarterTurned: Bool = false
    ) {
        self.size = size
        self.gravity = gravity
        self.pixelAspectRatio =
            pixelAspectRatio.isFinite && pixelAspectRatio > 0 ? min(max(pixelAspectRatio, 0.01), 100) : 1
        self.isQuarterTurned = isQuarterTurned
    }

    /// The number of pixels of the view; 0 if the view is empty.
    var area: Double { size.isEmpty ? 0 : Double(size.width) * Double(size.height) }

    /// Returns the view with the most pixels, which limits the size of the chosen variant; nil if all views are empty.
    package static func largest(of views: [VideoViewGeometry]) -> VideoViewGeometry? {
        views.filter { $0.area > 0 }.max { $0.area < $1.area }
    }
}
