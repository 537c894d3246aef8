import CFFmpeg
import SharedFrames

/// Turns FFmpeg's frames into ours: the same memory where the decoder took ours, one copy where it insisted on its own,
/// one conversion where the pixel format is one that frames cannot have.
struct FrameMaker {
    let pool: FramePool
    let allocator: FrameAllocator
    /// What the container says of every frame.
    let stream: PictureSideData
    private let converter = FormatConverter()

    init(pool: FramePool, allocator: FrameAllocator, stream: PictureSideData) {
        (self.pool, self.allocator, self.stream) = (pool, allocator, stream)
    }

    /// The picture's memory and shape.
    ///
    /// - Throws: `unsupportedFormat` for pixels that frames cannot have, `outOfMemory` when the pool stays at its
    ///   limit.
    func picture(of frame: UnsafeMutablePointer<AVFrame>) throws(MediaError) -> (FrameBuffer, FrameFormat) {
        guard let name = av_get_pix_fmt_name(AVPixelFormat(frame.pointee.format)) else {
            throw MediaError(.unsupportedFormat, "pictures of an unknown pixel format cannot be shown")
        }
        guard let format = PixelFormat(name: String(cString: name)), !FormatConverter.isNeeded(for: format.name) else {
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

    private func data(_ frame: UnsafeMutablePointer<AVFrame>, _ index: Int) -> (UnsafeMutablePointer<UInt8>?, Int) {
        let f = frame.pointee
        return switch index {
        case 0: (f.data.0, Int(f.linesize.0))
        case 1: (f.data.1, Int(f.linesize.1))
        case 2: (f.data.2, Int(f.linesize.2))
        default: (f.data.3, Int(f.linesize.3))
        }
    }

    private func planeCount(_ format: PixelFormat) -> Int { format.planeCount + (format.hasPalette ? 1 : 0) }

    /// Where the visible planes lie in `buffer`; nil when one lies elsewhere or upside down.
    private func layout(of frame: UnsafeMutablePointer<AVFrame>, format: PixelFormat, in buffer: FrameBuffer)
        -> FrameLayout?
    {
        var planes: [FrameLayout.Plane] = []
        for index in 0..<planeCount(format) {
            let (start, stride) = data(frame, index)
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

    /// For decoders with memory of their own (dav1d) and pictures that lie upside down.
    private func copy(
        _ frame: UnsafeMutablePointer<AVFrame>, format: PixelFormat, converts: Bool = false
    ) throws(MediaError) -> (FrameBuffer, FrameLayout) {
        let width = Int(frame.pointee.width), height = Int(frame.pointee.height)
        guard
            let plan = MemoryPlan(
                format: format, width: width, height: height, alignment: 64, slack: FrameLayout.slack),
            let layout = FrameLayout(pixelFormat: format, width: width, height: height, planes: plan.planes)
        else { throw MediaError(.unsupportedFormat, "pictures of \(width)x\(height) are too large") }
        let buffer: FrameBuffer
        do {
            buffer = try FrameAllocator.acquire(plan.size, from: pool)
        } catch { throw MediaError(.outOfMemory, "no memory for a frame of \(plan.size) bytes") }
        if converts {
            try converter.convert(
                frame, to: format,
                planes: plan.planes.map { ((buffer.base + $0.offset).assumingMemoryBound(to: UInt8.self), $0.stride) })
            return (buffer, layout)
        }
        for index in 0..<planeCount(format) {
            let (start, stride) = data(frame, index)
            guard let start else { throw MediaError(.corrupt, "a decoded picture lacks a plane") }
            let target = buffer.base + plan.planes[index].offset
            guard index < format.planeCount else {
                target.copyMemory(from: start, byteCount: FrameLayout.paletteBytes)
                continue
            }
            let rowBytes = format.rowBytes(plane: index, width: width)
            for row in 0..<format.rows(plane: index, height: height) {
                (target + row * plan.planes[index].stride).copyMemory(from: start + row * stride, byteCount: rowBytes)
            }
        }
        return (buffer, layout)
    }

    private func attributes(of frame: UnsafeMutablePointer<AVFrame>, format: PixelFormat) -> PictureAttributes {
        var a = PictureAttributes()
        // The container's word comes first, as FFmpeg's own programs have it.
        let aspect = frame.pointee.sample_aspect_ratio
        if stream.aspectNumerator > 0 {
            (a.sampleAspectNumerator, a.sampleAspectDenominator) = (stream.aspectNumerator, stream.aspectDenominator)
        } else if aspect.num > 0, aspect.den > 0 {
            (a.sampleAspectNumerator, a.sampleAspectDenominator) = (aspect.num, aspect.den)
        }
        a.matrix = UInt8(clamping: frame.pointee.colorspace.rawValue)
        a.primaries = UInt8(clamping: frame.pointee.color_primaries.rawValue)
        a.transfer = UInt8(clamping: frame.pointee.color_trc.rawValue)
        // Gray of which nobody says more is a photograph's, and uses all codes, as FFmpeg's own programs have it.
        let isGray = format.planeCount == 1 && (format.name.hasPrefix("gray") || format.name.hasPrefix("ya"))
        a.isFullRange =
            frame.pointee.color_range == AVCOL_RANGE_JPEG
            || (isGray && frame.pointee.color_range == AVCOL_RANGE_UNSPECIFIED)
        let own = PictureSideData(frame: frame)
        a.orientation = own.orientation ?? stream.orientation ?? .upright
        // Only where it matters: a number that comes and goes would make a new format of each frame.
        if a.transfer == 16 { a.peakLuminance = own.peakLuminance ?? stream.peakLuminance ?? 0 }
        let size = PixelSize(width: Int(frame.pointee.width), height: Int(frame.pointee.height))
        // Crops are of the size that the container states: a stream that changed its own since is left whole.
        if let crop = stream.crop, size == stream.codedSize, crop.visible(in: size) != nil { a.crop = crop }
        return a
    }
}
