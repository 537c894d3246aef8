import SharedFrames

/// The edges of a window that the pointer drags: no edge inside the window, two edges at a corner.
package struct WindowEdges: OptionSet, Sendable, Hashable {
    /// The set of edges as a bit mask.
    package let rawValue: Int
    /// Creates a set of edges from a bit mask.
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// The left and the right edge of the window.
    package static let left = WindowEdges(rawValue: 1), right = WindowEdges(rawValue: 2)
    /// The top and the bottom edge of the window.
    package static let top = WindowEdges(rawValue: 4), bottom = WindowEdges(rawValue: 8)

    /// The width of the strip along a window edge in which a press drags the edge, in pixels; at most an eighth of the
    /// window.
    private static let gripWidth = 10

    /// Creates the set of edges at the point `x`, `y` of a window.
    package init(x: Int, y: Int, size: PixelSize) {
        let horizontalGrip = min(Self.gripWidth, size.width / 8), verticalGrip = min(Self.gripWidth, size.height / 8)
        var edges = WindowEdges()
        if x < horizontalGrip { edges.insert(.left) } else if x >= size.width - horizontalGrip { edges.insert(.right) }
        if y < verticalGrip { edges.insert(.top) } else if y >= size.height - verticalGrip { edges.insert(.bottom) }
        self = edges
    }

    /// Returns the rectangle of a window after its edges were dragged by `dx` and `dy` pixels.
    ///
    /// The result keeps the picture's aspect ratio and the size limits. The opposite edges stay in place. If only one
    /// edge is dragged, the window grows in the other direction towards the middle of the area.
    package func resize(_ frame: PixelRect, by dx: Int, _ dy: Int, picture: PixelSize, area: PixelRect) -> PixelRect {
        let widthChange = contains(.left) ? -dx : contains(.right) ? dx : 0
        let heightChange = contains(.top) ? -dy : contains(.bottom) ? dy : 0
        let pictureWidth = max(picture.width, 1), pictureHeight = max(picture.height, 1)
        // Compare both directions as widths; at a corner the larger movement counts.
        let widthFromDX = frame.width + widthChange,
            widthFromDY = (frame.height + heightChange) * pictureWidth / pictureHeight
        let isCorner = !isDisjoint(with: [.left, .right]) && !isDisjoint(with: [.top, .bottom])
        let width =
            isCorner
            ? (abs(widthChange) * pictureHeight >= abs(heightChange) * pictureWidth ? widthFromDX : widthFromDY)
            : isDisjoint(with: [.left, .right]) ? widthFromDY : widthFromDX
        let size = WindowPlacement.size(width: width, picture: picture, area: area),
            corner = WindowPlacement.corner(of: frame, in: area)
        let keepsRight = contains(.left) || (!contains(.right) && !corner.isLeft)
        let keepsBottom = contains(.top) || (!contains(.bottom) && !corner.isTop)
        return PixelRect(
            x: keepsRight ? frame.x + frame.width - size.width : frame.x,
            y: keepsBottom ? frame.y + frame.height - size.height : frame.y,
            width: size.width, height: size.height)
    }
}
