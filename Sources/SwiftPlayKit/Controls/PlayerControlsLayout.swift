import SharedFrames

/// The positions of a player's controls in its window, for drawing and for hit tests.
///
/// A panel at the lower edge contains the position slider above a row of buttons; a bar at the upper edge contains the
/// title.
struct PlayerControlsLayout: Equatable, Sendable {
    /// The size of the window in pixels.
    let size: PixelSize
    /// The factor by which text and controls are larger than at 96 dots per inch.
    let displayScale: Double
    /// The width and height of a button in pixels.
    let buttonSize: Int
    /// The rectangles of the controls that fit into the window.
    private var rects: [PlayerControl: PixelRect] = [:]

    /// The controls at the left end of the button row, from left to right.
    private static let leftControls: [PlayerControl] = [.previous, .playPause, .next, .mute, .volume, .time]
    /// The controls at the right end of the button row, from left to right.
    private static let rightControls: [PlayerControl] = [
        .quality, .audioTracks, .subtitles, .pictureInPicture, .fullScreen,
    ]
    /// The controls that narrow windows omit, in the order of omission. Each of them also has a key.
    private static let omissionOrder: [PlayerControl] = [
        .volume, .time, .quality, .audioTracks, .subtitles, .previous, .next, .mute,
    ]
    /// The empty rectangle of a control that is omitted.
    private static let emptyRect = PixelRect(x: 0, y: 0, width: 0, height: 0)

    /// Creates the layout of the controls for a window.
    ///
    /// - Parameters:
    ///   - size: The size of the window in pixels.
    ///   - requested: The controls that have a function now. A small window omits some of them.
    ///   - displayScale: The factor by which text and controls are larger than at 96 dots per inch.
    init(size: PixelSize, requested: Set<PlayerControl>, displayScale: Double = 1) {
        self.size = size
        self.displayScale = displayScale
        // In a small window on a display of high resolution, the controls must still leave room for the picture.
        let smallestButtonSize = max(24, min(Int(24 * displayScale), size.height / 8, size.width / 10))
        buttonSize = min(Int(52 * displayScale), max(smallestButtonSize, min(size.width / 16, size.height / 12)))
        guard size.width >= 120, size.height >= 90 else { return }
        var shownControls = requested
        for control in Self.omissionOrder where rowWidth(shownControls) > size.width - 2 * margin {
            shownControls.remove(control)
        }
        let y = size.height - margin - buttonSize
        var x = margin
        for control in Self.leftControls where shownControls.contains(control) {
            rects[control] = PixelRect(x: x, y: y, width: width(of: control), height: buttonSize)
            x += width(of: control) + spacing
        }
        x = size.width - margin
        for control in Self.rightControls.reversed() where shownControls.contains(control) {
            x -= width(of: control)
            rects[control] = PixelRect(x: x, y: y, width: width(of: control), height: buttonSize)
            x -= spacing
        }
        if shownControls.contains(.scrubber) {
            let height = buttonSize * 2 / 3
            rects[.scrubber] = PixelRect(x: margin, y: y - height, width: size.width - 2 * margin, height: height)
        }
    }

    /// The distance of the controls from the edges of the window, in pixels.
    private var margin: Int { buttonSize / 4 }
    /// The horizontal distance between two neighbouring controls, in pixels.
    private var spacing: Int { buttonSize / 6 }

    /// Returns a length, given in pixels at 96 dots per inch, in pixels of the display.
    func scaled(_ length: Int) -> Int { Int(Double(length) * displayScale) }

    /// Returns the width of a control in pixels.
    private func width(of control: PlayerControl) -> Int {
        switch control {
        case .volume: buttonSize * 2
        case .time: buttonSize * 4
        case .audioTracks, .subtitles: buttonSize * 5 / 3
        case .quality: buttonSize * 5 / 2
        default: buttonSize
        }
    }

    /// Returns the width, in pixels, of a button row that contains `controls`.
    private func rowWidth(_ controls: Set<PlayerControl>) -> Int {
        let row = (Self.leftControls + Self.rightControls).filter(controls.contains)
        return row.reduce(0) { $0 + width(of: $1) } + max(0, row.count - 1) * spacing
    }

    /// The rectangle of a control; empty if it is omitted.
    func rect(of control: PlayerControl) -> PixelRect { rects[control] ?? Self.emptyRect }

