import CCairo
import CompositorProtocol
import SharedFrames
import VideoOutput

/// Draws the controls over a picture's BGRX pixels, with Cairo.
struct ControlsPainter {
    /// The positions of the controls.
    let layout: ControlsLayout
    /// The state that the progress bar and the play button show.
    let playback: PlaybackState
    /// The volume and mute state that the controls show; `nil` if the program has no volume control.
    let audio: AudioState?
    /// The button under the pointer.
    let hoveredButton: ControlsLayout.Button?
    /// Whether the buttons and sliders are drawn: only while the pointer is over the window.
    let showsButtons: Bool
    /// The animation step of the buffering indicator; `nil` to draw none.
    var bufferingIndicatorStep: Int?
    /// The position up to which the item is loaded, in nanoseconds; 0 to draw no loaded part.
    var loadedUntil: Int64 = 0

    /// Draws the controls over BGRX pixels: `size.height` rows whose starts are `stride` bytes apart.
    func draw(_ pixels: UnsafeMutableRawPointer, _ size: PixelSize, _ stride: Int) {
        guard showsButtons || bufferingIndicatorStep != nil else { return }
        let surface = cairo_image_surface_create_for_data(
            pixels.assumingMemoryBound(to: UInt8.self), CAIRO_FORMAT_RGB24, Int32(size.width), Int32(size.height),
            Int32(stride))
        defer { cairo_surface_destroy(surface) }
        guard let c = cairo_create(surface) else { return }
        defer { cairo_destroy(c) }
        if showsButtons {
            cairo_set_source_rgba(c, 0, 0, 0, 0.35)
            cairo_paint(c)
            for button in ControlsLayout.Button.allCases { draw(button, c) }
            drawProgress(c)
            drawVolume(c)
        }
        if let bufferingIndicatorStep { drawBufferingIndicator(bufferingIndicatorStep, size, c) }
        cairo_surface_flush(surface)
    }

    /// Draws the buffering indicator in the middle of the window, or around the play button while the buttons are
    /// drawn.
    private func drawBufferingIndicator(_ step: Int, _ size: PixelSize, _ c: OpaquePointer) {
        let x = Double(size.width / 2), y = Double(size.height / 2)
        let button = showsButtons ? Double(layout.rect(of: .playPause).width) / 2 : 0
        let radius = button > 0 ? button * 1.15 : BusyIndicator.radius(in: size)
        guard radius > 0 else { return }
        if button == 0 {
            cairo_new_path(c)
            cairo_arc(c, x, y, radius * 1.5, 0, 2 * .pi)
            cairo_set_source_rgba(c, 0, 0, 0, 0.45)
            cairo_fill(c)
        }
        for dot in BusyIndicator.dots(step: step, x: x, y: y, radius: radius) {
            cairo_new_path(c)
            cairo_arc(c, dot.x, dot.y, dot.radius, 0, 2 * .pi)
            cairo_set_source_rgba(c, 1, 1, 1, dot.opacity)
            cairo_fill(c)
        }
    }

    /// Draws one button: a dark disc with a symbol.
    private func draw(_ button: ControlsLayout.Button, _ c: OpaquePointer) {
        let r = layout.rect(of: button)
        guard r.width > 0 else { return }
        let x = Double(r.x), y = Double(r.y), e = Double(r.width)
        cairo_new_path(c)
        cairo_arc(c, x + e / 2, y + e / 2, e / 2, 0, 2 * .pi)
        cairo_set_source_rgba(c, 0, 0, 0, hoveredButton == button ? 0.75 : 0.45)
        cairo_fill(c)
        cairo_set_source_rgba(c, 1, 1, 1, hoveredButton == button ? 1 : 0.85)
        cairo_set_line_width(c, max(1.5, e / 14))
        switch button {
        case .close:
            drawLine(c, x + e * 0.34, y + e * 0.34, x + e * 0.66, y + e * 0.66)
            drawLine(c, x + e * 0.66, y + e * 0.34, x + e * 0.34, y + e * 0.66)
        case .restore:
            cairo_rectangle(c, x + e * 0.28, y + e * 0.34, e * 0.44, e * 0.32)
            cairo_stroke(c)
            // An arrow from the small picture back to the large one.
            cairo_set_line_width(c, max(1.2, e / 20))
            drawLine(c, x + e * 0.62, y + e * 0.58, x + e * 0.40, y + e * 0.44)
            drawLine(c, x + e * 0.38, y + e * 0.435, x + e * 0.53, y + e * 0.435)
            drawLine(c, x + e * 0.395, y + e * 0.43, x + e * 0.395, y + e * 0.565)
        case .mute:
            cairo_move_to(c, x + e * 0.24, y + e * 0.42)
            for (px, py) in [(0.36, 0.42), (0.50, 0.28), (0.50, 0.72), (0.36, 0.58), (0.24, 0.58)] {
                cairo_line_to(c, x + e * px, y + e * py)
            }
            cairo_close_path(c)
            cairo_fill(c)
            if audio?.isMuted == true {
                drawLine(c, x + e * 0.60, y + e * 0.42, x + e * 0.76, y + e * 0.58)
                drawLine(c, x + e * 0.76, y + e * 0.42, x + e * 0.60, y + e * 0.58)
            } else {
                cairo_arc(c, x + e * 0.50, y + e * 0.5, e * 0.16, -0.25 * .pi, 0.25 * .pi)
                cairo_stroke(c)
                cairo_arc(c, x + e * 0.50, y + e * 0.5, e * 0.27, -0.25 * .pi, 0.25 * .pi)
                cairo_stroke(c)
            }
        case .skipBack: drawSkipSymbol(c, x + e / 2, y + e / 2, e * 0.24, isForward: false)
        case .skipForward: drawSkipSymbol(c, x + e / 2, y + e / 2, e * 0.24, isForward: true)
        case .playPause where playback.isPaused:
            cairo_move_to(c, x + e * 0.38, y + e * 0.28)
            cairo_line_to(c, x + e * 0.74, y + e * 0.50)
            cairo_line_to(c, x + e * 0.38, y + e * 0.72)
            cairo_close_path(c)
            cairo_fill(c)
        case .playPause:
            cairo_rectangle(c, x + e * 0.34, y + e * 0.30, e * 0.11, e * 0.40)
            cairo_rectangle(c, x + e * 0.55, y + e * 0.30, e * 0.11, e * 0.40)
            cairo_fill(c)
        }
    }

