import SharedFrames

/// The position of a picture in an area, and the part of the picture that is visible there.
package struct Placement: Equatable, Sendable {
    /// The part of the area that the picture covers.
    package let destination: PixelRect
    /// The visible part of the picture, in samples after rotation.
    package let source: PixelRect

    /// Computes the position of a picture.
    ///
    /// - Parameters:
    ///   - picture: The size of the picture in samples, after rotation.
    ///   - displaySize: The size of the picture in square pixels.
    ///   - areaSize: The size of the area.
    package init(picture: PixelSize, displaySize: PixelSize, areaSize: PixelSize, gravity: VideoGravity) {
        let sourceRect = PixelRect(x: 0, y: 0, width: picture.width, height: picture.height)
        let area = PixelRect(x: 0, y: 0, width: max(areaSize.width, 1), height: max(areaSize.height, 1))
        guard !displaySize.isEmpty else {
            destination = area
            source = sourceRect
            return
        }
        // Compare cross products instead of quotients, so that only the last step rounds.
        let wide = displaySize.width * area.height, high = displaySize.height * area.width
        switch gravity {
        case .resize:
            destination = area
            source = sourceRect
        case .resizeAspect where wide > high:
            let height = min(area.height, max(1, (high + displaySize.width / 2) / displaySize.width))
            destination = PixelRect(x: 0, y: (area.height - height) / 2, width: area.width, height: height)
            source = sourceRect
        case .resizeAspect:
            let width = min(area.width, max(1, (wide + displaySize.height / 2) / displaySize.height))
            destination = PixelRect(x: (area.width - width) / 2, y: 0, width: width, height: area.height)
            source = sourceRect
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
