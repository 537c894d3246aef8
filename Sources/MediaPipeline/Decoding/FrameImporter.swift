import CFFmpeg
import SharedFrames

/// Converts FFmpeg's frames into `VideoFrame` memory. Frames decoded into the pool are not copied. Frames in the
/// decoder's own memory are copied once. Unsupported pixel formats are converted once.
struct FrameImporter {
    /// The source of frame memory.
    let pool: FramePool
    /// The allocator that finds the pool's buffer of a frame that FFmpeg decoded into the pool.
    let allocator: FrameAllocator
    /// The container's side data, which applies to all frames of the stream.
    let streamSideData: PictureSideData
    /// The size to which pictures are reduced; nil to keep all samples.
    var shownSize: PixelSize?
    /// The converter for pixel formats that `VideoFrame` does not support.
    private let converter = FormatConverter()

    init(pool: FramePool, allocator: FrameAllocator, stream: PictureSideData) {
        (self.pool, self.allocator, streamSideData) = (pool, allocator, stream)
    }

    /// Returns the memory of a decoded picture, and its format. The picture is reduced if ``shownSize`` permits it.
    ///
    /// - Throws: `unsupportedFormat` for an unsupported pixel format, `outOfMemory` if the pool stays at its limit.
    func picture(of frame: UnsafeMutablePointer<AVFrame>) throws(MediaError) -> (FrameBuffer, FrameFormat) {
        let (buffer, format) = try wholePicture(of: frame)
        guard let shownSize else { return (buffer, format) }
        let size = format.attributes.orientation.rotated(shownSize)
        return try VideoFrame.reduced(buffer, format, to: size) { byteCount throws(MediaError) in
            try memory(byteCount)
        } ?? (buffer, format)
    }

    /// Returns memory of the pool.
    private func memory(_ byteCount: Int) throws(MediaError) -> FrameBuffer {
        do { return try FrameAllocator.acquire(byteCount, from: pool) } catch {
            throw MediaError(.outOfMemory, "no memory for a frame of \(byteCount) bytes")
        }
    }

    /// Returns the memory of a decoded picture with all its samples, and its format.
    private func wholePicture(of frame: UnsafeMutablePointer<AVFrame>) throws(MediaError) -> (FrameBuffer, FrameFormat)
    {
        guard let name = av_get_pix_fmt_name(AVPixelFormat(frame.pointee.format)) else {
            throw MediaError(.unsupportedFormat, "pictures of an unknown pixel format cannot be shown")
        }
        guard let format = PixelFormat(name: String(cString: name)),
            !FormatConverter.mustConvert(pixelFormat: format.name)
        else {
            guard let substitute = FormatConverter.substitute(for: AVPixelFormat(frame.pointee.format)) else {
                throw MediaError(
                    .unsupportedFormat, "pictures of pixel format \(String(cString: name)) cannot be shown")
            }
            let (buffer, layout) = try copy(frame, format: substitute, converts: true)
            return (buffer, FrameFormat(layout: layout, attributes: attributes(of: frame, format: substitute)))
        }
        if let buffer = allocator.buffer(behind: frame), let layout = layout(of: frame, format: format, in: buffer) {
            return (buffer, FrameFormat(layout: layout, attributes: attributes(of: frame, format: format)))
        }
        let (buffer, layout) = try copy(frame, format: format)
        return (buffer, FrameFormat(layout: layout, attributes: attributes(of: frame, format: format)))
    }

    /// Returns the start and stride of a plane of FFmpeg's frame.
    private func plane(_ frame: UnsafeMutablePointer<AVFrame>, _ index: Int) -> (UnsafeMutablePointer<UInt8>?, Int) {
        let avFrame = frame.pointee
        return switch index {
        case 0: (avFrame.data.0, Int(avFrame.linesize.0))
        case 1: (avFrame.data.1, Int(avFrame.linesize.1))
        case 2: (avFrame.data.2, Int(avFrame.linesize.2))
        default: (avFrame.data.3, Int(avFrame.linesize.3))
        }
    }

    /// Returns the number of planes, the palette included.
    private func planeCount(_ format: PixelFormat) -> Int { format.planeCount + (format.hasPalette ? 1 : 0) }

