import SharedFrames

/// Where a picture comes to lie in its place: pure arithmetic.
package struct Placement: Equatable, Sendable {
    /// The part of the place that the picture covers.
    package let destination: PixelRect
    /// The part of the picture that is seen, in samples of the picture as it is seen.
    package let source: PixelRect

    /// - Parameters:
    ///   - picture: size in samples, turned as it is seen.
    ///   - displaySize: size in square pixels.
    ///   - place: size of the area.
    package init(picture: PixelSize, displaySize: PixelSize, place: PixelSize, gravity: VideoGravity) {
        let whole = PixelRect(x: 0, y: 0, width: picture.width, height: picture.height)
        let area = PixelRect(x: 0, y: 0, width: max(place.width, 1), height: max(place.height, 1))
        guard !displaySize.isEmpty else {
            destination = area
            source = whole
            return
        }
        // Cross products instead of quotients: no rounding before the last step.
        let wide = displaySize.width * area.height, high = displaySize.height * area.width
        switch gravity {
        case .resize:
            destination = area
            source = whole
        case .resizeAspect where wide > high:
            let height = min(area.height, max(1, (high + displaySize.width / 2) / displaySize.width))
            destination = PixelRect(x: 0, y: (area.height - height) / 2, width: area.width, height: height)
            source = whole
        case .resizeAspect:
            let width = min(area.width, max(1, (wide + displaySize.height / 2) / displaySize.height))
            destination = PixelRect(x: (area.width - width) / 2, y: 0, width: width, height: area.height)
            source = whole
        case .resizeAspectFill:
            destination = area
            if wide > high {
                let width = max(1, picture.width * high / wide)
                source = PixelRect(x: (picture.width - width) / 2, y: 0, width: width, height: picture.height)
            } else {
                let height = max(1, picture.height * wide / high)
                source = PixelRect(x: 0, y: (picture.height - height) / 2, width: picture.width, height: height)
            }
        }
    }
}
