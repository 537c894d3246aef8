import SharedFrames

/// The geometry of the controls of a floating window, for drawing and for hit testing. A pure value; all lengths are
/// pixels of the window.
package struct ControlsLayout: Equatable, Sendable {
    /// A button of the window.
    package enum Button: CaseIterable, Sendable { case restore, skipBack, playPause, skipForward, close, mute }
    /// A slider of the window.
    package enum Slider: CaseIterable, Sendable { case progress, volume }

    /// The size of the window.
    package let size: PixelSize
    /// Whether the window has a mute button and a volume slider.
    package let hasVolume: Bool
    /// Whether the program disables seeking: the window has no skip buttons, and its progress bar cannot be dragged.
    package let requiresLinearPlayback: Bool

    /// The factor by which text and controls are larger than at 96 dots per inch.
    package let displayScale: Double

    /// Creates the layout of a window of `size`.
    package init(
        size: PixelSize, hasVolume: Bool = true, requiresLinearPlayback: Bool = false, displayScale: Double = 1
    ) {
        (self.size, self.hasVolume, self.requiresLinearPlayback) = (size, hasVolume, requiresLinearPlayback)
        self.displayScale = displayScale
    }

    /// The side length of a button: a fifth of the window's smaller side, but at least 28 pixels at 96 dots per inch as
    /// far as there is room.
    private var buttonSide: Int {
        let shorterSide = min(size.width, size.height), minimum = min(Int(28 * displayScale), max(28, shorterSide / 4))
        return min(max(minimum, shorterSide / 5), max(size.width / 4, 8), max(size.height / 2, 8))
    }
    /// The distance of buttons and sliders from the window's edges.
    private var margin: Int { max(1, min(buttonSide / 4, (size.height - buttonSide) / 2)) }

    /// Returns the rectangle of a button; empty if the window does not show that button.
    ///
    /// The skip buttons are absent from a window that does not offer seeking (``requiresLinearPlayback``) and from a
    /// window that is too small for them.
    package func rect(of button: Button) -> PixelRect {
        let side = buttonSide, playButtonSide = side * 3 / 2
        let playButtonRect = PixelRect(
            x: (size.width - playButtonSide) / 2, y: (size.height - playButtonSide) / 2, width: playButtonSide,
            height: playButtonSide)
        let hasRoom = !requiresLinearPlayback && size.width >= side * 5 && (size.height - side) / 2 >= margin + side
        let skipBackRect = PixelRect(
            x: playButtonRect.x - side - side / 2, y: (size.height - side) / 2, width: hasRoom ? side : 0,
            height: hasRoom ? side : 0)
        return switch button {
        case .restore: PixelRect(x: margin, y: margin, width: side, height: side)
        case .close: PixelRect(x: size.width - margin - side, y: margin, width: side, height: side)
        case .playPause: playButtonRect
        case .skipBack: skipBackRect
        case .skipForward:
            PixelRect(
                x: size.width - skipBackRect.x - side, y: skipBackRect.y, width: skipBackRect.width,
                height: skipBackRect.height)
        case .mute: muteButtonRect
        }
    }

    /// The rectangle of the mute button: above the left end of the progress bar. Empty if there is no room below the
    /// buttons in the middle.
    private var muteButtonRect: PixelRect {
        let side = buttonSide * 4 / 5, y = hitArea(of: .progress).y - side - 2
        let hasRoom =
            hasVolume && y >= (size.height + buttonSide) / 2 && y >= 2 * margin + buttonSide
            && size.width >= buttonSide * 5
        return PixelRect(x: margin, y: hasRoom ? y : 0, width: hasRoom ? side : 0, height: hasRoom ? side : 0)
    }

    /// Returns the button at a point of the window.
    package func button(x: Int, y: Int) -> Button? {
        Button.allCases.first { rect(of: $0).contains(x: x, y: y) }
    }

    /// Returns the visible rectangle of a slider; empty if the window does not show that slider.
    ///
    /// The progress bar is near the lower edge, the volume slider beside the mute button.
    package func rect(of slider: Slider) -> PixelRect {
        let height = max(3, size.height / 90)
        switch slider {
        case .progress:
            return PixelRect(
                x: margin, y: max(0, size.height - margin - height), width: max(1, size.width - 2 * margin),
                height: height)
        case .volume:
            let button = muteButtonRect
            return PixelRect(
                x: button.x + button.width + margin / 2, y: button.y + (button.height - height) / 2,
                width: button.width * 2, height: button.width == 0 ? 0 : height)
        }
    }

    /// Returns the rectangle in which a press grabs a slider.
    ///
    /// The rectangle is higher than the visible slider, which is too thin to hit. Below the progress bar it ends above
    /// the window's lower edge, where a press resizes the window.
    package func hitArea(of slider: Slider) -> PixelRect {
        let rect = rect(of: slider), heightAbove = max(8, size.height / 20)
        guard rect.height > 0 else { return rect }
        let heightBelow = slider == .progress ? 2 : heightAbove
        return PixelRect(
            x: rect.x, y: max(0, rect.y - heightAbove), width: rect.width,
            height: min(heightAbove, rect.y) + rect.height + heightBelow)
    }

    /// Returns the slider that a press at a point of the window grabs; `nil` if there is none.
    package func slider(x: Int, y: Int) -> Slider? {
        Slider.allCases.first { hitArea(of: $0).contains(x: x, y: y) && !($0 == .progress && requiresLinearPlayback) }
    }

    /// Returns the value of a slider, 0 to 1, for a pointer at `x`.
    package func value(of slider: Slider, x: Int) -> Double {
        let area = hitArea(of: slider)
        return min(1, max(0, (Double(x - area.x) + 0.5) / Double(max(area.width, 1))))
    }
}
