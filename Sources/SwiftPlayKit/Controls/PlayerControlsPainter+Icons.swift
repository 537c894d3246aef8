import CCairo
import SharedFrames

/// The icons of the buttons.
extension PlayerControlsPainter {
    /// Draws a button: a highlight while the pointer is over it, the icon, and the text beside the icon.
    func draw(_ button: PlayerControl, _ cairo: CairoDrawing) {
        let rect = scene.layout.rect(of: button)
        if scene.hoveredControl == button {
            cairo.setRoundedRectangle(rect, radius: Double(rect.height) / 5)
            cairo.setGrey(1, 0.2)
            cairo.fill()
        }
        let hasFunction =
            switch button {
            case .previous: scene.hasPreviousItem
            case .next: scene.hasNextItem
            default: true
            }
        cairo.setGrey(1, hasFunction ? 0.95 : 0.35)
        let side = Double(rect.height)
        cairo.withUnitSquare(rect) { drawIcon(button, cairo) }
        let textRect = PixelRect(
            x: rect.x + rect.height * 9 / 10, y: rect.y, width: rect.width - rect.height * 9 / 10, height: rect.height)
        switch button {
        case .quality: cairo.drawText(scene.qualityText, in: textRect, size: side * 0.34)
        case .audioTracks: cairo.drawText(scene.audioTrackText, in: textRect, size: side * 0.34)
        case .subtitles: cairo.drawText(scene.subtitleTrackText, in: textRect, size: side * 0.34)
        default: break
        }
    }

    /// Draws an icon in a unit square.
    private func drawIcon(_ button: PlayerControl, _ cairo: CairoDrawing) {
        switch button {
        case .playPause where scene.isPaused:
            cairo.setPolygon((0.32, 0.22), (0.78, 0.5), (0.32, 0.78))
            cairo.fill()
        case .playPause:
            cairo.setPolygon((0.28, 0.24), (0.42, 0.24), (0.42, 0.76), (0.28, 0.76))
            cairo.fill()
            cairo.setPolygon((0.58, 0.24), (0.72, 0.24), (0.72, 0.76), (0.58, 0.76))
            cairo.fill()
        case .previous:
            cairo.setPolygon((0.74, 0.26), (0.36, 0.5), (0.74, 0.74))
            cairo.fill()
            cairo.setPolygon((0.26, 0.26), (0.34, 0.26), (0.34, 0.74), (0.26, 0.74))
            cairo.fill()
        case .next:
            cairo.setPolygon((0.26, 0.26), (0.64, 0.5), (0.26, 0.74))
            cairo.fill()
            cairo.setPolygon((0.66, 0.26), (0.74, 0.26), (0.74, 0.74), (0.66, 0.74))
            cairo.fill()
        case .mute: cairo.drawIcon(scene.isMuted ? .mutedSpeaker : .speaker)
        case .quality:
            // The icon for the stream quality: three bars of increasing height.
            for (x, top) in [(0.22, 0.62), (0.44, 0.44), (0.66, 0.26)] {
                cairo.setPolygon((x, top), (x + 0.14, top), (x + 0.14, 0.76), (x, 0.76))
                cairo.fill()
            }
        case .audioTracks:
            // The icon for the audio tracks: a musical note.
            cairo_new_path(cairo.context)
            cairo_arc(cairo.context, 0.38, 0.68, 0.13, 0, 2 * .pi)
            cairo.fill()
            cairo.move(0.48, 0.68)
            cairo.addLine(0.48, 0.24)
            cairo.addLine(0.72, 0.34)
            cairo.stroke(0.07)
        case .subtitles:
            cairo.setPolygon((0.16, 0.24), (0.84, 0.24), (0.84, 0.76), (0.16, 0.76))
            cairo.stroke(0.06)
            cairo.move(0.26, 0.52)
            cairo.addLine(0.58, 0.52)
            cairo.move(0.66, 0.52)
            cairo.addLine(0.74, 0.52)
            cairo.move(0.26, 0.64)
            cairo.addLine(0.40, 0.64)
            cairo.move(0.48, 0.64)
            cairo.addLine(0.74, 0.64)
            cairo.stroke(0.07)
        case .pictureInPicture: cairo.drawIcon(.floatingWindow)
        case .fullScreen: drawFullScreenCorners(cairo)
        case .volume, .time, .scrubber: break
        }
    }

    /// Draws the full-screen icon: four corners that point outward to enter full screen and inward to leave it.
    private func drawFullScreenCorners(_ cairo: CairoDrawing) {
        cairo_new_path(cairo.context)
        let (tip, arm) = scene.isFullScreen ? (0.40, 0.20) : (0.20, 0.40)
        for (x, y) in [(1.0, 1.0), (-1, 1), (-1, -1), (1, -1)] {
            func place(_ a: Double, _ b: Double) -> (Double, Double) { (0.5 - x * (0.5 - a), 0.5 - y * (0.5 - b)) }
            let (firstEnd, corner, secondEnd) = (place(tip, arm), place(tip, tip), place(arm, tip))
            cairo.move(firstEnd.0, firstEnd.1)
            cairo.addLine(corner.0, corner.1)
            cairo.addLine(secondEnd.0, secondEnd.1)
        }
        cairo.stroke(0.08)
    }
}
