import CCairo
import CompositorProtocol
import SharedFrames
import VideoOutput

/// Draws the controls over a picture's BGRX pixels, with Cairo.
struct ControlsPainter {
    /// The positions of the controls.
    let layout: ControlsLayout
    /// The playback state that the progress bar and the play button show.
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
    /// The position to which the user drags the progress bar, 0 to 1; `nil` while the user does not drag it.
    var draggedPosition: Double?

    /// Draws the controls over BGRX pixels: `size.height` rows whose starts are `stride` bytes apart.
    func draw(_ pixels: UnsafeMutableRawPointer, _ size: PixelSize, _ stride: Int) {
        guard showsButtons || bufferingIndicatorStep != nil else { return }
        let surface = cairo_image_surface_create_for_data(
            pixels.assumingMemoryBound(to: UInt8.self), CAIRO_FORMAT_RGB24, Int32(size.width), Int32(size.height),
            Int32(stride))
        defer { cairo_surface_destroy(surface) }
        guard let cr = cairo_create(surface) else { return }
        defer { cairo_destroy(cr) }
        if showsButtons {
            cairo_set_source_rgba(cr, 0, 0, 0, 0.35)
            cairo_paint(cr)
            for button in ControlsLayout.Button.allCases { draw(button, cr) }
            drawProgress(cr)
            drawVolume(cr)
            if let draggedPosition { drawTime(at: draggedPosition, cr) }
        }
        if let bufferingIndicatorStep { drawBufferingIndicator(bufferingIndicatorStep, size, cr) }
        cairo_surface_flush(surface)
    }

    /// Draws the buffering indicator in the middle of the window, or around the play button while the buttons are
    /// drawn.
    private func drawBufferingIndicator(_ step: Int, _ size: PixelSize, _ cr: OpaquePointer) {
        let x = Double(size.width / 2), y = Double(size.height / 2)
        let buttonRadius = showsButtons ? Double(layout.rect(of: .playPause).width) / 2 : 0
        let radius = buttonRadius > 0 ? buttonRadius * 1.15 : BusyIndicator.radius(in: size)
        guard radius > 0 else { return }
        if buttonRadius == 0 {
            cairo_new_path(cr)
            cairo_arc(cr, x, y, radius * 1.5, 0, 2 * .pi)
            cairo_set_source_rgba(cr, 0, 0, 0, 0.45)
            cairo_fill(cr)
        }
        for dot in BusyIndicator.dots(step: step, x: x, y: y, radius: radius) {
            cairo_new_path(cr)
            cairo_arc(cr, dot.x, dot.y, dot.radius, 0, 2 * .pi)
            cairo_set_source_rgba(cr, 1, 1, 1, dot.opacity)
            cairo_fill(cr)
        }
    }

