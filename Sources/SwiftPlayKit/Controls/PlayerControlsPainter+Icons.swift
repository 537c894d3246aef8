import CCairo
import SharedFrames

/// The icons of the buttons.
extension PlayerControlsPainter {
    func draw(_ button: PlayerControl, _ c: CairoDrawing) {
        let rect = scene.layout.rect(of: button)
        if scene.pointed == button {
            c.roundedRectangle(rect, radius: Double(rect.height) / 5)
            c.colour(1, 0.2)
            c.fill()
        }
        c.colour(1, 0.95)
        // Icons are drawn in a unit square.
        let e = Double(rect.height)
        cairo_save(c.context)
        cairo_translate(c.context, Double(rect.x), Double(rect.y))
        cairo_scale(c.context, e, e)
        cairo_set_line_join(c.context, CAIRO_LINE_JOIN_ROUND)
        icon(button, c)
        cairo_restore(c.context)
        let words = PixelRect(
            x: rect.x + rect.height * 9 / 10, y: rect.y, width: rect.width - rect.height * 9 / 10, height: rect.height)
        switch button {
        case .audioTracks: c.text(scene.audioText, in: words, size: e * 0.34)
        case .subtitles: c.text(scene.subtitleText, in: words, size: e * 0.34)
        default: break
        }
    }

    private func icon(_ button: PlayerControl, _ c: CairoDrawing) {
        switch button {
        case .playPause where scene.isPaused:
            c.shape((0.32, 0.22), (0.78, 0.5), (0.32, 0.78))
            c.fill()
        case .playPause:
            c.shape((0.28, 0.24), (0.42, 0.24), (0.42, 0.76), (0.28, 0.76))
            c.fill()
            c.shape((0.58, 0.24), (0.72, 0.24), (0.72, 0.76), (0.58, 0.76))
            c.fill()
        case .mute: speaker(c)
        case .audioTracks:
            // A musical note.
            cairo_new_path(c.context)
            cairo_arc(c.context, 0.38, 0.68, 0.13, 0, 2 * .pi)
            c.fill()
            c.move(0.48, 0.68)
            c.line(0.48, 0.24)
            c.line(0.72, 0.34)
            c.stroke(0.07)
        case .subtitles:
            c.shape((0.16, 0.24), (0.84, 0.24), (0.84, 0.76), (0.16, 0.76))
            c.stroke(0.06)
            c.move(0.26, 0.52)
            c.line(0.58, 0.52)
            c.move(0.66, 0.52)
            c.line(0.74, 0.52)
            c.move(0.26, 0.64)
            c.line(0.40, 0.64)
            c.move(0.48, 0.64)
            c.line(0.74, 0.64)
            c.stroke(0.07)
        case .pictureInPicture:
            c.shape((0.14, 0.22), (0.86, 0.22), (0.86, 0.76), (0.14, 0.76))
            c.stroke(0.06)
            c.shape((0.50, 0.48), (0.78, 0.48), (0.78, 0.68), (0.50, 0.68))
            c.fill()
        case .fullScreen: corners(c)
        case .volume, .time, .scrubber: break
        }
    }

    private func speaker(_ c: CairoDrawing) {
        c.shape((0.16, 0.40), (0.30, 0.40), (0.48, 0.24), (0.48, 0.76), (0.30, 0.60), (0.16, 0.60))
        c.fill()
        cairo_new_path(c.context)
        if scene.isMuted {
            c.move(0.60, 0.40)
            c.line(0.80, 0.60)
            c.move(0.80, 0.40)
            c.line(0.60, 0.60)
        } else {
            cairo_arc(c.context, 0.48, 0.5, 0.17, -0.9, 0.9)
            cairo_new_sub_path(c.context)
            cairo_arc(c.context, 0.48, 0.5, 0.31, -0.9, 0.9)
        }
        c.stroke(0.07)
    }

    /// Four corners that point outward to enter full screen and inward to leave it.
    private func corners(_ c: CairoDrawing) {
        cairo_new_path(c.context)
        let (tip, arm) = scene.isFullScreen ? (0.40, 0.20) : (0.20, 0.40)
        for (x, y) in [(1.0, 1.0), (-1, 1), (-1, -1), (1, -1)] {
            func place(_ a: Double, _ b: Double) -> (Double, Double) { (0.5 - x * (0.5 - a), 0.5 - y * (0.5 - b)) }
            let (a, b, d) = (place(tip, arm), place(tip, tip), place(arm, tip))
            c.move(a.0, a.1)
            c.line(b.0, b.1)
            c.line(d.0, d.1)
        }
        c.stroke(0.08)
    }
}
