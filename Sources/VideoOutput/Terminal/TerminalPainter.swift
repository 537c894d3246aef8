import SharedFrames

/// Turns frames into what a terminal can show: scales to the samples that will be seen and no more, then picks
/// characters or encodes an image.
///
/// Not for two threads at once: it keeps its scaler and its pixels.
final class TerminalPainter {
    /// The work put into symbols.
    let detail: TerminalDetail
    private let scaler = PictureScaler()
    private var pixels: [UInt32] = []
    private var canvas: ChafaCanvas?
    /// What lies over the pictures.
    private var overlay: OverlayPicture?

    init(detail: TerminalDetail) { self.detail = detail }

    /// - Returns: nil when the frame's format cannot be converted.
    func paint(
        _ frame: VideoFrame, overlay: OverlayPicture? = nil, geometry: TerminalGeometry, abilities: TerminalAbilities,
        mode: TerminalMode,
        gravity: VideoGravity
    ) -> TerminalContent? {
        self.overlay = overlay
        let (cells, source) = geometry.place(frame.format, gravity: gravity)
        return frame.withPicture { memory in
            paint(Picture(memory: memory, format: frame.format, source: source), geometry, abilities, cells, mode)
        }
    }

    /// Turns a picture into characters; nil when its format cannot be converted.
    func paintSymbols(
        _ memory: PictureMemory, _ format: FrameFormat, geometry: TerminalGeometry, colours: TerminalColours,
        halvesOnly: Bool
    ) -> CellGrid? {
        overlay = nil
        let (cells, source) = geometry.place(format, gravity: .resizeAspect)
        return paintSymbols(
            Picture(memory: memory, format: format, source: source), geometry, colours, halvesOnly: halvesOnly, cells)
    }

    /// Some of the samples in memory that somebody holds open.
    private struct Picture {
        let memory: PictureMemory
        let format: FrameFormat
        let source: PixelRect
    }

    private func paint(
        _ picture: Picture, _ geometry: TerminalGeometry, _ abilities: TerminalAbilities, _ cells: PixelRect,
        _ mode: TerminalMode
    ) -> TerminalContent? {
        switch mode {
        case .automatic, .symbols:
            return paintSymbols(picture, geometry, abilities.colours, halvesOnly: abilities.isPlainConsole, cells).map {
                .cells($0)
            }
        case .kitty:
            let size = Self.samples(cells, geometry, mode)
            guard scale(picture, to: size) else { return nil }
            let bytes = pixels.withUnsafeBufferPointer { buffer in
                buffer.baseAddress.map { KittyImage.encode($0, size: size, columns: cells.width, rows: cells.height) }
            }
            return bytes.map { .image(TerminalImage(bytes: $0, cells: cells, geometry: geometry, isKitty: true)) }
        case .sixel:
            let shape = ChafaCanvas.Shape(
                columns: cells.width, rows: cells.height, cellWidth: geometry.cellWidth,
                cellHeight: geometry.cellHeight,
                colours: abilities.colours, isSixel: true, halvesOnly: false)
            var bytes: [UInt8] = []
            guard withChafa(shape, picture, { bytes = $0.encodeSixels($1) }) else { return nil }
            return .image(TerminalImage(bytes: bytes, cells: cells, geometry: geometry, isKitty: false))
        }
    }

    /// The samples of a picture that covers some cells. An overlay is made for them.
    static func samples(_ cells: PixelRect, _ geometry: TerminalGeometry, _ mode: TerminalMode) -> PixelSize {
        let pixels = PixelSize(width: cells.width * geometry.cellWidth, height: cells.height * geometry.cellHeight)
        return switch mode {
        case .kitty: KittyImage.transmitted(pixels)
        case .sixel: pixels
        case .automatic, .symbols:
            PixelSize(width: cells.width * BlockCanvas.samplesAcross, height: cells.height * BlockCanvas.samplesDown)
        }
    }

    private func paintSymbols(
        _ picture: Picture, _ geometry: TerminalGeometry, _ colours: TerminalColours, halvesOnly: Bool,
        _ cells: PixelRect
    ) -> CellGrid? {
        // Letters are written: in blocks nobody could read them.
        let words = overlay?.text ?? ""
        if !words.isEmpty { overlay = nil }
        var grid = CellGrid(columns: geometry.columns, rows: geometry.pictureRows, colours: colours)
        if detail == .fine || colours == .indexed16 {
            let shape = ChafaCanvas.Shape(
                columns: cells.width, rows: cells.height, cellWidth: ChafaCanvas.symbolSamples,
                cellHeight: ChafaCanvas.symbolSamples, colours: colours, isSixel: false,
                halvesOnly: halvesOnly)
            guard withChafa(shape, picture, { $0.drawSymbols($1, x: cells.x, y: cells.y, into: &grid) }) else {
                return nil
            }
        } else {
            let size = PixelSize(
                width: cells.width * BlockCanvas.samplesAcross, height: cells.height * BlockCanvas.samplesDown)
            guard scale(picture, to: size) else { return nil }
            let blocks = BlockCanvas(halvesOnly: halvesOnly)
            pixels.withUnsafeBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return }
                blocks.draw(base, x: cells.x, y: cells.y, width: cells.width, height: cells.height, into: &grid)
            }
        }
        if !words.isEmpty { grid.writeSubtitles(words, in: cells) }
        return grid
    }

    /// Scales for libchafa, which wants an alpha of 255, and lets it draw; false when the frame cannot be converted.
    private func withChafa(
        _ shape: ChafaCanvas.Shape, _ picture: Picture, _ body: (ChafaCanvas, UnsafePointer<UInt8>) -> Void
    ) -> Bool {
        guard scale(picture, to: shape.pixels) else { return false }
        for index in pixels.indices { pixels[index] |= 0xff00_0000 }
        if canvas?.shape != shape { canvas = ChafaCanvas(shape) }
        guard let canvas else { return false }
        pixels.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return }
            body(canvas, base.assumingMemoryBound(to: UInt8.self))
        }
        return true
    }

    private func scale(_ picture: Picture, to size: PixelSize) -> Bool {
        let count = size.width * size.height
        guard count > 0 else { return false }
        if pixels.count != count { pixels = [UInt32](repeating: 0, count: count) }
        guard Self.scale(picture, to: size, with: scaler, into: &pixels) else { return false }
        if let overlay, overlay.size == size {
            pixels.withUnsafeMutableBytes { buffer in
                if let base = buffer.baseAddress {
                    OverlayBlender.blend(overlay, into: base, size: size, stride: size.width * 4)
                }
            }
        }
        return true
    }

    private static func scale(
        _ picture: Picture, to size: PixelSize, with scaler: PictureScaler, into pixels: inout [UInt32]
    ) -> Bool {
        pixels.withUnsafeMutableBytes { buffer in
            guard let base = buffer.baseAddress else { return false }
            return scaler.draw(
                picture.memory, format: picture.format, source: picture.source, into: base, size: size,
                stride: size.width * 4)
        }
    }
}
