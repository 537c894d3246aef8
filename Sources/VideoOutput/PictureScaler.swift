import CSwscale
import SharedFrames

/// Converts, scales and turns pictures into BGRX pixels (8 bits each, blue first, the fourth byte undefined to the
/// eye).
///
/// Most pictures take one pass, libswscale's. A second one is paid for by pictures that are turned, by those with alpha
/// (blended on black), and by those whose colours are not those of a screen (``ColourMapper``).
///
/// Not for two threads at once: it keeps the scaler for the last pair of shapes.
package final class PictureScaler {
    struct Key: Equatable {
        var format: FrameFormat
        var source: PixelRect
        var target: PixelSize
        /// What is done before libswscale has its turn.
        let reducer: PictureReducer?

        init(format: FrameFormat, source: PixelRect, target: PixelSize) {
            (self.format, self.source, self.target) = (format, source, target)
            reducer = PictureReducer(format, source: source, target: target)
        }

        /// The picture that libswscale sees, and its name for the format.
        var scaled: (size: PixelSize, format: String) {
            guard let reducer else {
                return (
                    PixelSize(width: source.width, height: source.height / lineStep), format.layout.pixelFormat.name
                )
            }
            return (reducer.size, format.isFullRange ? "yuvj422p" : "yuv422p")
        }

        /// Of how many lines one is looked at. Of a picture that is four times as high as its place, or more, two lines
        /// are averaged into one, with all that is in them, as a graphics card's bilinear filter does; the others are
        /// left out. That halves the cost.
        var lineStep: Int {
            var step = 1
            // Chroma that is shared by four lines must still come out even.
            while source.height % (step * 8) == 0, source.height / (step * 2) >= 2 * target.height { step *= 2 }
            return step
        }
    }

    private var key: Key?
    /// Owned: freed when replaced and at the end.
    private var context: OpaquePointer?
    private var mapper: ColourMapper?
    private var hasAlpha = false
    private let turned = ScratchMemory()
    private let samples = ScratchMemory()
    private let reduced = ScratchMemory()

    package init() {}

    deinit { sws_freeContext(context) }

    /// Draws the `source` part of `picture` (in samples as decoded) into `target`, turned as the format says:
    /// `size.height` rows, `stride` bytes apart.
    ///
    /// - Returns: false when the format cannot be converted; nothing was drawn then.
    package func draw(
        _ picture: PictureMemory, format: FrameFormat, source: PixelRect, into target: UnsafeMutableRawPointer,
        size: PixelSize,
        stride: Int
    ) -> Bool {
        let orientation = format.attributes.orientation
        guard orientation != .upright, !size.isEmpty else {
            return drawUpright(picture, format: format, source: source, into: target, size: size, stride: stride)
        }
        let lying = orientation.turned(size), row = Self.padded(lying.width * 4)
        let pixels = turned.reserve(row * lying.height + Self.slack)
        guard drawUpright(picture, format: format, source: source, into: pixels, size: lying, stride: row) else {
            return false
        }
        PictureTurn.copy(pixels, size: lying, stride: row, orientation: orientation, to: target, targetStride: stride)
        return true
    }

    /// A scaler's widest stores may reach so far beyond the last pixel.
    private static let slack = 4096
    private static func padded(_ bytes: Int) -> Int { (bytes + 127) & ~63 }

    private func drawUpright(
        _ picture: PictureMemory, format: FrameFormat, source: PixelRect, into target: UnsafeMutableRawPointer,
        size: PixelSize,
        stride: Int
    ) -> Bool {
        var source = source
        // Packed formats share chroma between two pixels: a cut goes between pairs.
        if format.layout.pixelFormat.isPackedChroma { source.x &= ~1 }
        let key = Key(format: format, source: source, target: size)
        if key != self.key {
            sws_freeContext(context)
            (context, hasAlpha) = Self.makeContext(key)
            mapper = ColourMapper.needed(for: format, keeping: mapper)
            self.key = key
        }
        guard let context else { return false }
        guard let mapper else {
            guard scale(context, picture, key, to: [(target, stride)]) else { return false }
            if format.isLimitedGray { GrayRange.stretch(target, size: size, stride: stride) }
            if hasAlpha { AlphaBlend.onBlack(target, size: size, stride: stride) }
            return true
        }
        let row = Self.padded(size.width * 2), plane = row * size.height
        let memory = samples.reserve(plane * 3 + Self.slack)
        guard scale(context, picture, key, to: (0..<3).map { (memory + $0 * plane, row) }) else { return false }
        mapper.draw(memory, plane: plane, row: row, into: target, size: size, stride: stride)
        return true
    }

    private func scale(
        _ context: OpaquePointer, _ picture: PictureMemory, _ key: Key,
        to target: [(start: UnsafeMutableRawPointer, stride: Int)]
    ) -> Bool {
        // FFmpeg takes four planes whatever the format.
        var planes = [UnsafePointer<UInt8>?](repeating: nil, count: 4), strides = [Int32](repeating: 0, count: 4)
        for (index, plane) in self.planes(of: picture, key).enumerated() where index < 4 {
            planes[index] = plane.start.assumingMemoryBound(to: UInt8.self)
            strides[index] = Int32(clamping: plane.stride)
        }
        var targets = [UnsafeMutablePointer<UInt8>?](repeating: nil, count: 4),
            targetStrides = [Int32](repeating: 0, count: 4)
        for (index, plane) in target.enumerated() {
            targets[index] = plane.start.assumingMemoryBound(to: UInt8.self)
            targetStrides[index] = Int32(clamping: plane.stride)
        }
        return sws_scale(context, planes, strides, 0, Int32(key.scaled.size.height), targets, targetStrides) > 0
    }

    /// What libswscale is to look at: the picture, some lines of it, or what the reducer made of it.
    private func planes(of picture: PictureMemory, _ key: Key) -> [(start: UnsafeRawPointer, stride: Int)] {
        if let reducer = key.reducer {
            let memory = reduced.reserve(reducer.byteCount + Self.slack)
            reducer.reduce(picture, into: memory)
            return zip(reducer.planes(in: memory), reducer.strides).map { (UnsafeRawPointer($0), $1) }
        }
        let layout = picture.layout, shape = layout.pixelFormat.shape, source = key.source
        return layout.planes.indices.map { index in
            let stride = layout.planes[index].stride
            // A palette has no lines, and is never cut.
            guard index < layout.pixelFormat.planeCount else { return (picture.plane(index), stride) }
            let chroma = index == 1 || index == 2
            let x = chroma ? source.x >> shape.chromaShiftX : source.x,
                y = chroma ? source.y >> shape.chromaShiftY : source.y
            // The middle line of those that it stands for.
            return (
                picture.plane(index) + (y + key.lineStep / 2) * stride + x * shape.sampleBytes[index],
                stride * key.lineStep
            )
        }
    }
}

/// Memory that grows and is used again.
final class ScratchMemory {
    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    deinit { memory.deallocate() }

    func reserve(_ count: Int) -> UnsafeMutableRawPointer {
        if memory.count < count || memory.count > count * 4 {
            memory.deallocate()
            memory = .allocate(byteCount: count, alignment: 64)
        }
        guard let start = memory.baseAddress else { fatalError("allocated memory has an address") }
        return start
    }
}
