import CCairo

/// An icon that consists of a shape without colours, like a template `UIImage`. A program draws the shape in a colour
/// of its choice.
public struct TemplateImage: Sendable, Hashable {
    /// The width in pixels.
    public let width: Int
    /// The height in pixels.
    public let height: Int
    /// The coverage of each pixel by the shape, from 0 to 255, row after row without padding.
    public let coverage: [UInt8]

    /// Returns the icon in a colour: four bytes for each pixel (red, green, blue, alpha; not premultiplied), row after
    /// row without padding.
    public func rgba(red: UInt8, green: UInt8, blue: UInt8) -> [UInt8] { coverage.flatMap { [red, green, blue, $0] } }

    /// Returns the icon in a colour for X11 and Cairo: four bytes for each pixel (blue, green, red, alpha;
    /// premultiplied).
    public func premultipliedBGRA(red: UInt8, green: UInt8, blue: UInt8) -> [UInt8] {
        let colour: [UInt8] = [blue, green, red, 255]
        return coverage.flatMap { alpha in
            colour.map { channel -> UInt8 in
                let product = Int(channel) * Int(alpha)
                return UInt8((product + 127) / 255)
            }
        }
    }

    /// Creates an icon of `edge` by `edge` pixels, which `draw` draws with Cairo in a unit square; nil if there is no
    /// memory.
    init?(edge: Int, _ draw: (OpaquePointer) -> Void) {
        guard let surface = cairo_image_surface_create(CAIRO_FORMAT_A8, Int32(clamping: edge), Int32(clamping: edge))
        else { return nil }
        defer { cairo_surface_destroy(surface) }
        guard cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS, let cairo = cairo_create(surface) else {
            return nil
        }
        cairo_scale(cairo, Double(edge), Double(edge))
        draw(cairo)
        cairo_destroy(cairo)
        cairo_surface_flush(surface)
        guard let pixels = cairo_image_surface_get_data(surface) else { return nil }
        let stride = Int(cairo_image_surface_get_stride(surface))
        (width, height) = (edge, edge)
        coverage = (0..<edge).flatMap { row in UnsafeBufferPointer(start: pixels + row * stride, count: edge) }
    }
}

extension PictureInPictureController {
    /// Returns the icon of a button that starts Picture-in-Picture.
    ///
    /// - Parameter edge: The width and height in pixels, clamped to 8 to 1024.
    /// - Returns: The icon; nil if there is no memory.
    nonisolated public static func pictureInPictureButtonStartImage(edge: Int = 32) -> TemplateImage? {
        buttonImage(edge, starts: true)
    }

    /// Returns the icon of a button that stops Picture-in-Picture.
    ///
    /// - Parameter edge: The width and height in pixels, clamped to 8 to 1024.
    /// - Returns: The icon; nil if there is no memory.
    nonisolated public static func pictureInPictureButtonStopImage(edge: Int = 32) -> TemplateImage? {
        buttonImage(edge, starts: false)
    }

    /// Draws the icon of a Picture-in-Picture button: a screen with a small screen in front of it, and an arrow from
    /// the large to the small screen if `starts` is true, otherwise back.
    nonisolated private static func buttonImage(_ edge: Int, starts: Bool) -> TemplateImage? {
        TemplateImage(edge: min(max(edge, 8), 1024)) { cairo in
            cairo_set_line_width(cairo, 0.07)
            cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND)
            cairo_set_line_cap(cairo, CAIRO_LINE_CAP_ROUND)
            // The outline of the large screen, without the corner that the small screen covers.
            cairo_move_to(cairo, 0.42, 0.80)
            cairo_line_to(cairo, 0.08, 0.80)
            cairo_line_to(cairo, 0.08, 0.18)
            cairo_line_to(cairo, 0.92, 0.18)
            cairo_line_to(cairo, 0.92, 0.44)
            cairo_stroke(cairo)
            cairo_rectangle(cairo, 0.54, 0.56, 0.40, 0.28)
            cairo_fill(cairo)
            let (tail, tip) = starts ? (0.22, 0.44) : (0.44, 0.22), head = starts ? -0.14 : 0.14
            cairo_move_to(cairo, tail, tail + 0.08)
            cairo_line_to(cairo, tip, tip + 0.08)
            cairo_move_to(cairo, tip + head, tip + 0.08)
            cairo_line_to(cairo, tip, tip + 0.08)
            cairo_line_to(cairo, tip, tip + 0.08 + head)
            cairo_stroke(cairo)
        }
    }
}
