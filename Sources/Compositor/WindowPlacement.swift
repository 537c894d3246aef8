import SharedFrames

/// Where a floating window is, and how large: pure arithmetic. An area is the part of the screen that it may lie in: a
/// monitor.
package enum WindowPlacement {
    /// Pixels between the window and the area's edges.
    package static let margin = 24
    package static let minimumWidth = 160

    package enum Corner: String, CaseIterable, Sendable {
        case topLeft, topRight, bottomLeft, bottomRight

        var isLeft: Bool { self == .topLeft || self == .bottomLeft }
        var isTop: Bool { self == .topLeft || self == .topRight }

        init(isLeft: Bool, isTop: Bool) {
            self = isTop ? (isLeft ? .topLeft : .topRight) : (isLeft ? .bottomLeft : .bottomRight)
        }
    }

    /// The size of a window about so wide, in the picture's shape: 160 pixels wide at least, half of the area in both
    /// directions at most, and where both cannot be, the latter. Even, which keeps chroma samples and pixels in step.
    package static func size(width: Int, picture: PixelSize, area: PixelRect) -> PixelSize {
        let w = max(picture.width, 1), h = max(picture.height, 1)
        var width = min(max(minimumWidth, width), max(area.width / 2, 1)), height = max(1, width * h / w)
        if height > area.height / 2 {
            height = max(1, area.height / 2)
            width = max(1, height * w / h)
        }
        return PixelSize(width: max(width & ~1, 2), height: max(height & ~1, 2))
    }

    package static func frame(_ size: PixelSize, in corner: Corner, of area: PixelRect) -> PixelRect {
        PixelRect(
            x: corner.isLeft ? area.x + margin : area.x + area.width - size.width - margin,
            y: corner.isTop ? area.y + margin : area.y + area.height - size.height - margin, width: size.width,
            height: size.height)
    }

    /// The lower right corner, a quarter of the area wide.
    package static func initialFrame(picture: PixelSize, area: PixelRect) -> PixelRect {
        frame(size(width: area.width / 4, picture: picture, area: area), in: .bottomRight, of: area)
    }

    /// The corner that a window is nearest to.
    package static func corner(of frame: PixelRect, in area: PixelRect) -> Corner {
        Corner(
            isLeft: frame.x * 2 + frame.width < area.x * 2 + area.width,
            isTop: frame.y * 2 + frame.height < area.y * 2 + area.height)
    }

    /// The corner that a window goes to which is thrown: pixels a second.
    package static func corner(of frame: PixelRect, thrown velocity: (x: Double, y: Double), in area: PixelRect)
        -> Corner
    {
        var ahead = frame
        // As far as it would slide in a quarter of a second.
        ahead.x += Int(max(-1e6, min(1e6, velocity.x / 4)))
        ahead.y += Int(max(-1e6, min(1e6, velocity.y / 4)))
        return corner(of: ahead, in: area)
    }

    /// The window with another width or for another picture; its corner that is nearest to the area's stays where it
    /// is.
    package static func resized(_ frame: PixelRect, width: Int, picture: PixelSize, area: PixelRect) -> PixelRect {
        let size = size(width: width, picture: picture, area: area), corner = corner(of: frame, in: area)
        return PixelRect(
            x: corner.isLeft ? frame.x : frame.x + frame.width - size.width,
            y: corner.isTop ? frame.y : frame.y + frame.height - size.height,
            width: size.width, height: size.height)
    }

    /// What a double click makes of the width: a quarter of the area, a third, half, and a quarter again.
    package static func nextWidth(after width: Int, picture: PixelSize, area: PixelRect) -> Int {
        let steps = [4, 3, 2].map { size(width: area.width / $0, picture: picture, area: area).width }
        return steps.first { $0 > width + 2 } ?? steps[0]
    }

    /// The window where it covers none of `others`: where it is, or in the first corner that is free; where none is, it
    /// stays.
    package static func beside(_ others: [PixelRect], _ frame: PixelRect, area: PixelRect) -> PixelRect {
        let corners = [Corner.bottomRight, .bottomLeft, .topRight, .topLeft].map {
            self.frame(frame.size, in: $0, of: area)
        }
        return ([frame] + corners).first { place in !others.contains { $0.overlaps(place) } } ?? frame
    }

    /// The window, moved as little as need be to lie in the area whole.
    package static func inside(_ frame: PixelRect, _ area: PixelRect) -> PixelRect {
        var frame = frame
        frame.x = max(area.x, min(frame.x, area.x + area.width - frame.width))
        frame.y = max(area.y, min(frame.y, area.y + area.height - frame.height))
        return frame
    }
}
