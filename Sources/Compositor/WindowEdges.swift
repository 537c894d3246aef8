import SharedFrames

/// The edges of a window that a pointer has hold of: none inside, two at a corner.
package struct WindowEdges: OptionSet, Sendable, Hashable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let left = WindowEdges(rawValue: 1), right = WindowEdges(rawValue: 2)
    package static let top = WindowEdges(rawValue: 4), bottom = WindowEdges(rawValue: 8)

    /// Pixels of a grip; never more than an eighth of the window.
    private static let grip = 10

    /// What is under a pointer at `x`, `y` of a window.
    package init(x: Int, y: Int, size: PixelSize) {
        let across = min(Self.grip, size.width / 8), down = min(Self.grip, size.height / 8)
        var edges = WindowEdges()
        if x < across { edges.insert(.left) } else if x >= size.width - across { edges.insert(.right) }
        if y < down { edges.insert(.top) } else if y >= size.height - down { edges.insert(.bottom) }
        self = edges
    }

    /// The window whose edges were pulled by so many pixels, in the picture's shape and within its limits. What is
    /// opposite of the edges stays; where only one is pulled, its other direction grows towards the middle of the area.
    package func pull(_ frame: PixelRect, by dx: Int, _ dy: Int, picture: PixelSize, area: PixelRect) -> PixelRect {
        let across = contains(.left) ? -dx : contains(.right) ? dx : 0
        let down = contains(.top) ? -dy : contains(.bottom) ? dy : 0
        let w = max(picture.width, 1), h = max(picture.height, 1)
        // Whichever asks for more, in widths.
        let wide = frame.width + across, high = (frame.height + down) * w / h
        let hasBoth = !isDisjoint(with: [.left, .right]) && !isDisjoint(with: [.top, .bottom])
        let width =
            hasBoth
            ? (abs(across) * h >= abs(down) * w ? wide : high) : isDisjoint(with: [.left, .right]) ? high : wide
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
