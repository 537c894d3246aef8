import CCairo
import CPango
import SharedFrames

/// Draws text with Pango, in every script of the installed fonts, from left to right or from right to left. Pango and
/// the fonts are loaded when the first text is drawn.
extension CairoDrawing {
    /// The horizontal alignment of a line of text in its rectangle.
    package enum Alignment: Sendable { case left, middle, right }

    /// Draws a line of text in a rectangle. Text that does not fit ends with an ellipsis.
    ///
    /// - Returns: The width of the drawn text in pixels.
    @discardableResult
    package func drawText(
        _ text: String, in rect: PixelRect, size: Double, isBold: Bool = false, _ alignment: Alignment = .left
    ) -> Int {
        guard let line = TextLine(text, size, isBold: isBold, maximumWidth: rect.width, context) else { return 0 }
        let width = Int(line.extents.width)
        let x =
            switch alignment {
            case .left: rect.x
            case .middle: rect.x + (rect.width - width) / 2
            case .right: rect.x + rect.width - width
            }
        line.move(to: x, in: rect)
        pango_cairo_show_layout(context, line.layout)
        return width
    }

    /// Draws a line of white text on a dark background of the text's width, in the middle of a rectangle.
    func drawLabel(_ text: String, in rect: PixelRect, size: Double) {
        let inset = Int(size / 2)
        guard let line = TextLine(text, size, isBold: false, maximumWidth: rect.width - 2 * inset, context) else {
            return
        }
        let width = Int(line.extents.width) + 2 * inset, x = rect.x + (rect.width - width) / 2
        setRoundedRectangle(PixelRect(x: x, y: rect.y, width: width, height: rect.height), radius: 4)
        setGrey(0, 0.7)
        fill()
        setGrey(1)
        line.move(to: x + inset, in: rect)
        pango_cairo_show_layout(context, line.layout)
    }

    /// Draws white text with a dark outline, which is readable on any picture.
    func drawOutlinedText(_ text: String, in rect: PixelRect, size: Double) {
        let inset = Int(size / 8)
        guard let line = TextLine(text, size, isBold: true, maximumWidth: rect.width - 2 * inset, context) else {
            return
        }
        cairo_new_path(context)
        line.move(to: rect.x + inset, in: rect)
        pango_cairo_layout_path(context, line.layout)
        cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND)
        setGrey(0, 0.9)
        stroke(size / 5)
        setGrey(1)
        // Draw the text itself instead of filling its path: glyphs of colour and bitmap fonts have no path.
        line.move(to: rect.x + inset, in: rect)
        pango_cairo_show_layout(context, line.layout)
    }
}

/// A line of text with its Pango layout.
private final class TextLine {
    /// Pango's layout of the line of text. This object owns it and releases it.
    let layout: OpaquePointer
    /// The bounding box of the line of text relative to the origin of the Pango layout, in pixels.
    let extents: PangoRectangle
    /// The Cairo context in which the line is drawn.
    private let context: OpaquePointer

    /// The maximum length of a line of text, in characters. Longer text is cut before Pango lays it out, because no
    /// window is wide enough to show more.
    private static let maximumLength = 300

    /// Lays out a text in one line; nil if Pango cannot be used.
    ///
    /// - Parameter maximumWidth: The maximum width of the line in pixels.
    init?(_ text: String, _ size: Double, isBold: Bool, maximumWidth: Int, _ context: OpaquePointer) {
        guard maximumWidth > 0, size > 0, let layout = pango_cairo_create_layout(context) else { return nil }
        self.layout = layout
        self.context = context
        let font = pango_font_description_new()
        defer { pango_font_description_free(font) }
        pango_font_description_set_family(font, "sans-serif")
        pango_font_description_set_weight(font, Int32(isBold ? CPANGO_WEIGHT_BOLD : CPANGO_WEIGHT_NORMAL))
        pango_font_description_set_absolute_size(font, size * Double(CPANGO_SCALE))
        pango_layout_set_font_description(layout, font)
        // A title comes from a file, so it may have any length and contain any character.
        let line = String(text.prefix(Self.maximumLength).map { $0.isNewline || $0 == "\0" ? " " : $0 })
        pango_layout_set_single_paragraph_mode(layout, 1)
        pango_layout_set_ellipsize(layout, Int32(CPANGO_ELLIPSIZE_END))
        pango_layout_set_width(layout, Int32(clamping: maximumWidth * CPANGO_SCALE))
        pango_layout_set_text(layout, line, -1)
        var boundingBox = PangoRectangle()
        pango_layout_get_pixel_extents(layout, nil, &boundingBox)
        extents = boundingBox
    }

    deinit { g_object_unref(UnsafeMutableRawPointer(layout)) }

    /// Moves Cairo's current point so that the line begins at `x`, in any script, and is vertically centred in a
    /// rectangle.
    func move(to x: Int, in rect: PixelRect) {
        let top = Double(rect.y) + Double(rect.height - Int(extents.height)) / 2
        cairo_move_to(context, Double(x - Int(extents.x)), top - Double(extents.y))
    }
}
