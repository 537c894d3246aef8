import CChafa
import SharedFrames

/// A canvas of libchafa for one size and kind of terminal, which draws symbols.
///
/// Not thread-safe. libchafa distributes its work over its own threads.
final class ChafaCanvas {
    /// The size and kind of a canvas. A canvas cannot change its shape.
    struct Shape: Equatable {
        var columns: Int
        var rows: Int
        var cellWidthInPixels: Int
        var cellHeightInPixels: Int
        var colours: TerminalColours
        /// Whether the font has no quarter blocks, only half blocks.
        var hasOnlyHalfBlocks: Bool
        /// The size of the pictures that the canvas accepts.
        var pixelSize: PixelSize { PixelSize(width: columns * cellWidthInPixels, height: rows * cellHeightInPixels) }
    }

    /// The width and the height, in samples, of the raster in which libchafa compares a symbol with the picture.
    static let symbolRasterLength = 8

    /// The size and kind of the canvas.
    let shape: Shape
    /// libchafa's configuration; this object owns one reference.
    private let configuration: OpaquePointer

    /// Configures libchafa; returns nil if it cannot allocate memory. All sizes of `shape` are at least 1.
    init?(_ shape: Shape) {
        guard let configuration = chafa_canvas_config_new(), let symbols = chafa_symbol_map_new() else { return nil }
        defer { chafa_symbol_map_unref(symbols) }
        self.shape = shape
        self.configuration = configuration
        let symbolTags =
            shape.hasOnlyHalfBlocks
            ? CHAFA_SYMBOL_TAG_SPACE.rawValue | CHAFA_SYMBOL_TAG_SOLID.rawValue | CHAFA_SYMBOL_TAG_HHALF.rawValue
            : CHAFA_SYMBOL_TAG_SPACE.rawValue | CHAFA_SYMBOL_TAG_BLOCK.rawValue | CHAFA_SYMBOL_TAG_BORDER.rawValue
        chafa_symbol_map_add_by_tags(symbols, ChafaSymbolTags(rawValue: symbolTags))
        chafa_canvas_config_set_geometry(configuration, Int32(shape.columns), Int32(shape.rows))
        chafa_canvas_config_set_cell_geometry(
            configuration, Int32(shape.cellWidthInPixels), Int32(shape.cellHeightInPixels))
        chafa_canvas_config_set_symbol_map(configuration, symbols)
        chafa_canvas_config_set_pixel_mode(configuration, CHAFA_PIXEL_MODE_SYMBOLS)
        let mode =
            switch shape.colours {
            case .direct: CHAFA_CANVAS_MODE_TRUECOLOR
            case .indexed256: CHAFA_CANVAS_MODE_INDEXED_240
            case .indexed16: CHAFA_CANVAS_MODE_INDEXED_16
            }
        chafa_canvas_config_set_canvas_mode(configuration, mode)
        // Use libchafa's fastest settings, because each video frame is visible for only about a thirtieth of a second.
        // Preprocessing would change the contrast from frame to frame.
        chafa_canvas_config_set_work_factor(configuration, 0)
        chafa_canvas_config_set_preprocessing_enabled(
            configuration, shape.colours == .indexed16 ? 1 : 0)
    }

    deinit { chafa_canvas_config_unref(configuration) }

    /// Draws BGRA pixels (alpha 255) of `shape.pixelSize` into a part of `grid`.
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

    /// Converts libchafa's colour, which is negative for the terminal's default colour.
    private static func colour(_ rawColour: Int32) -> UInt32 {
        rawColour < 0 ? TerminalCell.defaultColour : UInt32(rawColour)
    }

    /// Calls `body` with a canvas that shows `pixels`.
    private func withCanvas(_ pixels: UnsafePointer<UInt8>, _ body: (OpaquePointer) -> Void) {
        guard let canvas = chafa_canvas_new(configuration) else { return }
        defer { chafa_canvas_unref(canvas) }
        let size = shape.pixelSize
        chafa_canvas_draw_all_pixels(
            canvas, CHAFA_PIXEL_BGRA8_PREMULTIPLIED, pixels, Int32(size.width), Int32(size.height),
            Int32(size.width * 4))
        body(canvas)
    }
}
