import SharedFrames

/// The rules for the position and size of a floating window. Pure functions; all lengths are pixels.
///
/// An area is the part of the screen in which the window may lie: a monitor.
package enum WindowPlacement {
    /// The distance between the window and the area's edges.
    package static let margin = 24
    /// The smallest width of a window, unless the area is too small for it.
    package static let minimumWidth = 160

    /// A corner of an area.
    package enum Corner: String, CaseIterable, Sendable {
        case topLeft, topRight, bottomLeft, bottomRight

        /// Whether the corner is on the left side of the area.
        var isLeft: Bool { self == .topLeft || self == .bottomLeft }
        /// Whether the corner is at the top of the area.
        var isTop: Bool { self == .topLeft || self == .topRight }

        /// Creates the corner with these sides.
        init(isLeft: Bool, isTop: Bool) {
            self = isTop ? (isLeft ? .topLeft : .topRight) : (isLeft ? .bottomLeft : .bottomRight)
        }
    }

    /// Returns the size of a window of about `width`, with the picture's aspect ratio.
    ///
    /// The window is at least ``minimumWidth`` wide and at most half of the area in both directions; the maximum has
    /// priority. Apart from extreme aspect ratios, the picture fills the window without bars of single pixels.
    package static func size(width: Int, picture: PixelSize, area: PixelRect) -> PixelSize {
        let pictureWidth = max(picture.width, 1), pictureHeight = max(picture.height, 1)
        let maximumSize = PixelSize(width: max(area.width / 2, 1), height: max(area.height / 2, 1))
        let width = max(
            1, min(max(minimumWidth, width), maximumSize.width, maximumSize.height * pictureWidth / pictureHeight))
        // Compute the longer side from the shorter one: rounding the other way could change the aspect ratio by more
        // than half a pixel, which is the precision of ``Placement``.
        guard pictureWidth > pictureHeight else {
            return PixelSize(
                width: width, height: min(roundedQuotient(width * pictureHeight, pictureWidth), maximumSize.height))
        }
        var height = roundedQuotient(width * pictureHeight, pictureWidth)
        if height > 1, roundedQuotient(height * pictureWidth, pictureHeight) > maximumSize.width { height -= 1 }
        return PixelSize(
            width: min(roundedQuotient(height * pictureWidth, pictureHeight), maximumSize.width), height: height)
    }

    /// Returns a quotient of positive numbers, rounded to the nearest number but at least 1.
    private static func roundedQuotient(_ dividend: Int, _ divisor: Int) -> Int {
        max(1, (dividend + divisor / 2) / divisor)
    }

    /// Returns the rectangle of a window of `size` in a corner of the area.
    package static func frame(_ size: PixelSize, in corner: Corner, of area: PixelRect) -> PixelRect {
        PixelRect(
            x: corner.isLeft ? area.x + margin : area.x + area.width - size.width - margin,
            y: corner.isTop ? area.y + margin : area.y + area.height - size.height - margin, width: size.width,
            height: size.height)
    }

    /// Returns the default rectangle of a floating window: in the lower right corner, a quarter of the area wide.
    package static func initialFrame(picture: PixelSize, area: PixelRect) -> PixelRect {
        frame(size(width: area.width / 4, picture: picture, area: area), in: .bottomRight, of: area)
    }

    /// Returns the corner of the area that is nearest to a window.
    package static func corner(of frame: PixelRect, in area: PixelRect) -> Corner {
        Corner(
            isLeft: frame.x * 2 + frame.width < area.x * 2 + area.width,
            isTop: frame.y * 2 + frame.height < area.y * 2 + area.height)
    }

    /// Returns the corner to which a window moves after a fling.
    ///
    /// - Parameters:
    ///   - frame: The window's rectangle.
    ///   - velocity: The velocity of the fling, in pixels per second.
    ///   - area: The part of the screen in which the window may lie.
    package static func corner(of frame: PixelRect, velocity: (x: Double, y: Double), in area: PixelRect) -> Corner {
        var projectedFrame = frame
        // Project the window as far as it would move in a quarter of a second.
        projectedFrame.x += Int(max(-1e6, min(1e6, velocity.x / 4)))
        projectedFrame.y += Int(max(-1e6, min(1e6, velocity.y / 4)))
        return corner(of: projectedFrame, in: area)
    }

    /// Returns the rectangle of a window with a new width or a new picture. The window's corner that is nearest to a
    /// corner of the area stays in place.
    package static func resized(_ frame: PixelRect, width: Int, picture: PixelSize, area: PixelRect) -> PixelRect {
        let size = size(width: width, picture: picture, area: area), corner = corner(of: frame, in: area)
        return PixelRect(
            x: corner.isLeft ? frame.x : frame.x + frame.width - size.width,
            y: corner.isTop ? frame.y : frame.y + frame.height - size.height,
            width: size.width, height: size.height)
    }

    /// Returns the rectangle of a window for a picture of another aspect ratio: it covers about as many pixels as
    /// `frame`. The window's corner that is nearest to a corner of the area stays in place.
    package static func adapted(_ frame: PixelRect, to picture: PixelSize, area: PixelRect) -> PixelRect {
        let aspect = Double(max(picture.width, 1)) / Double(max(picture.height, 1))
        let width = (Double(frame.width) * Double(frame.height) * aspect).squareRoot().rounded()
        return resized(frame, width: Int(min(width, 1e6)), picture: picture, area: area)
    }

    /// Returns the window's width after a double click: a quarter, a third or half of the area's width, in rotation.
    package static func nextWidth(after width: Int, picture: PixelSize, area: PixelRect) -> Int {
        let widths = [4, 3, 2].map { size(width: area.width / $0, picture: picture, area: area).width }
        return widths.first { $0 > width + 2 } ?? widths[0]
    }

    /// Returns a rectangle that overlaps no rectangle of `others`: `frame`, or a rectangle of its size in the first
    /// free corner. Returns `frame` if no corner is free.
    package static func avoiding(_ others: [PixelRect], _ frame: PixelRect, area: PixelRect) -> PixelRect {
        let corners = [Corner.bottomRight, .bottomLeft, .topRight, .topLeft].map {
            self.frame(frame.size, in: $0, of: area)
        }
        return ([frame] + corners).first { candidate in !others.contains { $0.overlaps(candidate) } } ?? frame
    }

    /// Returns the rectangle moved by the smallest distance that puts it completely into the area.
    package static func movedInside(_ frame: PixelRect, _ area: PixelRect) -> PixelRect {
        var frame = frame
        frame.x = max(area.x, min(frame.x, area.x + area.width - frame.width))
        frame.y = max(area.y, min(frame.y, area.y + area.height - frame.height))
        return frame
    }
}
