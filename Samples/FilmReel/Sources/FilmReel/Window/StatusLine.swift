import CWallWindow

/// Draws the status line: the line of text below the wall. Used on the main thread.
struct StatusLine {
    static let height = 30
    private static let fontSize = 14.0, margin = 12.0, baseline = 20.0

    /// Returns the pixels of the status line: rows of BGRX pixels without padding.
    ///
    /// - Parameters:
    ///   - left: The text at the left end.
    ///   - right: The text at the right end, which covers the end of a long left text.
    ///   - width: The width of the window.
    static func pixels(left: String, right: String, width: Int) -> [UInt8] {
        var pixels = [UInt8](repeating: 0, count: width * height * PosterMaker.bytesPerPixel)
        pixels.withUnsafeMutableBufferPointer { buffer in
            let surface = cairo_image_surface_create_for_data(
                buffer.baseAddress, CAIRO_FORMAT_RGB24, Int32(width), Int32(height),
                Int32(width * PosterMaker.bytesPerPixel))
            let context = cairo_create(surface)
            setColor(context, WallPalette.bar)
            cairo_paint(context)
            cairo_select_font_face(context, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL)
            cairo_set_font_size(context, fontSize)
            draw(context, left, x: margin)
            var extents = cairo_text_extents_t()
            cairo_text_extents(context, right, &extents)
            let rightTextStart = Double(width) - margin - extents.x_advance
            setColor(context, WallPalette.bar)
            cairo_rectangle(context, rightTextStart - margin, 0, Double(width), Double(height))
            cairo_fill(context)
            draw(context, right, x: rightTextStart)
            cairo_destroy(context)
            cairo_surface_finish(surface)
            cairo_surface_destroy(surface)
        }
        return pixels
    }

    private static func draw(_ context: OpaquePointer?, _ text: String, x: Double) {
        setColor(context, WallPalette.text)
        cairo_move_to(context, x, baseline)
        cairo_show_text(context, text)
    }

    private static func setColor(_ context: OpaquePointer?, _ color: UInt32) {
        func component(_ shift: UInt32) -> Double { Double(color >> shift & 0xff) / 255 }
        cairo_set_source_rgb(context, component(16), component(8), component(0))
    }
}
