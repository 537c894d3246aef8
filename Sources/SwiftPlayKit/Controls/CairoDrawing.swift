import CCairo
import SharedFrames

/// A Cairo context with the drawing operations of the player's controls and of the overview. Coordinates are pixels of
/// the window.
package struct CairoDrawing {
    /// The Cairo context. The context is valid only during the closure that draws.
    let context: OpaquePointer

    /// Returns a rectangle of the window as premultiplied BGRA pixels, which `body` draws; nil if the rectangle is
    /// empty.
    static func drawBox(_ rect: PixelRect, opacity: Double = 1, _ body: (CairoDrawing) -> Void) -> OverlayPicture.Box? {
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

    /// Calls `body` to draw over existing BGRX or BGRA pixels.
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

    /// Calls `body` to draw over existing BGRX pixels; `stride` is the number of bytes between the starts of two rows.
    package static func draw(
        bgrx pixels: UnsafeMutableRawPointer, size: PixelSize, stride: Int, _ body: (CairoDrawing) -> Void
    ) {
        draw(pixels.assumingMemoryBound(to: UInt8.self), CAIRO_FORMAT_RGB24, size, stride: stride, body)
    }

    /// Calls `body` to draw only inside the current path.
    package func withClip(_ body: () -> Void) {
        cairo_save(context)
        cairo_clip(context)
        body()
        cairo_restore(context)
    }

    /// Draws BGRX pixels without padding between the rows, scaled to a rectangle.
    package func drawPixels(_ pixels: UnsafeRawBufferPointer, _ size: PixelSize, in rect: PixelRect) {
        guard pixels.count == size.width * size.height * 4, rect.width > 0, rect.height > 0,
            // Cairo only reads a source.
            let start = UnsafeMutableRawPointer(mutating: pixels.baseAddress)
        else { return }
        let surface = cairo_image_surface_create_for_data(
            start.assumingMemoryBound(to: UInt8.self), CAIRO_FORMAT_RGB24, Int32(size.width), Int32(size.height),
            Int32(size.width * 4))
        defer { cairo_surface_destroy(surface) }
        cairo_save(context)
        cairo_translate(context, Double(rect.x), Double(rect.y))
        cairo_scale(context, Double(rect.width) / Double(size.width), Double(rect.height) / Double(size.height))
        cairo_set_source_surface(context, surface, 0, 0)
        // Pixels at the edge are not blended with the surroundings.
        cairo_pattern_set_extend(cairo_get_source(context), CAIRO_EXTEND_PAD)
        cairo_rectangle(context, 0, 0, Double(size.width), Double(size.height))
        cairo_fill(context)
        cairo_restore(context)
        // The Cairo source must not outlive the pixels.
        setGrey(0)
        cairo_surface_finish(surface)
    }

    /// Sets the colour of later drawing operations to a shade of grey, from 0 (black) to 1 (white).
    package func setGrey(_ white: Double, _ alpha: Double = 1) {
        cairo_set_source_rgba(context, white, white, white, alpha)
    }
    /// Sets the colour of later drawing operations to the red of the played part of the position slider.
    package func setRed() { cairo_set_source_rgba(context, 0.90, 0.25, 0.25, 1) }
    /// Moves the current point of the path, without a line.
    package func move(_ x: Double, _ y: Double) { cairo_move_to(context, x, y) }
    /// Adds a line from the current point to a new point to the path.
    package func addLine(_ x: Double, _ y: Double) { cairo_line_to(context, x, y) }
    /// Fills the current path with the current colour.
    package func fill() { cairo_fill(context) }
    /// Draws the current path as a line of the given width in pixels.
    package func stroke(_ width: Double) {
        cairo_set_line_width(context, width)
        cairo_stroke(context)
    }

    /// Replaces the current path with a closed polygon.
    package func setPolygon(_ points: (Double, Double)...) {
        cairo_new_path(context)
        for (index, point) in points.enumerated() { index == 0 ? move(point.0, point.1) : addLine(point.0, point.1) }
        cairo_close_path(context)
    }

    /// Replaces the current path with a rectangle.
    package func setRectangle(_ rect: PixelRect) {
        cairo_new_path(context)
        cairo_rectangle(context, Double(rect.x), Double(rect.y), Double(rect.width), Double(rect.height))
    }

    /// Replaces the current path with a rectangle with round corners.
    package func setRoundedRectangle(_ rect: PixelRect, radius: Double) {
        let x = Double(rect.x), y = Double(rect.y), w = Double(rect.width), h = Double(rect.height),
            r = min(radius, min(w, h) / 2)
        cairo_new_path(context)
        cairo_arc(context, x + w - r, y + r, r, -.pi / 2, 0)
        cairo_arc(context, x + w - r, y + h - r, r, 0, .pi / 2)
        cairo_arc(context, x + r, y + h - r, r, .pi / 2, .pi)
        cairo_arc(context, x + r, y + r, r, .pi, 1.5 * .pi)
        cairo_close_path(context)
    }

    /// Replaces the current path with a circle.
    package func setCircle(_ x: Double, _ y: Double, _ radius: Double) {
        cairo_new_path(context)
        cairo_arc(context, x, y, radius, 0, 2 * .pi)
    }

    /// Fills a rectangle with black in a vertical gradient of opacity. `opacities` are the opacities, 0 to 1, at equal
    /// distances from the top of the rectangle to its bottom.
    package func shadeRectangle(_ rect: PixelRect, _ opacities: Double...) {
        let gradient = cairo_pattern_create_linear(0, Double(rect.y), 0, Double(rect.y + rect.height))
        defer { cairo_pattern_destroy(gradient) }
        for (index, opacity) in opacities.enumerated() {
            cairo_pattern_add_color_stop_rgba(
                gradient, Double(index) / Double(max(1, opacities.count - 1)), 0, 0, 0, opacity)
        }
        setRectangle(rect)
        cairo_set_source(context, gradient)
        fill()
    }
}
