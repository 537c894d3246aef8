import CCairo
import SharedFrames

/// Cairo, as far as the controls need it. A place in it is one in the window.
struct CairoDrawing {
    let context: OpaquePointer

    enum Alignment { case left, middle }

    /// Draws into premultiplied BGRA of its own.
    ///
    /// - Returns: nil where there is nothing to draw into.
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

    /// Draws over pixels that are there.
    static func draw(
        _ pixels: UnsafeMutablePointer<UInt8>?, _ format: cairo_format_t, _ size: PixelSize, stride: Int, _ body: (CairoDrawing) -> Void
    ) {
        let surface = cairo_image_surface_create_for_data(pixels, format, Int32(size.width), Int32(size.height), Int32(stride))
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
        let x = Double(rect.x), y = Double(rect.y), w = Double(rect.width), h = Double(rect.height), r = min(radius, min(w, h) / 2)
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

    /// Black of several strengths over a rectangle, from its upper to its lower edge.
    func shade(_ rect: PixelRect, _ strengths: Double...) {
        let gradient = cairo_pattern_create_linear(0, Double(rect.y), 0, Double(rect.y + rect.height))
        defer { cairo_pattern_destroy(gradient) }
        for (index, strength) in strengths.enumerated() {
            cairo_pattern_add_color_stop_rgba(gradient, Double(index) / Double(max(1, strengths.count - 1)), 0, 0, 0, strength)
        }
        rectangle(rect)
        cairo_set_source(context, gradient)
        fill()
    }

    /// How wide a text is in a font size.
    func width(of text: String, _ size: Double, isBold: Bool = false) -> Double {
        choose(size, isBold)
        var extents = cairo_text_extents_t()
        cairo_text_extents(context, text, &extents)
        return extents.x_advance
    }

    /// Writes a line into a rectangle, cut with an ellipsis where it does not fit.
    func text(_ text: String, in rect: PixelRect, size: Double, isBold: Bool = false, _ alignment: Alignment = .left) {
        let fitted = fitting(text, Double(rect.width), size, isBold)
        var font = cairo_font_extents_t()
        let width = width(of: fitted, size, isBold: isBold)
        cairo_font_extents(context, &font)
        let x = alignment == .left ? Double(rect.x) : Double(rect.x) + (Double(rect.width) - width) / 2
        move(x, Double(rect.y) + (Double(rect.height) + font.ascent - font.descent) / 2)
        cairo_show_text(context, fitted)
    }

    /// Writes white with a dark edge, readable on any picture.
    func outlinedText(_ text: String, in rect: PixelRect, size: Double) {
        let fitted = fitting(text, Double(rect.width), size, true)
        choose(size, true)
        var font = cairo_font_extents_t()
        cairo_font_extents(context, &font)
        cairo_new_path(context)
        move(Double(rect.x) + size / 8, Double(rect.y) + (Double(rect.height) + font.ascent - font.descent) / 2)
        cairo_text_path(context, fitted)
        cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND)
        colour(0, 0.9)
        cairo_set_line_width(context, size / 5)
        cairo_stroke_preserve(context)
        colour(1)
        fill()
    }

    private func fitting(_ text: String, _ room: Double, _ size: Double, _ isBold: Bool) -> String {
        // What a file says of itself may be of any length, and hold anything.
        var fitted = String(text.prefix(300).map { $0.isNewline || $0 == "\0" ? " " : $0 })
        guard width(of: fitted, size, isBold: isBold) > room else { return fitted }
        while !fitted.isEmpty, width(of: fitted + "…", size, isBold: isBold) > room { fitted.removeLast() }
        return fitted.isEmpty ? "" : fitted + "…"
    }

    private func choose(_ size: Double, _ isBold: Bool) {
        cairo_select_font_face(context, "sans-serif", CAIRO_FONT_SLANT_NORMAL, isBold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL)
        cairo_set_font_size(context, size)
    }
}