    /// Draws one button: a dark disc with a symbol.
    private func draw(_ button: ControlsLayout.Button, _ cr: OpaquePointer) {
        let buttonRect = layout.rect(of: button)
        guard buttonRect.width > 0 else { return }
        let x = Double(buttonRect.x), y = Double(buttonRect.y), side = Double(buttonRect.width)
        cairo_new_path(cr)
        cairo_arc(cr, x + side / 2, y + side / 2, side / 2, 0, 2 * .pi)
        cairo_set_source_rgba(cr, 0, 0, 0, hoveredButton == button ? 0.75 : 0.45)
        cairo_fill(cr)
        cairo_set_source_rgba(cr, 1, 1, 1, hoveredButton == button ? 1 : 0.85)
        cairo_set_line_width(cr, max(1.5, side / 14))
        switch button {
        case .close:
            drawLine(cr, x + side * 0.34, y + side * 0.34, x + side * 0.66, y + side * 0.66)
            drawLine(cr, x + side * 0.66, y + side * 0.34, x + side * 0.34, y + side * 0.66)
        case .restore:
            cairo_rectangle(cr, x + side * 0.28, y + side * 0.34, side * 0.44, side * 0.32)
            cairo_stroke(cr)
            // An arrow from the small picture back to the large one.
            cairo_set_line_width(cr, max(1.2, side / 20))
            drawLine(cr, x + side * 0.62, y + side * 0.58, x + side * 0.40, y + side * 0.44)
            drawLine(cr, x + side * 0.38, y + side * 0.435, x + side * 0.53, y + side * 0.435)
            drawLine(cr, x + side * 0.395, y + side * 0.43, x + side * 0.395, y + side * 0.565)
        case .mute:
            cairo_move_to(cr, x + side * 0.24, y + side * 0.42)
            for (px, py) in [(0.36, 0.42), (0.50, 0.28), (0.50, 0.72), (0.36, 0.58), (0.24, 0.58)] {
                cairo_line_to(cr, x + side * px, y + side * py)
            }
            cairo_close_path(cr)
            cairo_fill(cr)
            if audio?.isMuted == true {
                drawLine(cr, x + side * 0.60, y + side * 0.42, x + side * 0.76, y + side * 0.58)
                drawLine(cr, x + side * 0.76, y + side * 0.42, x + side * 0.60, y + side * 0.58)
            } else {
                cairo_arc(cr, x + side * 0.50, y + side * 0.5, side * 0.16, -0.25 * .pi, 0.25 * .pi)
                cairo_stroke(cr)
                cairo_arc(cr, x + side * 0.50, y + side * 0.5, side * 0.27, -0.25 * .pi, 0.25 * .pi)
                cairo_stroke(cr)
            }
        case .skipBack: drawSkipSymbol(cr, x + side / 2, y + side / 2, side * 0.24, isForward: false)
        case .skipForward: drawSkipSymbol(cr, x + side / 2, y + side / 2, side * 0.24, isForward: true)
        case .playPause where playback.isPaused:
            cairo_move_to(cr, x + side * 0.38, y + side * 0.28)
            cairo_line_to(cr, x + side * 0.74, y + side * 0.50)
            cairo_line_to(cr, x + side * 0.38, y + side * 0.72)
            cairo_close_path(cr)
            cairo_fill(cr)
        case .playPause:
            cairo_rectangle(cr, x + side * 0.34, y + side * 0.30, side * 0.11, side * 0.40)
            cairo_rectangle(cr, x + side * 0.55, y + side * 0.30, side * 0.11, side * 0.40)
            cairo_fill(cr)
        }
    }

    /// Draws the symbol of a skip button: an open circle with an arrowhead in the skip's direction, and the number of
    /// seconds in it.
    private func drawSkipSymbol(_ cr: OpaquePointer, _ x: Double, _ y: Double, _ radius: Double, isForward: Bool) {
        let direction: Double = isForward ? 1 : -1
        cairo_new_path(cr)
        if isForward {
            cairo_arc(cr, x, y, radius, -0.2 * .pi, 1.4 * .pi)
        } else {
            cairo_arc_negative(cr, x, y, radius, 1.2 * .pi, -0.4 * .pi)
        }
        cairo_stroke(cr)
        // The arrowhead lies at the end of the open circle and points in the direction of the skip.
        let tipX = x + direction * radius * 0.81, tipY = y - radius * 0.59
        drawLine(cr, tipX, tipY, tipX - direction * radius * 0.55, tipY)
        drawLine(cr, tipX, tipY, tipX, tipY - radius * 0.55)
        drawText("10", size: radius * 0.85, x, y, cr)
    }

    /// Draws a text in bold type, centred at a point.
    private func drawText(_ text: String, size: Double, _ x: Double, _ y: Double, _ cr: OpaquePointer) {
        let extents = textExtents(text, size: size, cr)
        cairo_move_to(cr, x - extents.width / 2 - extents.x_bearing, y - extents.height / 2 - extents.y_bearing)
        cairo_show_text(cr, text)
    }

