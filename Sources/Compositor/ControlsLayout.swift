import SharedFrames

/// Where the buttons of a floating window are: pure geometry, for drawing and for hitting.
package struct ControlsLayout: Equatable, Sendable {
    package enum Button: CaseIterable, Sendable { case restore, playPause, close }

    package let size: PixelSize

    package init(size: PixelSize) { self.size = size }

    /// Edge of a button: large enough to hit, never more than a fifth of the window.
    private var edge: Int { min(max(28, min(size.width, size.height) / 5), max(size.width / 4, 8), max(size.height / 2, 8)) }
    private var margin: Int { max(1, min(edge / 4, (size.height - edge) / 2)) }

    package func rect(of button: Button) -> PixelRect {
        let e = edge
        return switch button {
        case .restore: PixelRect(x: margin, y: margin, width: e, height: e)
        case .close: PixelRect(x: size.width - margin - e, y: margin, width: e, height: e)
        case .playPause:
            PixelRect(x: (size.width - e * 3 / 2) / 2, y: (size.height - e * 3 / 2) / 2, width: e * 3 / 2, height: e * 3 / 2)
        }
    }

    package func button(x: Int, y: Int) -> Button? {
        Button.allCases.first { rect(of: $0).contains(x: x, y: y) }
    }

    /// The thin line of progress at the lower edge.
    package var progress: PixelRect {
        let height = max(3, size.height / 90)
        return PixelRect(x: 0, y: size.height - height, width: size.width, height: height)
    }
}
