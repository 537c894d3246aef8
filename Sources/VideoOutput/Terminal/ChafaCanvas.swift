import CChafa
import SharedFrames

/// libchafa's canvas for one size and kind of terminal: general symbols and sixels.
///
/// Not for two threads at once. libchafa spreads the work over threads of its own.
final class ChafaCanvas {
    struct Shape: Equatable {
        var columns: Int
        var rows: Int
        var cellWidth: Int
        var cellHeight: Int
        var colours: TerminalColours
        var isSixel: Bool
        /// For fonts with half blocks at most.
        var halvesOnly: Bool
        var pixels: PixelSize { PixelSize(width: columns * cellWidth, height: rows * cellHeight) }
    }

    /// The samples of a symbol, across and down, as libchafa compares them.
    static let symbolSamples = 8

    let shape: Shape
    private let configuration: OpaquePointer

    /// - Parameter shape: sizes of at least 1.
    init?(_ shape: Shape) {
        guard let configuration = chafa_canvas_config_new(), let symbols = chafa_symbol_map_new() else { return nil }
        defer { chafa_symbol_map_unref(symbols) }
        self.shape = shape
        self.configuration = configuration
        let tags =
            shape.halvesOnly
            ? CHAFA_SYMBOL_TAG_SPACE.rawValue | CHAFA_SYMBOL_TAG_SOLID.rawValue | CHAFA_SYMBOL_TAG_HHALF.rawValue
            : CHAFA_SYMBOL_TAG_SPACE.rawValue | CHAFA_SYMBOL_TAG_BLOCK.rawValue | CHAFA_SYMBOL_TAG_BORDER.rawValue
        chafa_symbol_map_add_by_tags(symbols, ChafaSymbolTags(rawValue: tags))
        chafa_canvas_config_set_geometry(configuration, Int32(shape.columns), Int32(shape.rows))
        chafa_canvas_config_set_cell_geometry(configuration, Int32(shape.cellWidth), Int32(shape.cellHeight))
        chafa_canvas_config_set_symbol_map(configuration, symbols)
        chafa_canvas_config_set_pixel_mode(
            configuration, shape.isSixel ? CHAFA_PIXEL_MODE_SIXELS : CHAFA_PIXEL_MODE_SYMBOLS)
        let mode =
            switch shape.colours {
            case .direct: CHAFA_CANVAS_MODE_TRUECOLOR
            case .indexed256: CHAFA_CANVAS_MODE_INDEXED_240
            case .indexed16: CHAFA_CANVAS_MODE_INDEXED_16
            }
        chafa_canvas_config_set_canvas_mode(configuration, shape.isSixel ? CHAFA_CANVAS_MODE_INDEXED_256 : mode)
        // The least work: a picture is seen for a thirtieth of a second. Preprocessing changes contrast from frame to
        // frame.
        chafa_canvas_config_set_work_factor(configuration, 0)
        chafa_canvas_config_set_preprocessing_enabled(
            configuration, shape.colours == .indexed16 && !shape.isSixel ? 1 : 0)
    }

    deinit { chafa_canvas_config_unref(configuration) }

    /// Draws BGRA pixels (alpha 255) of `shape.pixels` into a part of `grid`.
    func drawSymbols(_ pixels: UnsafePointer<UInt8>, x: Int, y: Int, into grid: inout CellGrid) {
        withCanvas(pixels) { canvas in
            for row in 0..<shape.rows {
                for column in 0..<shape.columns {
                    var foreground: Int32 = 0, background: Int32 = 0
                    chafa_canvas_get_raw_colors_at(canvas, Int32(column), Int32(row), &foreground, &background)
                    grid[x + column, y + row] = TerminalCell(
                        scalar: chafa_canvas_get_char_at(canvas, Int32(column), Int32(row)),
                        foreground: Self.colour(foreground), background: Self.colour(background))
                }
            }
        }
    }

    /// The sixel sequence of BGRA pixels (alpha 255) of `shape.pixels`.
    func encodeSixels(_ pixels: UnsafePointer<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        withCanvas(pixels) { canvas in
            // The database's own fallback knows every sequence; it belongs to us and goes with `unref`.
            guard let info = chafa_term_db_get_fallback_info(chafa_term_db_get_default()) else { return }
            defer { chafa_term_info_unref(info) }
            guard let text = chafa_canvas_print(canvas, info) else { return }
            defer { g_string_free(text, 1) }
            let buffer = UnsafeRawBufferPointer(start: text.pointee.str, count: Int(text.pointee.len))
            result = Array(buffer)
        }
        return result
    }

    private static func colour(_ raw: Int32) -> UInt32 { raw < 0 ? TerminalCell.defaultColour : UInt32(raw) }

    private func withCanvas(_ pixels: UnsafePointer<UInt8>, _ body: (OpaquePointer) -> Void) {
        guard let canvas = chafa_canvas_new(configuration) else { return }
        defer { chafa_canvas_unref(canvas) }
        let size = shape.pixels
        chafa_canvas_draw_all_pixels(
            canvas, CHAFA_PIXEL_BGRA8_PREMULTIPLIED, pixels, Int32(size.width), Int32(size.height),
            Int32(size.width * 4))
        body(canvas)
    }
}