    /// Selects a bold font of a size in pixels, and returns the extents of a text in it.
    private func textExtents(_ text: String, size: Double, _ cr: OpaquePointer) -> cairo_text_extents_t {
        cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD)
        cairo_set_font_size(cr, size)
        var extents = cairo_text_extents_t()
        cairo_text_extents(cr, text, &extents)
        return extents
    }

    /// Draws the time at a position of the progress bar, 0 to 1, above that position.
    private func drawTime(at fraction: Double, _ cr: OpaquePointer) {
        guard playback.duration > 0 else { return }
        let text = Self.clockText(Int64(fraction * Double(playback.duration)), duration: playback.duration)
        let smallerSide = min(layout.size.width, layout.size.height)
        let size = max(11, min(11 * layout.displayScale, Double(smallerSide) / 8), Double(smallerSide) / 16)
        let bar = layout.rect(of: .progress), width = textExtents(text, size: size, cr).width + size
        let limit = max(width / 2, Double(layout.size.width) - width / 2)
        let x = min(max(Double(bar.x) + Double(bar.width) * fraction, width / 2), limit)
        let bottom = Double(layout.hitArea(of: .progress).y), height = size * 1.6
        guard bottom >= height else { return }
        cairo_rectangle(cr, x - width / 2, bottom - height, width, height)
        cairo_set_source_rgba(cr, 0, 0, 0, 0.7)
        cairo_fill(cr)
        cairo_set_source_rgba(cr, 1, 1, 1, 1)
        drawText(text, size: size, x, bottom - height / 2, cr)
    }

    /// Returns a time in nanoseconds as text, such as `2:03`; with hours, such as `0:02:03`, if the duration has hours.
    static func clockText(_ nanoseconds: Int64, duration: Int64) -> String {
        let seconds = max(0, nanoseconds) / 1_000_000_000
        func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        guard duration >= 3_600_000_000_000 else { return "\(seconds / 60):\(twoDigits(seconds % 60))" }
        return "\(seconds / 3600):\(twoDigits(seconds / 60 % 60)):\(twoDigits(seconds % 60))"
    }

    /// Draws a straight line in the current colour and width.
    private func drawLine(_ cr: OpaquePointer, _ x0: Double, _ y0: Double, _ x1: Double, _ y1: Double) {
        cairo_move_to(cr, x0, y0)
        cairo_line_to(cr, x1, y1)
        cairo_stroke(cr)
    }

    /// Draws the progress bar; nothing if the duration is unknown.
    private func drawProgress(_ cr: OpaquePointer) {
        guard playback.duration > 0 else { return }
        cairo_set_source_rgba(cr, 0.90, 0.25, 0.25, 1)
        let barRect = layout.rect(of: .progress)
        let playedFraction = Double(playback.position) / Double(playback.duration)
        fillSlider(barRect, to: playedFraction, cr)
        // The loaded part of the progress bar is lighter than the rest.
        let playedWidth = Double(barRect.width) * min(1, max(0, playedFraction))
        let loadedWidth = Double(barRect.width) * min(1, Double(loadedUntil) / Double(playback.duration))
        guard loadedWidth > playedWidth else { return }
        cairo_rectangle(
            cr, Double(barRect.x) + playedWidth, Double(barRect.y), loadedWidth - playedWidth, Double(barRect.height))
        cairo_set_source_rgba(cr, 1, 1, 1, 0.4)
        cairo_fill(cr)
    }

    /// Draws the volume slider, if the program has a volume control.
    private func drawVolume(_ cr: OpaquePointer) {
        guard let audio else { return }
        cairo_set_source_rgba(cr, 1, 1, 1, audio.isMuted ? 0.6 : 0.9)
        fillSlider(layout.rect(of: .volume), to: Double(audio.volume) / 1000, cr)
    }

    /// Fills a slider up to a fraction (0 to 1) in the current colour, and draws the rest of it faintly.
    private func fillSlider(_ sliderRect: PixelRect, to fraction: Double, _ cr: OpaquePointer) {
        let filledWidth = Double(sliderRect.width) * min(1, max(0, fraction))
        cairo_rectangle(cr, Double(sliderRect.x), Double(sliderRect.y), filledWidth, Double(sliderRect.height))
        cairo_fill(cr)
        cairo_rectangle(
            cr, Double(sliderRect.x) + filledWidth, Double(sliderRect.y), Double(sliderRect.width) - filledWidth,
            Double(sliderRect.height))
        cairo_set_source_rgba(cr, 1, 1, 1, 0.3)
        cairo_fill(cr)
    }
}
