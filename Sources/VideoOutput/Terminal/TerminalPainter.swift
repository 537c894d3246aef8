import SharedFrames

/// A converter of frames to terminal content: scales a frame to the number of samples that the terminal can show, then
/// selects characters or encodes an image.
///
/// Not thread-safe: the object reuses its scaler and its pixels.
final class TerminalPainter {
    /// The quality and cost of pictures that consist of characters.
    let detail: TerminalDetail
    /// The scaler that converts frames to BGRX and scales them.
    private let scaler = PictureScaler()
    /// The scaled pixels of the last frame.
    private var pixels: [UInt32] = []
    /// The libchafa canvas for the size and kind of the last picture; nil if no picture needed one.
    private var canvas: ChafaCanvas?
    /// The encoder of sixel images; nil before the first one.
    private var sixelEncoder: SixelEncoder?
    /// Whether ``sixelEncoder`` uses the palette of 16 colours.
    private var hasSmallSixelPalette = false
    /// Whether more sixel colours were requested from the terminal.
    private var hasRequestedSixelColours = false
    /// The overlay that is drawn over the next picture.
    private var overlay = Overlay()

    /// An overlay: text for pictures that consist of characters, and pixels for images.
    struct Overlay {
        /// The text; empty without text.
        var text = ""
        /// Draws the overlay's pixels over BGRX pixels of a size, with a distance between rows in bytes; nil without
        /// pixels.
        var draw: ((UnsafeMutableRawPointer, PixelSize, Int) -> Void)?
    }

    /// Creates a converter that has not allocated its buffers yet.
    init(detail: TerminalDetail) { self.detail = detail }

    /// Converts a frame to the content of a terminal's picture area.
    ///
    /// - Returns: Nil if the frame's format cannot be converted.
    func paint(
        _ frame: VideoFrame, overlay: OverlayPicture? = nil, geometry: TerminalGeometry,
        capabilities: TerminalCapabilities,
        mode: TerminalMode,
        gravity: VideoGravity
    ) -> TerminalContent? {
        var style = TerminalPictureStyle(capabilities, mode: mode)
        style.mode = mode
        self.overlay =
            overlay.map { picture in
                Overlay(text: picture.text) { pixels, size, stride in
                    if picture.size == size { OverlayBlender.blend(picture, into: pixels, size: size, stride: stride) }
                }
            } ?? Overlay()
        let (cells, source) = geometry.pictureArea(
            for: frame.format, gravity: gravity, maximumSize: capabilities.maximumImageSize(mode, geometry))
        let passthrough = capabilities.passthrough
        let hasPlaceholders = mode == .kitty && passthrough?.multiplexer == .tmux
        return frame.withPicture { memory in
            paint(
                Picture(memory: memory, format: frame.format, source: source), geometry, style, cells,
                imageNumber: hasPlaceholders ? KittyImageEncoder.placeholderImageNumber : 1, passthrough: passthrough)
        }
    }

    /// Converts a picture to the content of a region of a terminal. Returns nil if the picture's format cannot be
    /// converted.
    func paint(
        _ memory: PictureMemory, _ format: FrameFormat, overlay: Overlay, in region: TerminalRegion,
        style: TerminalPictureStyle
    ) -> TerminalContent? {
        self.overlay = overlay
        let (cells, source) = region.geometry.pictureArea(for: format, gravity: .resizeAspect)
        return paint(
            Picture(memory: memory, format: format, source: source), region.geometry, style, cells,
            imageNumber: style.imageNumber, passthrough: style.passthrough)
    }

    /// A part of a picture whose memory the caller keeps valid.
    private struct Picture {
        let memory: PictureMemory
        let format: FrameFormat
        /// The visible part of the picture, in decoded samples.
        let source: PixelRect
    }

    /// Converts a picture to characters or an image, depending on the drawing mode.
    private func paint(
        _ picture: Picture, _ geometry: TerminalGeometry, _ style: TerminalPictureStyle, _ cells: PixelRect,
        imageNumber: Int = 1, passthrough: TerminalPassthrough? = nil
    ) -> TerminalContent? {
        switch style.mode {
        case .automatic, .symbols, .halfBlocks, .halfBlocks256:
            return paintSymbols(picture, geometry, style, cells).map { .cells($0) }
        case .kitty:
            let size = Self.sizeInSamples(cells, geometry, style.mode)
            guard scale(picture, to: size) else { return nil }
            let bytes = pixels.withUnsafeBufferPointer { buffer in
                buffer.baseAddress.map {
                    KittyImageEncoder.encode(
                        $0, size: size, columns: cells.width, rows: cells.height, imageNumber: imageNumber,
                        hasPlaceholders: passthrough?.multiplexer == .tmux)
                }
            }
            return bytes.map {
                .image(
                    TerminalImage(
                        bytes: $0, cells: cells, geometry: geometry, isKitty: true, imageNumber: imageNumber,
                        passthrough: passthrough))
            }
        case .sixel:
            let size = Self.sizeInSamples(cells, geometry, style.mode)
            guard let bytes = encodeSixels(picture, to: size, isSmall: !style.hasFullSixelPalette) else { return nil }
            return .image(
                TerminalImage(bytes: bytes, cells: cells, geometry: geometry, isKitty: false, passthrough: passthrough))
        }
    }

