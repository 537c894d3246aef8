import CCairo
import SharedFrames

/// The icons that the player's controls and the overview share.
extension CairoDrawing {
    package enum Icon: Sendable {
        /// A screen with a small window in its corner.
        case floatingWindow
        /// A loudspeaker with waves, and one with a cross.
        case speaker, mutedSpeaker
        /// A diagonal cross, which closes a window or a program.
        case cross
    }

    /// Draws an icon in the current colour, as high as a rectangle and at its left edge.
    package func draw(_ icon: Icon, in rect: PixelRect) { withUnitSquare(rect) { drawIcon(icon) } }

    /// Calls `body` to draw in a unit square, which is as high as a rectangle and lies at its left edge.
    func withUnitSquare(_ rect: PixelRect, _ body: () -> Void) {
        let side = Double(rect.height)
        guard side > 0 else { return }
        cairo_save(context)
        cairo_translate(context, Double(rect.x), Double(rect.y))
        cairo_scale(context, side, side)
        cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND)
        body()
        cairo_restore(context)
    }

    /// Draws an icon in a unit square.
    func drawIcon(_ icon: Icon) {
        switch icon {
        case .floatingWindow:
            setPolygon((0.14, 0.22), (0.86, 0.22), (0.86, 0.76), (0.14, 0.76))
            stroke(0.06)
            setPolygon((0.50, 0.48), (0.78, 0.48), (0.78, 0.68), (0.50, 0.68))
            fill()
        case .speaker:
            drawSpeaker()
            cairo_arc(context, 0.48, 0.5, 0.17, -0.9, 0.9)
            cairo_new_sub_path(context)
            cairo_arc(context, 0.48, 0.5, 0.31, -0.9, 0.9)
            stroke(0.07)
        case .mutedSpeaker:
            drawSpeaker()
            move(0.60, 0.40)
            addLine(0.80, 0.60)
            move(0.80, 0.40)
            addLine(0.60, 0.60)
            stroke(0.07)
        case .cross:
            cairo_new_path(context)
            move(0.32, 0.32)
            addLine(0.68, 0.68)
            move(0.68, 0.32)
            addLine(0.32, 0.68)
            stroke(0.09)
        }
    }

    /// Draws a loudspeaker without waves, and begins a new path.
    private func drawSpeaker() {
        setPolygon((0.16, 0.40), (0.30, 0.40), (0.48, 0.24), (0.48, 0.76), (0.30, 0.60), (0.16, 0.60))
        fill()
        cairo_new_path(context)
    }
}