    /// Draws the symbol of a skip button: an open circle with an arrowhead in the skip's direction, and the number of
    /// seconds in it.
    private func drawSkipSymbol(_ c: OpaquePointer, _ x: Double, _ y: Double, _ radius: Double, isForward: Bool) {
        let side: Double = isForward ? 1 : -1
        cairo_new_path(c)
        if isForward {
            cairo_arc(c, x, y, radius, -0.2 * .pi, 1.4 * .pi)
        } else {
            cairo_arc_negative(c, x, y, radius, 1.2 * .pi, -0.4 * .pi)
        }
        cairo_stroke(c)
        // The arrowhead lies at the end of the open circle and points in the direction of the skip.
        let tipX = x + side * radius * 0.81, tipY = y - radius * 0.59
        drawLine(c, tipX, tipY, tipX - side * radius * 0.55, tipY)
        drawLine(c, tipX, tipY, tipX, tipY - radius * 0.55)
        cairo_select_font_face(c, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD)
        cairo_set_font_size(c, radius * 0.85)
        var extents = cairo_text_extents_t()
        cairo_text_extents(c, "10", &extents)
        cairo_move_to(c, x - extents.width / 2 - extents.x_bearing, y - extents.height / 2 - extents.y_bearing)
        cairo_show_text(c, "10")
    }

    /// Draws a straight line in the current colour and width.
    private func drawLine(_ c: OpaquePointer, _ x0: Double, _ y0: Double, _ x1: Double, _ y1: Double) {
        cairo_move_to(c, x0, y0)
        cairo_line_to(c, x1, y1)
        cairo_stroke(c)
    }

    /// Draws the progress bar; nothing if the duration is unknown.
    private func drawProgress(_ c: OpaquePointer) {
        guard playback.duration > 0 else { return }
        cairo_set_source_rgba(c, 0.90, 0.25, 0.25, 1)
        let line = layout.rect(of: .progress)
        let played = Double(playback.position) / Double(playback.duration)
        fillSlider(line, to: played, c)
        // The loaded part of the progress bar is lighter than the rest.
        let start = Double(line.width) * min(1, max(0, played))
        let end = Double(line.width) * min(1, Double(loadedUntil) / Double(playback.duration))
        guard end > start else { return }
        cairo_rectangle(c, Double(line.x) + start, Double(line.y), end - start, Double(line.height))
        cairo_set_source_rgba(c, 1, 1, 1, 0.4)
        cairo_fill(c)
    }

    /// Draws the volume slider, if the program has a volume control.
    private func drawVolume(_ c: OpaquePointer) {
        guard let audio else { return }
        cairo_set_source_rgba(c, 1, 1, 1, audio.isMuted ? 0.6 : 0.9)
        fillSlider(layout.rect(of: .volume), to: Double(audio.volume) / 1000, c)
    }

    /// Fills a slider up to the fraction `part` (0 to 1) in the current colour, and draws the rest of it faintly.
    private func fillSlider(_ r: PixelRect, to part: Double, _ c: OpaquePointer) {
        let full = Double(r.width) * min(1, max(0, part))
        cairo_rectangle(c, Double(r.x), Double(r.y), full, Double(r.height))
        cairo_fill(c)
        cairo_rectangle(c, Double(r.x) + full, Double(r.y), Double(r.width) - full, Double(r.height))
        cairo_set_source_rgba(c, 1, 1, 1, 0.3)
        cairo_fill(c)
    }
}
