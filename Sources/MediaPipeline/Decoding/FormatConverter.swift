import CFFmpeg
import SharedFrames

/// Converts pixel formats that `VideoFrame` does not support (big-endian, monochrome bitmaps, floating point, Bayer,
/// XYZ) or that libswscale does not support (NV16) to a similar supported format.
///
/// Caches the libswscale context for the last picture size and format. Used by one thread.
final class FormatConverter {
    /// The properties of the pictures for which the cached libswscale context was made.
    private struct ScalerKey: Equatable {
        var pictureFormat: Deinterlacer.PictureFormat
        var colourSpace: UInt32
        var colourRange: UInt32
    }
    /// The properties of the pictures that the cached libswscale context accepts; nil while there is no context.
    private var scalerKey: ScalerKey?
    /// The cached libswscale context; owned by this object.
    private var context: OpaquePointer?

    deinit { sws_freeContext(context) }

    /// The planar replacement of each semi-planar 4:2:2 format, which libswscale does not support.
    private static let planarReplacements = ["nv16": "yuv422p", "nv20le": "yuv422p10le"]

    /// Returns whether pictures of the pixel format `name` must be converted, because libswscale does not support the
    /// format, although `VideoFrame` does.
    static func mustConvert(pixelFormat name: String) -> Bool { planarReplacements[name] != nil }

    /// Returns the closest supported format for an unsupported format; nil if there is none.
    static func substitute(for format: AVPixelFormat) -> PixelFormat? {
        if let name = av_get_pix_fmt_name(format).map({ String(cString: $0) }),
            let planarName = planarReplacements[name]
        {
            return PixelFormat(name: planarName)
        }
        guard let description = av_pix_fmt_desc_get(format), sws_isSupportedInput(format) > 0 else { return nil }
        let name = String(cString: description.pointee.name)
        // A format that differs only in its byte order has the same samples, so the conversion loses nothing.
        if name.hasSuffix("be"), let littleEndianFormat = PixelFormat(name: name.dropLast(2) + "le") {
            return littleEndianFormat
        }
        if name.hasPrefix("mono") { return PixelFormat(name: "gray") }
        let flags = description.pointee.flags, isDeep = description.pointee.comp.0.depth > 8
        let isRGB = flags & UInt64(AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_BAYER) != 0 || name.hasPrefix("xyz")
        let hasAlpha = flags & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0
        if description.pointee.nb_components < 3 {
            return PixelFormat(name: hasAlpha ? "ya16le" : isDeep ? "gray16le" : "gray")
        }
        if isRGB { return PixelFormat(name: hasAlpha ? (isDeep ? "rgba64le" : "rgba") : isDeep ? "rgb48le" : "rgb24") }
        return PixelFormat(name: hasAlpha ? (isDeep ? "yuva444p16le" : "yuva444p") : isDeep ? "yuv444p16le" : "yuv444p")
    }

    /// Converts a complete picture into `planes`.
    func convert(
        _ frame: UnsafeMutablePointer<AVFrame>, to format: PixelFormat,
        planes: [(start: UnsafeMutablePointer<UInt8>, stride: Int)]
    ) throws(MediaError) {
        let name = av_get_pix_fmt_name(AVPixelFormat(frame.pointee.format)).map { String(cString: $0) } ?? ""
        if Self.mustConvert(pixelFormat: name) { return try splitChroma(frame, isDeep: name == "nv20le", to: planes) }
        let requestedKey = ScalerKey(
            pictureFormat: Deinterlacer.PictureFormat(frame), colourSpace: UInt32(frame.pointee.colorspace.rawValue),
            colourRange: UInt32(frame.pointee.color_range.rawValue))
        if requestedKey != scalerKey {
            sws_freeContext(context)
            context = sws_getContext(
                frame.pointee.width, frame.pointee.height, AVPixelFormat(frame.pointee.format), frame.pointee.width,
                frame.pointee.height,
                av_get_pix_fmt(format.name), Int32(SWS_POINT | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INP), nil, nil, nil)
            scalerKey = requestedKey
            // Keep the colour matrix and the colour range, so that the colour attributes of the frame stay valid.
            if let context, let table = sws_getCoefficients(Int32(SWS_CS_DEFAULT)) {
                let isFull: Int32 = frame.pointee.color_range == AVCOL_RANGE_JPEG ? 1 : 0
                _ = sws_setColorspaceDetails(context, table, isFull, table, isFull, 0, 1 << 16, 1 << 16)
            }
        }
        guard let context else {
            throw MediaError(.unsupportedFormat, "pictures of this pixel format cannot be converted")
        }
        var targets = [UnsafeMutablePointer<UInt8>?](repeating: nil, count: 4),
            strides = [Int32](repeating: 0, count: 4)
        for (index, plane) in planes.enumerated() where index < 4 {
            (targets[index], strides[index]) = (plane.start, Int32(clamping: plane.stride))
        }
        let avFrame = frame.pointee
        let sources = [avFrame.data.0, avFrame.data.1, avFrame.data.2, avFrame.data.3].map {
            $0.map { UnsafePointer($0) }
        }
        let rows = sws_scale(
            context, sources, [avFrame.linesize.0, avFrame.linesize.1, avFrame.linesize.2, avFrame.linesize.3], 0,
            avFrame.height, targets, strides)
        guard rows > 0 else { throw MediaError(.corrupt, "a picture cannot be converted") }
    }

    /// Copies a semi-planar picture into separate planes.
    private func splitChroma(
        _ frame: UnsafeMutablePointer<AVFrame>, isDeep: Bool,
        to planes: [(start: UnsafeMutablePointer<UInt8>, stride: Int)]
    ) throws(MediaError) {
        let avFrame = frame.pointee, width = Int(avFrame.width), sampleSize = isDeep ? 2 : 1,
            chromaWidth = (width + 1) / 2
        guard planes.count == 3, let luma = avFrame.data.0, let chroma = avFrame.data.1 else {
            throw MediaError(.corrupt, "a decoded picture lacks a plane")
        }
        for row in 0..<Int(avFrame.height) {
            UnsafeMutableRawPointer(planes[0].start + row * planes[0].stride)
                .copyMemory(from: luma + row * Int(avFrame.linesize.0), byteCount: width * sampleSize)
            let chromaRow = chroma + row * Int(avFrame.linesize.1), blueRow = planes[1].start + row * planes[1].stride,
                redRow = planes[2].start + row * planes[2].stride
            for x in 0..<chromaWidth {
                for byte in 0..<sampleSize {
                    blueRow[x * sampleSize + byte] = chromaRow[x * 2 * sampleSize + byte]
                    redRow[x * sampleSize + byte] = chromaRow[(x * 2 + 1) * sampleSize + byte]
                }
            }
        }
    }
}
