import CCairo
import SharedFrames

/// A Cairo context in the coordinates of the window, with the operations of the controls.
struct CairoDrawing {
    let context: OpaquePointer

    /// Returns a drawing in new premultiplied BGRA pixels; nil if the size is empty or there is no memory.
    static func box(_ rect: PixelRect, opacity: Double = 1, _ body: (CairoDrawing) -> Void) -> OverlayPicture.Box? {
        guard rect.width > 0, rect.height > 0 else { return nil }
        var pixels = [UInt8](repeating: 0, count: rect.width * rect.height * 4)
        pixels.withUnsafeMutableBufferPointer { buffer in
            draw(buffer.baseAddress, CAIRO_FORMAT_ARGB32, rect.size, stride: rect.width * 4) { drawing in
                cairo_translate(drawing.context, Double(-rect.x), Double(-rect.y))
                if opacity < 1 { cairo_push_group(drawing.context) }
                body(drawing)
                guard opacity < 1 else { return }
                cairo_pop_group_to_source(drawing.context)
                cairo_paint_with_alpha(drawing.context, opacity)
            }
        }
        return OverlayPicture.Box(rect: rect, pixels: pixels)
    }

    /// Draws over existing pixels.
    static func draw(
        _ pixels: UnsafeMutablePointer<UInt8>?, _ format: cairo_format_t, _ size: PixelSize, stride: Int,
        _ body: (CairoDrawing) -> Void
    ) {
        let surface = cairo_image_surface_create_for_data(
            pixels, format, Int32(size.width), Int32(size.height), Int32(stride))
        defer { cairo_surface_destroy(surface) }
        guard let context = cairo_create(surface) else { return }
        defer { cairo_destroy(context) }
        body(CairoDrawing(context: context))
        cairo_surface_finish(surface)
    }

    func colour(_ white: Double, _ alpha: Double = 1) { cairo_set_source_rgba(context, white, white, white, alpha) }
    func accent() { cairo_set_source_rgba(context, 0.90, 0.25, 0.25, 1) }
    func move(_ x: Double, _ y: Double) { cairo_move_to(context, x, y) }
    func line(_ x: Double, _ y: Double) { cairo_line_to(context, x, y) }
    func fill() { cairo_fill(context) }
    func stroke(_ width: Double) {
        cairo_set_line_width(context, width)
        cairo_stroke(context)
    }

    func shape(_ points: (Double, Double)...) {
        cairo_new_path(context)
        for (index, point) in points.enumerated() { index == 0 ? move(point.0, point.1) : line(point.0, point.1) }
        cairo_close_path(context)
    }

    func rectangle(_ rect: PixelRect) {
        cairo_new_path(context)
        cairo_rectangle(context, Double(rect.x), Double(rect.y), Double(rect.width), Double(rect.height))
    }

    func roundedRectangle(_ rect: PixelRect, radius: Double) {
        let x = Double(rect.x), y = Double(rect.y), w = Double(rect.width), h = Double(rect.height),
            r = min(radius, min(w, h) / 2)
        cairo_new_path(context)
        cairo_arc(context, x + w - r, y + r, r, -.pi / 2, 0)
        cairo_arc(context, x + w - r, y + h - r, r, 0, .pi / 2)
        cairo_arc(context, x + r, y + h - r, r, .pi / 2, .pi)
        cairo_arc(context, x + r, y + r, r, .pi, 1.5 * .pi)
        cairo_close_path(context)
    }

    func circle(_ x: Double, _ y: Double, _ radius: Double) {
        cairo_new_path(context)
        cairo_arc(context, x, y, radius, 0, 2 * .pi)
    }

    /// Fills a rectangle with black of varying opacity, from its top to its bottom.
    func shade(_ rect: PixelRect, _ strengths: Double...) {
        let gradient = cairo_pattern_create_linear(0, Double(rect.y), 0, Double(rect.y + rect.height))
        defer { cairo_pattern_destroy(gradient) }
        for (index, strength) in strengths.enumerated() {
            cairo_pattern_add_color_stop_rgba(
                gradient, Double(index) / Double(max(1, strengths.count - 1)), 0, 0, 0, strength)
        }
        rectangle(rect)
        cairo_set_source(context, gradient)
        fill()
    }
}