    /// Whether the window is too small for any control.
    var isEmpty: Bool { rects.isEmpty }

    /// The rectangle of the control panel at the lower edge of the window.
    var panel: PixelRect {
        guard let top = rects.values.map(\.y).min() else { return Self.emptyRect }
        let y = max(0, top - margin)
        return PixelRect(x: 0, y: y, width: size.width, height: size.height - y)
    }

    /// The rectangle of the title bar at the upper edge of the window.
    var titleBar: PixelRect {
        isEmpty ? Self.emptyRect : PixelRect(x: 0, y: 0, width: size.width, height: buttonSize + margin)
    }

    /// Returns the control at a position in the window, in pixels; nil if the position is not on a control.
    func control(x: Int, y: Int) -> PlayerControl? {
        rects.first { $0.key != .time && $0.value.contains(x: x, y: y) }?.key
    }

    /// The rectangle of the thin line that the position slider consists of.
    var positionLine: PixelRect { middleLine(of: rect(of: .scrubber), inset: 0) }
    /// The rectangle of the thin line that the volume slider consists of.
    var volumeLine: PixelRect { middleLine(of: rect(of: .volume), inset: spacing) }

    /// Returns a thin line in the middle of a slider's rectangle.
    private func middleLine(of rect: PixelRect, inset: Int) -> PixelRect {
        guard rect.width > 2 * inset else { return Self.emptyRect }
        let height = max(3, buttonSize / 9)
        return PixelRect(
            x: rect.x + inset, y: rect.y + (rect.height - height) / 2, width: rect.width - 2 * inset, height: height)
    }

    /// Returns the position within the item, 0 to 1, for an x-coordinate on the position slider.
    func positionFraction(x: Int) -> Double { Self.fraction(of: positionLine, x) }
    /// Returns the volume, 0 to 1, for an x-coordinate on the volume slider.
    func volumeFraction(x: Int) -> Double { Self.fraction(of: volumeLine, x) }

    /// Returns the position of an x-coordinate on a slider's line: 0 at the left end, 1 at the right end.
    private static func fraction(of line: PixelRect, _ x: Int) -> Double {
        line.width > 1 ? min(1, max(0, Double(x - line.x) / Double(line.width - 1))) : 0
    }

    /// The largest size of a preview picture above the position slider, in pixels.
    var maximumPreviewSize: PixelSize {
        PixelSize(
            width: min(scaled(192), size.width / 3),
            height: max(0, min(scaled(192), size.height / 3, panel.y - spacing - previewTextHeight)))
    }
    /// The height of the text line below a preview picture, which shows the time, in pixels.
    private var previewTextHeight: Int { buttonSize * 2 / 3 }

    /// Returns the rectangles of the preview above an x-coordinate of the position slider: of the picture and, below
    /// it, of the time.
    func previewRects(x: Int, picture: PixelSize) -> (picture: PixelRect, time: PixelRect) {
        let bottom = panel.y - spacing, textHeight = previewTextHeight
        let textWidth = min(buttonSize * 2 + spacing, size.width)
        func previewRect(_ width: Int, _ y: Int, _ height: Int) -> PixelRect {
            PixelRect(
                x: min(max(0, x - width / 2), max(0, size.width - width)), y: max(0, y), width: width, height: height)
        }
        let limit = maximumPreviewSize
        var fittedSize = PixelSize(width: 0, height: 0)
        if !picture.isEmpty {
            let isWide = picture.width * limit.height > picture.height * limit.width
            let width = min(picture.width, isWide ? limit.width : picture.width * limit.height / picture.height)
            fittedSize = PixelSize(width: width, height: picture.height * width / picture.width)
        }
        return (
            previewRect(fittedSize.width, bottom - textHeight - fittedSize.height, fittedSize.height),
            previewRect(textWidth, bottom - textHeight, textHeight)
        )
    }

    /// Returns the rectangle for the name of a chapter above a preview; nil if there is no room.
    func chapterNameRect(x: Int, picture: PixelSize) -> PixelRect? {
        let rects = previewRects(x: x, picture: picture), width = min(size.width, buttonSize * 10)
        let y = (rects.picture.height > 0 ? rects.picture.y : rects.time.y) - previewTextHeight - spacing
        guard y >= 0 else { return nil }
        return PixelRect(
            x: min(max(0, x - width / 2), size.width - width), y: y, width: width, height: previewTextHeight)
    }
}
