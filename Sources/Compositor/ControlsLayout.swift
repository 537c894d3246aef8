import SharedFrames

/// Where the buttons of a floating window are: pure geometry, for drawing and for hitting.
package struct ControlsLayout: Equatable, Sendable {
    package enum Button: CaseIterable, Sendable { case restore, skipBack, playPause, skipForward, close, mute }
    /// What a pointer slides along.
    package enum Line: CaseIterable, Sendable { case progress, volume }

    package let size: PixelSize
    package let hasVolume: Bool
    /// Without skipping, and the line of progress only shows.
    package let isLinear: Bool

    package init(size: PixelSize, hasVolume: Bool = true, isLinear: Bool = false) {
        (self.size, self.hasVolume, self.isLinear) = (size, hasVolume, isLinear)
    }

    /// Edge of a button: large enough to hit, never more than a fifth of the window.
    private var edge: Int {
        min(max(28, min(size.width, size.height) / 5), max(size.width / 4, 8), max(size.height / 2, 8))
    }
    private var margin: Int { max(1, min(edge / 4, (size.height - edge) / 2)) }

    /// Skipping is left out where it is not wanted or a window is too small for it. Empty: the button is not there.
    package func rect(of button: Button) -> PixelRect {
        let e = edge, large = e * 3 / 2
        let middle = PixelRect(x: (size.width - large) / 2, y: (size.height - large) / 2, width: large, height: large)
        let hasRoom = !isLinear && size.width >= e * 5 && (size.height - e) / 2 >= margin + e
        let beside = PixelRect(
            x: middle.x - e - e / 2, y: (size.height - e) / 2, width: hasRoom ? e : 0, height: hasRoom ? e : 0)
        return switch button {
        case .restore: PixelRect(x: margin, y: margin, width: e, height: e)
        case .close: PixelRect(x: size.width - margin - e, y: margin, width: e, height: e)
        case .playPause: middle
        case .skipBack: beside
        case .skipForward:
            PixelRect(x: size.width - beside.x - e, y: beside.y, width: beside.width, height: beside.height)
        case .mute: mute
        }
    }

    /// Above the line of progress at the left, where there is room below the buttons in the middle.
    private var mute: PixelRect {
        let e = edge * 4 / 5, y = grip(of: .progress).y - e - 2
        let hasRoom = hasVolume && y >= (size.height + edge) / 2 && y >= 2 * margin + edge && size.width >= edge * 5
        return PixelRect(x: margin, y: hasRoom ? y : 0, width: hasRoom ? e : 0, height: hasRoom ? e : 0)
    }

    package func button(x: Int, y: Int) -> Button? {
        Button.allCases.first { rect(of: $0).contains(x: x, y: y) }
    }

    /// A thin line: of progress near the lower edge, of volume beside the button that mutes. Empty: it is not there.
    package func rect(of line: Line) -> PixelRect {
        let height = max(3, size.height / 90)
        switch line {
        case .progress:
            return PixelRect(
                x: margin, y: max(0, size.height - margin - height), width: max(1, size.width - 2 * margin),
                height: height)
        case .volume:
            let button = mute
            return PixelRect(
                x: button.x + button.width + margin / 2, y: button.y + (button.height - height) / 2,
                width: button.width * 2, height: button.width == 0 ? 0 : height)
        }
    }

    /// Where a press takes hold of a line: higher than the line, or nobody would hit it. Below the progress the
    /// window's edge is left free.
    package func grip(of line: Line) -> PixelRect {
        let rect = rect(of: line), above = max(8, size.height / 20)
        guard rect.height > 0 else { return rect }
        let below = line == .progress ? 2 : above
        return PixelRect(
            x: rect.x, y: max(0, rect.y - above), width: rect.width, height: min(above, rect.y) + rect.height + below)
    }

    package func line(x: Int, y: Int) -> Line? {
        Line.allCases.first { grip(of: $0).contains(x: x, y: y) && !($0 == .progress && isLinear) }
    }

    /// The part of a line, 0 to 1, that a pointer stands for.
    package func part(of line: Line, x: Int) -> Double {
        let grip = grip(of: line)
        return min(1, max(0, (Double(x - grip.x) + 0.5) / Double(max(grip.width, 1))))
    }
}
