import SharedFrames

/// Where the buttons of a floating window are: pure geometry, for drawing and for hitting.
package struct ControlsLayout: Equatable, Sendable {
    package enum Button: CaseIterable, Sendable { case restore, skipBack, playPause, skipForward, close }

    package let size: PixelSize

    package init(size: PixelSize) { self.size = size }

    /// Edge of a button: large enough to hit, never more than a fifth of the window.
    private var edge: Int { min(max(28, min(size.width, size.height) / 5), max(size.width / 4, 8), max(size.height / 2, 8)) }
    private var margin: Int { max(1, min(edge / 4, (size.height - edge) / 2)) }

    /// Skipping is left out where a window is too small for it. Empty: the button is not there.
    package func rect(of button: Button) -> PixelRect {
        let e = edge, large = e * 3 / 2
        let middle = PixelRect(x: (size.width - large) / 2, y: (size.height - large) / 2, width: large, height: large)
        let hasRoom = size.width >= e * 5 && (size.height - e) / 2 >= margin + e
        let beside = PixelRect(x: middle.x - e - e / 2, y: (size.height - e) / 2, width: hasRoom ? e : 0, height: hasRoom ? e : 0)
        return switch button {
        case .restore: PixelRect(x: margin, y: margin, width: e, height: e)
        case .close: PixelRect(x: size.width - margin - e, y: margin, width: e, height: e)
        case .playPause: middle
        case .skipBack: beside
        case .skipForward: PixelRect(x: size.width - beside.x - e, y: beside.y, width: beside.width, height: beside.height)
        }
    }

    package func button(x: Int, y: Int) -> Button? {
        Button.allCases.first { rect(of: $0).contains(x: x, y: y) }
    }

    /// The thin line of progress near the lower edge.
    package var progress: PixelRect {
        let height = max(3, size.height / 90)
        return PixelRect(x: margin, y: max(0, size.height - margin - height), width: max(1, size.width - 2 * margin), height: height)
    }

    /// Where a press takes hold of the line: higher than the line, or nobody would hit it. Below it the window's edge is left free.
    package var progressGrip: PixelRect {
        let line = progress, above = max(8, size.height / 20)
        return PixelRect(x: line.x, y: max(0, line.y - above), width: line.width, height: min(above, line.y) + line.height + 2)
    }

    /// The part of the film, 0 to 1, that a point of the line stands for; nil beside it.
    package func progressPart(x: Int, y: Int) -> Double? { progressGrip.contains(x: x, y: y) ? progressPart(x: x) : nil }

    package func progressPart(x: Int) -> Double {
        let grip = progressGrip
        return min(1, max(0, (Double(x - grip.x) + 0.5) / Double(grip.width)))
    }
}
