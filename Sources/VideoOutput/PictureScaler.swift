import CSwscale
import SharedFrames

/// Converts and scales pictures into BGRX pixels (8 bits each, blue first, the fourth byte undefined to the eye).
///
/// Not for two threads at once: it keeps the scaler for the last pair of shapes.
package final class PictureScaler {
    private struct Key: Equatable {
        var format: FrameFormat
        var source: PixelRect
        var target: PixelSize
    }

    private var key: Key?
    /// Owned: freed when replaced and at the end.
    private var context: OpaquePointer?

    package init() {}

    deinit { sws_freeContext(context) }

    /// Draws the `source` part of `picture` into `target`: `size.height` rows, `stride` bytes apart.
    ///
    /// - Returns: false when the format cannot be converted; nothing was drawn then.
    package func draw(
        _ picture: PictureMemory, format: FrameFormat, source: PixelRect, into target: UnsafeMutableRawPointer, size: PixelSize,
        stride: Int
    ) -> Bool {
        var source = source
        // Packed formats share chroma between two pixels: a cut goes between pairs.
        if format.layout.pixelFormat.isPackedChroma { source.x &= ~1 }
        let key = Key(format: format, source: source, target: size)
        if key != self.key {
            sws_freeContext(context)
            context = Self.makeContext(key)
            self.key = key
        }
        guard let pointer = context else { return false }
        let layout = format.layout, shape = layout.pixelFormat.shape
        // FFmpeg takes four planes whatever the format.
        var planes: (UnsafePointer<UInt8>?, UnsafePointer<UInt8>?, UnsafePointer<UInt8>?, UnsafePointer<UInt8>?) = (nil, nil, nil, nil)
        var strides: (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
        for index in layout.planes.indices {
            let plane = layout.planes[index]
            var start = picture.plane(index)
            if index < layout.pixelFormat.planeCount, source.x != 0 || source.y != 0 {
                let chroma = index == 1 || index == 2
                let x = chroma ? source.x >> shape.chromaShiftX : source.x, y = chroma ? source.y >> shape.chromaShiftY : source.y
                start += y * plane.stride + x * shape.sampleBytes[index]
            }
            let bytes = start.assumingMemoryBound(to: UInt8.self), stride = Int32(plane.stride)
            switch index {
            case 0: (planes.0, strides.0) = (bytes, stride)
            case 1: (planes.1, strides.1) = (bytes, stride)
            case 2: (planes.2, strides.2) = (bytes, stride)
            default: (planes.3, strides.3) = (bytes, stride)
            }
        }
        var targets: (UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt8>?) =
            (target.assumingMemoryBound(to: UInt8.self), nil, nil, nil)
        var targetStrides: (Int32, Int32, Int32, Int32) = (Int32(stride), 0, 0, 0)
        let rows = withUnsafePointer(to: &planes) { planes in
            withUnsafePointer(to: &strides) { strides in
                withUnsafePointer(to: &targets) { targets in
                    withUnsafePointer(to: &targetStrides) { targetStrides in
                        sws_scale(
                            pointer,
                            UnsafeRawPointer(planes).assumingMemoryBound(to: UnsafePointer<UInt8>?.self),
                            UnsafeRawPointer(strides).assumingMemoryBound(to: Int32.self), 0, Int32(source.height),
                            UnsafeRawPointer(targets).assumingMemoryBound(to: UnsafeMutablePointer<UInt8>?.self),
                            UnsafeRawPointer(targetStrides).assumingMemoryBound(to: Int32.self))
                    }
                }
            }
        }
        return rows > 0
    }

    private static func makeContext(_ key: Key) -> OpaquePointer? {
        let format = av_get_pix_fmt(key.format.layout.pixelFormat.name)
        guard format != AV_PIX_FMT_NONE, !key.target.isEmpty else { return nil }
        // Measured at 1080p on one core: shrinking to a small window costs 0.26 ms with fast bilinear and 0.40 with area
        // averaging, which does not shimmer; enlarging costs 1.3 ms with fast bilinear, 2.4 bicubic.
        let shrinks = key.target.width * 2 <= key.source.width
        let flags = shrinks ? SWS_AREA : SWS_FAST_BILINEAR
        guard let pointer = sws_getContext(
            Int32(key.source.width), Int32(key.source.height), format, Int32(key.target.width), Int32(key.target.height),
            AV_PIX_FMT_BGR0, Int32(flags), nil, nil, nil)
        else { return nil }
        setColour(of: pointer, key.format)
        return pointer
    }

    /// The matrix and range that the stream states; where it says nothing, BT.709 from 720 lines up and BT.601 below, as is the
    /// custom of players.
    private static func setColour(of context: OpaquePointer, _ format: FrameFormat) {
        let space: Int32 = switch format.attributes.matrix {
        case 1: SWS_CS_ITU709
        case 4: SWS_CS_FCC
        case 5, 6: SWS_CS_ITU601
        case 7: SWS_CS_SMPTE240M
        case 9, 10: SWS_CS_BT2020
        default: format.layout.height >= 720 ? SWS_CS_ITU709 : SWS_CS_ITU601
        }
        let isFull = format.attributes.isFullRange || format.layout.pixelFormat.name.hasPrefix("yuvj")
        _ = sws_setColorspaceDetails(
            context, sws_getCoefficients(space), isFull ? 1 : 0, sws_getCoefficients(SWS_CS_DEFAULT), 1, 0, 1 << 16, 1 << 16)
    }
}
