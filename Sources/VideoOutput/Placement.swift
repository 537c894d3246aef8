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
        let wholePicture = PixelRect(x: 0, y: 0, width: picture.width, height: picture.height)
        let area = PixelRect(x: 0, y: 0, width: max(areaSize.width, 1), height: max(areaSize.height, 1))
        guard !displaySize.isEmpty else {
            destination = area
            source = wholePicture
            return
        }
        // Compare the aspect ratios by cross products instead of quotients, so that only the last step rounds.
        let widthProduct = displaySize.width * area.height, heightProduct = displaySize.height * area.width
        switch gravity {
        case .resize:
            destination = area
            source = wholePicture
        case .resizeAspect where widthProduct > heightProduct:
            let height = min(area.height, max(1, (heightProduct + displaySize.width / 2) / displaySize.width))
            destination = PixelRect(x: 0, y: (area.height - height) / 2, width: area.width, height: height)
            source = wholePicture
        case .resizeAspect:
            let width = min(area.width, max(1, (widthProduct + displaySize.height / 2) / displaySize.height))
            destination = PixelRect(x: (area.width - width) / 2, y: 0, width: width, height: area.height)
            source = wholePicture
        case .resizeAspectFill:
            destination = area
            if widthProduct > heightProduct {
                let width = max(1, picture.width * heightProduct / widthProduct)
                source = PixelRect(x: (picture.width - width) / 2, y: 0, width: width, height: picture.height)
            } else {
                let height = max(1, picture.height * widthProduct / heightProduct)
                source = PixelRect(x: 0, y: (picture.height - height) / 2, width: picture.width, height: height)
            }
        }
    }
}
