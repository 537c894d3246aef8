import CSwscale
import SharedFrames

/// A converter that scales and rotates pictures into BGRX pixels (8 bits each, blue first, the fourth byte undefined).
///
/// Most pictures need one pass of libswscale. A second pass is needed for rotated pictures, for alpha (blended on
/// black), and for colours that differ from those of a screen (``ColourMapper``).
///
/// Not thread-safe: the object keeps the libswscale context of the last format and sizes.
package final class PictureScaler {
    /// The properties of a drawing from which a libswscale context is created.
    struct ContextKey: Equatable {
        var format: FrameFormat
        /// The part of the picture that is drawn, in decoded samples.
        var source: PixelRect
        /// The size of the drawn picture before rotation.
        var targetSize: PixelSize
        /// The reduction before libswscale; nil if the picture is not reduced first.
        let reducer: PictureReducer?

        init(format: FrameFormat, source: PixelRect, targetSize: PixelSize) {
            (self.format, self.source, self.targetSize) = (format, source, targetSize)
            reducer = PictureReducer(format, source: source, target: targetSize)
        }

        /// The size of libswscale's input, and FFmpeg's name of its pixel format.
        var scalerInput: (size: PixelSize, format: String) {
            guard let reducer else {
                return (
                    PixelSize(width: source.width, height: source.height / lineStep), format.layout.pixelFormat.name
                )
            }
            return (reducer.size, format.isFullRange ? "yuvj422p" : "yuv422p")
        }

        /// The distance between the picture lines that libswscale reads. If the picture is at least four times as high
        /// as ``targetSize``, the lines between them are skipped, which halves the cost. libswscale then averages two
        /// lines into one, like a graphics card's bilinear filter.
        var lineStep: Int {
            var step = 1
            // Up to four luma lines share one chroma line, and the number of chroma lines must be divisible by the
            // step, too.
            while source.height % (step * 8) == 0, source.height / (step * 2) >= 2 * targetSize.height { step *= 2 }
            return step
        }
    }

    /// The properties of ``context``; nil before the first picture.
    private var contextKey: ContextKey?
    /// The libswscale context. This object frees it when it is replaced, and in `deinit`.
    private var context: OpaquePointer?
    /// The colour conversion of the current format; nil if the format needs none.
    private var mapper: ColourMapper?
    /// Whether libswscale's output has alpha to blend on black.
    private var hasAlpha = false
    /// The memory for drawn pixels that are rotated afterwards.
    private let unrotatedPixels = ScratchMemory()
    /// The memory for 12-bit samples that ``ColourMapper`` converts.
    private let mapperSamples = ScratchMemory()
    /// The memory for the picture that ``PictureReducer`` writes.
    private let reducedPicture = ScratchMemory()

    /// Creates a scaler without a context.
    package init() {}

    deinit { sws_freeContext(context) }

    /// Draws the `source` part of `picture` (in decoded samples) into `target`, in the orientation of the format. The
    /// target has `size.height` rows, `stride` bytes apart.
    ///
    /// - Returns: False if the format cannot be converted; the target is unchanged then.
    package func draw(
        _ picture: PictureMemory, format: FrameFormat, source: PixelRect, into target: UnsafeMutableRawPointer,
        size: PixelSize,
        stride: Int
    ) -> Bool {
        let orientation = format.attributes.orientation
        guard orientation != .upright, !size.isEmpty else {
            return drawUpright(picture, format: format, source: source, into: target, size: size, stride: stride)
        }
        let uprightSize = orientation.rotated(size), rowStride = Self.paddedRowLength(uprightSize.width * 4)
        let pixels = unrotatedPixels.reserve(rowStride * uprightSize.height + Self.slackByteCount)
        guard
            drawUpright(picture, format: format, source: source, into: pixels, size: uprightSize, stride: rowStride)
        else { return false }
        PictureRotator.copy(
            pixels, size: uprightSize, stride: rowStride, orientation: orientation, to: target, targetStride: stride)
        return true
    }

    /// The number of bytes beyond the last pixel that the scaler's widest vector stores may overwrite.
    private static let slackByteCount = 4096
    /// Returns the length in bytes of a row of `byteCount` bytes with padding for the scaler's widest vector stores.
    private static func paddedRowLength(_ byteCount: Int) -> Int { (byteCount + 127) & ~63 }

    /// Scales a picture into BGRX pixels without rotating it.
    private func drawUpright(
        _ picture: PictureMemory, format: FrameFormat, source: PixelRect, into target: UnsafeMutableRawPointer,
        size: PixelSize,
        stride: Int
    ) -> Bool {
        var source = source
        // Packed formats share chroma between two pixels, so the drawn part must begin at the first pixel of a pair.
        if format.layout.pixelFormat.isPackedChroma { source.x &= ~1 }
        let key = ContextKey(format: format, source: source, targetSize: size)
        if key != contextKey {
            sws_freeContext(context)
            (context, hasAlpha) = Self.makeContext(key)
            mapper = ColourMapper.makeIfNeeded(for: format, keeping: mapper)
            contextKey = key
        }
        guard let context else { return false }
        guard let mapper else {
            guard scale(context, picture, key, to: [(target, stride)]) else { return false }
            if format.isLimitedRangeGray { GrayRange.stretch(target, size: size, stride: stride) }
            if hasAlpha { AlphaBlend.compositeOnBlack(target, size: size, stride: stride) }
            return true
        }
        let rowStride = Self.paddedRowLength(size.width * 2), planeStride = rowStride * size.height
        let memory = mapperSamples.reserve(planeStride * 3 + Self.slackByteCount)
        let output = (0..<3).map { (start: memory + $0 * planeStride, stride: rowStride) }
        guard scale(context, picture, key, to: output) else { return false }
        mapper.draw(memory, planeStride: planeStride, rowStride: rowStride, into: target, size: size, stride: stride)
        return true
    }

    /// Runs libswscale, which reads the input planes and writes the `output` planes.
    private func scale(
        _ context: OpaquePointer, _ picture: PictureMemory, _ key: ContextKey,
        to output: [(start: UnsafeMutableRawPointer, stride: Int)]
    ) -> Bool {
        // FFmpeg reads four plane pointers for every format.
        var inputStarts = [UnsafePointer<UInt8>?](repeating: nil, count: 4),
            inputStrides = [Int32](repeating: 0, count: 4)
        for (index, plane) in self.planes(of: picture, key).enumerated() where index < 4 {
            inputStarts[index] = plane.start.assumingMemoryBound(to: UInt8.self)
            inputStrides[index] = Int32(clamping: plane.stride)
        }
        var outputStarts = [UnsafeMutablePointer<UInt8>?](repeating: nil, count: 4),
            outputStrides = [Int32](repeating: 0, count: 4)
        for (index, plane) in output.enumerated() {
            outputStarts[index] = plane.start.assumingMemoryBound(to: UInt8.self)
            outputStrides[index] = Int32(clamping: plane.stride)
        }
        let inputHeight = Int32(key.scalerInput.size.height)
        return sws_scale(context, inputStarts, inputStrides, 0, inputHeight, outputStarts, outputStrides) > 0
    }

    /// Returns libswscale's input planes: the picture, some of its lines, or the reducer's output.
    private func planes(of picture: PictureMemory, _ key: ContextKey) -> [(start: UnsafeRawPointer, stride: Int)] {
        if let reducer = key.reducer {
            let memory = reducedPicture.reserve(reducer.byteCount + Self.slackByteCount)
            reducer.reduce(picture, into: memory)
            return zip(reducer.planes(in: memory), reducer.strides).map { (UnsafeRawPointer($0), $1) }
        }
        let layout = picture.layout, descriptor = layout.pixelFormat.descriptor, source = key.source
        return layout.planes.indices.map { index in
            let stride = layout.planes[index].stride
            // The palette plane has no picture lines and is never cropped.
            guard index < layout.pixelFormat.planeCount else { return (picture.plane(index), stride) }
            let isChroma = index == 1 || index == 2
            let x = isChroma ? source.x >> descriptor.chromaShiftX : source.x,
                y = isChroma ? source.y >> descriptor.chromaShiftY : source.y
            // Start at the middle line of each group of `lineStep` lines.
            return (
                picture.plane(index) + (y + key.lineStep / 2) * stride + x * descriptor.sampleBytes[index],
                stride * key.lineStep
            )
        }
    }
}

/// A block of memory for temporary data. It is reused, and is replaced if it is too small or more than four times as
/// large as necessary.
final class ScratchMemory {
    /// The memory; empty before the first use.
    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    deinit { memory.deallocate() }

    /// Returns at least `count` bytes with undefined contents. Earlier pointers become invalid.
    func reserve(_ count: Int) -> UnsafeMutableRawPointer {
        if memory.count < count || memory.count > count * 4 {
            memory.deallocate()
            memory = .allocate(byteCount: count, alignment: 64)
        }
        guard let start = memory.baseAddress else { fatalError("allocated memory has an address") }
        return start
    }
}