    /// Returns the sixel sequence of a picture; nil if the picture's format cannot be converted.
    ///
    /// - Parameter isSmall: Whether the palette has 16 colours.
    private func encodeSixels(_ picture: Picture, to size: PixelSize, isSmall: Bool) -> [UInt8]? {
        guard scale(picture, to: size) else { return nil }
        if sixelEncoder == nil || isSmall != hasSmallSixelPalette {
            sixelEncoder = SixelEncoder(palette: isSmall ? .small : .full)
            hasSmallSixelPalette = isSmall
        }
        let sequence = pixels.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.flatMap { sixelEncoder?.encode($0, size: size) }
        }
        guard isSmall, !hasRequestedSixelColours, let sequence else { return sequence }
        // Request 256 colours (XTSMGRAPHICS). The reply changes `sixelColourCount`.
        hasRequestedSixelColours = true
        return Array("\u{1b}[?1;3;256S".utf8) + sequence
    }

    /// Returns the size in samples to which a picture that covers `cells` is scaled. An overlay for that picture has
    /// the same size.
    static func sizeInSamples(_ cells: PixelRect, _ geometry: TerminalGeometry, _ mode: TerminalMode) -> PixelSize {
        let pixels = PixelSize(width: cells.width * geometry.cellWidth, height: cells.height * geometry.cellHeight)
        return switch mode {
        case .kitty: KittyImageEncoder.transmittedSize(for: pixels)
        case .sixel: pixels
        case .automatic, .symbols, .halfBlocks, .halfBlocks256:
            PixelSize(width: cells.width * BlockCanvas.samplesAcross, height: cells.height * BlockCanvas.samplesDown)
        }
    }

    /// Converts a picture to characters that cover `cells`.
    private func paintSymbols(
        _ picture: Picture, _ geometry: TerminalGeometry, _ style: TerminalPictureStyle, _ cells: PixelRect
    ) -> CellGrid? {
        let (colours, hasOnlyHalfBlocks) = (style.colours, style.hasOnlyHalfBlocks)
        // Write subtitles as text, because letters drawn with blocks would be illegible.
        let subtitles = overlay.text
        if !subtitles.isEmpty { overlay = Overlay() }
        var grid = CellGrid(columns: geometry.columns, rows: geometry.pictureRows, colours: colours)
        if detail == .fine {
            let shape = ChafaCanvas.Shape(
                columns: cells.width, rows: cells.height, cellWidthInPixels: ChafaCanvas.symbolRasterLength,
                cellHeightInPixels: ChafaCanvas.symbolRasterLength, colours: colours,
                hasOnlyHalfBlocks: hasOnlyHalfBlocks)
            guard withChafa(shape, picture, { $0.drawSymbols($1, x: cells.x, y: cells.y, into: &grid) }) else {
                return nil
            }
        } else {
            let size = PixelSize(
                width: cells.width * BlockCanvas.samplesAcross, height: cells.height * BlockCanvas.samplesDown)
            guard scale(picture, to: size) else { return nil }
            let blockCanvas = BlockCanvas(hasOnlyHalfBlocks: hasOnlyHalfBlocks)
            pixels.withUnsafeBufferPointer { buffer in
                guard let baseAddress = buffer.baseAddress else { return }
                blockCanvas.draw(
                    baseAddress, x: cells.x, y: cells.y, width: cells.width, height: cells.height, into: &grid)
            }
        }
        if !subtitles.isEmpty { grid.writeSubtitles(subtitles, in: cells) }
        return grid
    }

    /// Scales a picture for libchafa, which requires an alpha of 255, and calls `body` with the canvas and the pixels.
    /// Returns false if the picture cannot be converted.
    private func withChafa(
        _ shape: ChafaCanvas.Shape, _ picture: Picture, _ body: (ChafaCanvas, UnsafePointer<UInt8>) -> Void
    ) -> Bool {
        guard scale(picture, to: shape.pixelSize) else { return false }
        for index in pixels.indices { pixels[index] |= 0xff00_0000 }
        if canvas?.shape != shape { canvas = ChafaCanvas(shape) }
        guard let canvas else { return false }
        pixels.withUnsafeBytes { buffer in
            guard let baseAddress = buffer.baseAddress else { return }
            body(canvas, baseAddress.assumingMemoryBound(to: UInt8.self))
        }
        return true
    }

    /// Scales a picture into ``pixels`` and blends the overlay over it. Returns false if the format cannot be
    /// converted.
    private func scale(_ picture: Picture, to size: PixelSize) -> Bool {
        let count = size.width * size.height
        guard count > 0 else { return false }
        if pixels.count != count { pixels = [UInt32](repeating: 0, count: count) }
        guard Self.scale(picture, to: size, with: scaler, into: &pixels) else { return false }
        if let draw = overlay.draw {
            pixels.withUnsafeMutableBytes { buffer in
                if let baseAddress = buffer.baseAddress { draw(baseAddress, size, size.width * 4) }
            }
        }
        return true
    }

    /// Scales a picture into BGRX pixels. Returns false if the format cannot be converted.
    private static func scale(
        _ picture: Picture, to size: PixelSize, with scaler: PictureScaler, into pixels: inout [UInt32]
    ) -> Bool {
        pixels.withUnsafeMutableBytes { buffer in
            guard let baseAddress = buffer.baseAddress else { return false }
            return scaler.draw(
                picture.memory, format: picture.format, source: picture.source, into: baseAddress, size: size,
                stride: size.width * 4)
        }
    }
}
