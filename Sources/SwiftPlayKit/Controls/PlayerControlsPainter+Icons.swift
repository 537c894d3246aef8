import CCairo
import SharedFrames

/// The icons of the buttons.
extension PlayerControlsPainter {
    /// Draws a button: a highlight while the pointer is over it, the icon, and the text of the track numbers.
    func draw(_ button: PlayerControl, _ c: CairoDrawing) {
        let rect = scene.layout.rect(of: button)
        if scene.hoveredControl == button {
            c.setRoundedRectangle(rect, radius: Double(rect.height) / 5)
            c.setGrey(1, 0.2)
            c.fill()
        }
        c.setGrey(1, 0.95)
        // Icons are drawn in a unit square.
        let e = Double(rect.height)
        cairo_save(c.context)
        cairo_translate(c.context, Double(rect.x), Double(rect.y))
        cairo_scale(c.context, e, e)
        cairo_set_line_join(c.context, CAIRO_LINE_JOIN_ROUND)
        drawIcon(button, c)
        cairo_restore(c.context)
        let words = PixelRect(
            x: rect.x + rect.height * 9 / 10, y: rect.y, width: rect.width - rect.height * 9 / 10, height: rect.height)
        switch button {
        case .audioTracks: c.drawText(scene.audioTrackText, in: words, size: e * 0.34)
        case .subtitles: c.drawText(scene.subtitleTrackText, in: words, size: e * 0.34)
        default: break
        }
    }

    /// Draws an icon in a unit square.
    private func drawIcon(_ button: PlayerControl, _ c: CairoDrawing) {
        switch button {
        case .playPause where scene.isPaused:
            c.setPolygon((0.32, 0.22), (0.78, 0.5), (0.32, 0.78))
            c.fill()
        case .playPause:
            c.setPolygon((0.28, 0.24), (0.42, 0.24), (0.42, 0.76), (0.28, 0.76))
            c.fill()
            c.setPolygon((0.58, 0.24), (0.72, 0.24), (0.72, 0.76), (0.58, 0.76))
            c.fill()
        case .mute: drawSpeaker(c)
        case .audioTracks:
            // A musical note.
            cairo_new_path(c.context)
            cairo_arc(c.context, 0.38, 0.68, 0.13, 0, 2 * .pi)
            c.fill()
            c.move(0.48, 0.68)
            c.addLine(0.48, 0.24)
            c.addLine(0.72, 0.34)
            c.stroke(0.07)
        case .subtitles:
            c.setPolygon((0.16, 0.24), (0.84, 0.24), (0.84, 0.76), (0.16, 0.76))
            c.stroke(0.06)
            c.move(0.26, 0.52)
            c.addLine(0.58, 0.52)
            c.move(0.66, 0.52)
            c.addLine(0.74, 0.52)
            c.move(0.26, 0.64)
            c.addLine(0.40, 0.64)
            c.move(0.48, 0.64)
            c.addLine(0.74, 0.64)
            c.stroke(0.07)
        case .pictureInPicture:
            c.setPolygon((0.14, 0.22), (0.86, 0.22), (0.86, 0.76), (0.14, 0.76))
            c.stroke(0.06)
            c.setPolygon((0.50, 0.48), (0.78, 0.48), (0.78, 0.68), (0.50, 0.68))
            c.fill()
        case .fullScreen: drawFullScreenCorners(c)
        case .volume, .time, .scrubber: break
        }
    }

    /// Draws a loudspeaker with waves, or with a cross while the audio is muted.
    private func drawSpeaker(_ c: CairoDrawing) {
        c.setPolygon((0.16, 0.40), (0.30, 0.40), (0.48, 0.24), (0.48, 0.76), (0.30, 0.60), (0.16, 0.60))
        c.fill()
        cairo_new_path(c.context)
        if scene.isMuted {
            c.move(0.60, 0.40)
            c.addLine(0.80, 0.60)
            c.move(0.80, 0.40)
            c.addLine(0.60, 0.60)
        } else {
            cairo_arc(c.context, 0.48, 0.5, 0.17, -0.9, 0.9)
            cairo_new_sub_path(c.context)
            cairo_arc(c.context, 0.48, 0.5, 0.31, -0.9, 0.9)
        }
        c.stroke(0.07)
    }

    /// Draws the full-screen icon: four corners that point outward to enter full screen and inward to leave it.
    private func drawFullScreenCorners(_ c: CairoDrawing) {
        cairo_new_path(c.context)
        let (tip, arm) = scene.isFullScreen ? (0.40, 0.20) : (0.20, 0.40)
        for (x, y) in [(1.0, 1.0), (-1, 1), (-1, -1), (1, -1)] {
            func place(_ a: Double, _ b: Double) -> (Double, Double) { (0.5 - x * (0.5 - a), 0.5 - y * (0.5 - b)) }
            let (a, b, d) = (place(tip, arm), place(tip, tip), place(arm, tip))
            c.move(a.0, a.1)
            c.addLine(b.0, b.1)
            c.addLine(d.0, d.1)
        }
        c.stroke(0.08)
    }
}
