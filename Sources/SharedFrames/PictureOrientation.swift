/// The orientation of a decoded picture: one of the eight combinations of transposing and mirroring.
///
/// Rows and columns are swapped first (``transposes``), then left and right (``mirrorsX``), then top and bottom
/// (``mirrorsY``).
package struct PictureOrientation: RawRepresentable, Hashable, Sendable {
    /// The number of the orientation in messages: bit 0 mirrors horizontally, bit 1 vertically, bit 2 transposes.
    package let rawValue: UInt8

    package init?(rawValue: UInt8) {
        guard rawValue < 8 else { return nil }
        self.rawValue = rawValue
    }

    package init(transposes: Bool, mirrorsX: Bool, mirrorsY: Bool) {
        rawValue = (mirrorsX ? 1 : 0) | (mirrorsY ? 2 : 0) | (transposes ? 4 : 0)
    }

    /// The orientation of a picture that needs no rotation or mirroring.
    package static let upright = PictureOrientation(transposes: false, mirrorsX: false, mirrorsY: false)

    /// Whether left and right are swapped. A swap of rows and columns is applied first.
    package var mirrorsX: Bool { rawValue & 1 != 0 }
    /// Whether top and bottom are swapped. A swap of rows and columns is applied first.
    package var mirrorsY: Bool { rawValue & 2 != 0 }
    /// Whether rows and columns are swapped.
    package var transposes: Bool { rawValue & 4 != 0 }

    /// Creates the orientation closest to the linear map from (x, y) to (a x + c y, b x + d y), where y points
    /// downwards.
    package init(a: Double, b: Double, c: Double, d: Double) {
        if abs(a) + abs(d) >= abs(b) + abs(c) {
            self.init(transposes: false, mirrorsX: a < 0, mirrorsY: d < 0)
        } else {
            self.init(transposes: true, mirrorsX: c < 0, mirrorsY: b < 0)
        }
    }

    /// Returns the size of a picture after rotation, given its size before rotation, or the reverse.
    package func rotated(_ size: PixelSize) -> PixelSize {
        transposes ? PixelSize(width: size.height, height: size.width) : size
    }

    /// Converts a rectangle of the rotated picture to the corresponding rectangle of the decoded picture, whose size is
    /// `size`.
    package func decodedRect(of part: PixelRect, in size: PixelSize) -> PixelRect {
        let rotatedSize = rotated(size)
        let x = mirrorsX ? rotatedSize.width - part.x - part.width : part.x,
            y = mirrorsY ? rotatedSize.height - part.y - part.height : part.y
        return transposes
            ? PixelRect(x: y, y: x, width: part.height, height: part.width)
            : PixelRect(x: x, y: y, width: part.width, height: part.height)
    }
}

/// The numbers of decoded samples at each edge that are not shown because they lie outside the clean aperture.
package struct PictureCrop: Hashable, Sendable {
    package var left: UInt16
    package var top: UInt16
    package var right: UInt16
    package var bottom: UInt16
    package init(left: UInt16 = 0, top: UInt16 = 0, right: UInt16 = 0, bottom: UInt16 = 0) {
        (self.left, self.top, self.right, self.bottom) = (left, top, right, bottom)
    }

    /// Returns the visible rectangle of a picture of this size; nil if it is empty.
    package func visibleRect(in size: PixelSize) -> PixelRect? {
        let width = size.width - Int(left) - Int(right), height = size.height - Int(top) - Int(bottom)
        return width > 0 && height > 0 ? PixelRect(x: Int(left), y: Int(top), width: width, height: height) : nil
    }
}
