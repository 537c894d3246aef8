import SharedFrames

/// The rules that give a window its size and position: the size of the picture, and the user's options. A pure value.
package struct WindowSizing: Equatable, Sendable {
    /// The value of `--geometry`; nil without this option. It has priority over the other options.
    package var geometry: WindowGeometry?
    /// The size to which the window is fitted (`--autofit`); nil without this option.
    package var fittedSize: WindowGeometry?
    /// The size to which a larger window is reduced (`--autofit-larger`); nil without this option.
    package var largestSize: WindowGeometry?
    /// The size to which a smaller window is enlarged (`--autofit-smaller`); nil without this option.
    package var smallestSize: WindowGeometry?
    /// The size of the window relative to the picture (`--window-scale`).
    package var scale = 1.0
    /// Whether the window is larger on a display of high resolution (`--hidpi-window-scale`).
    package var appliesDisplayScale = true

    /// Creates rules without options: the window has the size of the picture.
    package init() {}

    /// Returns the rectangle of a window on the screen, without decorations.
    ///
    /// - Parameters:
    ///   - picture: The size of the picture in square pixels.
    ///   - monitor: The monitor to which percentages and positions refer.
    ///   - available: The area that panels and decorations leave free; nil for the whole monitor.
    ///   - displayScale: The scale of the display: see ``XConnection/displayScale``.
    package func frame(
        picture: PixelSize, monitor: PixelRect, available: PixelRect? = nil, displayScale: Double = 1
    ) -> PixelRect {
        var size = Self.scaled(picture, by: scale * (appliesDisplayScale ? displayScale : 1))
        for (limit, shrinks, grows) in [
            (fittedSize, true, true), (smallestSize, false, true), (largestSize, true, false),
        ] {
            guard let limit else { continue }
            let width = limit.width.map { Double($0.inPixels(of: monitor.width)) / Double(size.width) }
            let height = limit.height.map { Double($0.inPixels(of: monitor.height)) / Double(size.height) }
            let factors = [width, height].compactMap(\.self)
            // A window that may only grow must reach both lengths; other windows must exceed neither.
            guard let factor = shrinks ? factors.min() : factors.max() else { continue }
            if factor < 1 && shrinks || factor > 1 && grows { size = Self.scaled(size, by: factor) }
        }
        let area = available.map {
            PixelRect(x: $0.x - monitor.x, y: $0.y - monitor.y, width: $0.width, height: $0.height)
        }
        var frame = (geometry ?? WindowGeometry()).frame(picture: size, screen: monitor.size, available: area)
        frame.x += monitor.x
        frame.y += monitor.y
        return frame
    }

    /// The aspect ratio that the window keeps while the user resizes it, as a size.
    ///
    /// - Parameters:
    ///   - picture: The size of the picture in square pixels.
    ///   - window: The initial size of the window, whose aspect ratio `--geometry` may have determined.
    package func aspect(picture: PixelSize, window: PixelSize) -> PixelSize {
        if geometry?.width != nil, geometry?.height != nil { return window }
        return picture.isEmpty ? window : picture
    }

    /// The largest length of a side of a window, in pixels.
    private static let lengthLimit = 32_767.0

    /// Returns a size multiplied by a factor, at least one pixel in both directions.
    static func scaled(_ size: PixelSize, by factor: Double) -> PixelSize {
        let factor = min(factor, lengthLimit / Double(max(size.width, size.height, 1)))
        func length(_ length: Int) -> Int {
            let scaledLength = (Double(length) * factor).rounded()
            return scaledLength.isFinite ? Int(max(scaledLength, 1)) : max(length, 1)
        }
        return PixelSize(width: length(size.width), height: length(size.height))
    }
}