    /// Returns the layout of a decoded frame's planes in `buffer`; nil if a plane lies outside the buffer or is stored
    /// bottom-up.
    private func layout(of frame: UnsafeMutablePointer<AVFrame>, format: PixelFormat, in buffer: FrameBuffer)
        -> FrameLayout?
    {
        var planes: [FrameLayout.Plane] = []
        for index in 0..<planeCount(format) {
            let (start, stride) = plane(frame, index)
            guard let start else { return nil }
            let offset = UnsafeRawPointer(start) - UnsafeRawPointer(buffer.base)
            guard offset >= 0, offset < buffer.slot.size, stride >= 0 else { return nil }
            planes.append(FrameLayout.Plane(offset: offset, stride: stride))
        }
        let layout = FrameLayout(
            pixelFormat: format, width: Int(frame.pointee.width), height: Int(frame.pointee.height), planes: planes)
        guard let layout, layout.requiredSize <= buffer.slot.size else { return nil }
        return layout
    }

    /// Copies or converts a frame, for decoders that use their own memory (dav1d) and for pictures that are stored
    /// bottom-up.
    private func copy(
        _ frame: UnsafeMutablePointer<AVFrame>, format: PixelFormat, converts: Bool = false
    ) throws(MediaError) -> (FrameBuffer, FrameLayout) {
        let width = Int(frame.pointee.width), height = Int(frame.pointee.height)
        guard
            let plan = PictureMemoryLayout(
                format: format, width: width, height: height, alignment: 64, padding: FrameLayout.overreadPadding),
            let layout = FrameLayout(pixelFormat: format, width: width, height: height, planes: plan.planes)
        else { throw MediaError(.unsupportedFormat, "pictures of \(width)x\(height) are too large") }
        let buffer = try memory(plan.size)
        if converts {
            try converter.convert(
                frame, to: format,
                planes: plan.planes.map { ((buffer.base + $0.offset).assumingMemoryBound(to: UInt8.self), $0.stride) })
            return (buffer, layout)
        }
        for index in 0..<planeCount(format) {
            let (start, stride) = plane(frame, index)
            guard let start else { throw MediaError(.corrupt, "a decoded picture lacks a plane") }
            let targetPlane = buffer.base + plan.planes[index].offset
            guard index < format.planeCount else {
                targetPlane.copyMemory(from: start, byteCount: FrameLayout.paletteBytes)
                continue
            }
            let rowBytes = format.rowBytes(plane: index, width: width)
            for row in 0..<format.rows(plane: index, height: height) {
                (targetPlane + row * plan.planes[index].stride).copyMemory(
                    from: start + row * stride, byteCount: rowBytes)
            }
        }
        return (buffer, layout)
    }

    /// Returns the colour, aspect ratio, orientation and crop of a decoded frame.
    private func attributes(of frame: UnsafeMutablePointer<AVFrame>, format: PixelFormat) -> PictureAttributes {
        var result = PictureAttributes()
        // The aspect ratio that the container states takes precedence over the codec's, as in FFmpeg's own programs.
        let aspect = frame.pointee.sample_aspect_ratio
        if streamSideData.aspectNumerator > 0 {
            result.sampleAspectNumerator = streamSideData.aspectNumerator
            result.sampleAspectDenominator = streamSideData.aspectDenominator
        } else if aspect.num > 0, aspect.den > 0 {
            (result.sampleAspectNumerator, result.sampleAspectDenominator) = (aspect.num, aspect.den)
        }
        result.matrix = MatrixCoefficients(rawValue: UInt8(clamping: frame.pointee.colorspace.rawValue))
        result.primaries = ColourPrimaries(rawValue: UInt8(clamping: frame.pointee.color_primaries.rawValue))
        result.transfer = TransferCharacteristics(rawValue: UInt8(clamping: frame.pointee.color_trc.rawValue))
        // Gray pictures with an unspecified range are usually photographs, so treat them as full range, as FFmpeg's own
        // programs do.
        let isGray = format.planeCount == 1 && (format.name.hasPrefix("gray") || format.name.hasPrefix("ya"))
        result.isFullRange =
            frame.pointee.color_range == AVCOL_RANGE_JPEG
            || (isGray && frame.pointee.color_range == AVCOL_RANGE_UNSPECIFIED)
        let sideData = PictureSideData(frame: frame)
        result.orientation = sideData.orientation ?? streamSideData.orientation ?? .upright
        // Set the peak luminance only for PQ: a value that changes between frames would create a new format for each
        // frame.
        if result.transfer == .pq { result.peakLuminance = sideData.peakLuminance ?? streamSideData.peakLuminance ?? 0 }
        let size = PixelSize(width: Int(frame.pointee.width), height: Int(frame.pointee.height))
        // A crop applies only to the size that the container states. If the stream has changed its size, do not crop.
        if let crop = streamSideData.crop, size == streamSideData.codedSize, crop.visibleRect(in: size) != nil {
            result.crop = crop
        }
        return result
    }
}
