import CSwscale
import SharedFrames

extension PictureScaler {
    /// A scaler for one pair of shapes, and whether its pixels come with alpha that is to be blended.
    static func makeContext(_ key: Key) -> (OpaquePointer?, hasAlpha: Bool) {
        let scaled = key.scaled, format = av_get_pix_fmt(scaled.format)
        guard format != AV_PIX_FMT_NONE, let description = av_pix_fmt_desc_get(format), !key.target.isEmpty else {
            return (nil, false)
        }
        // Measured at 1080p on one core, without a reducer before it: shrinking to a small window costs 0.26 ms with
        // fast bilinear and 0.40 with area averaging, which does not shimmer; enlarging costs 1.3 ms with fast
        // bilinear, 2.4 bicubic. What a reducer has left is averaged too: it is the whole picture that shrinks.
        let shrinks = key.target.width * 2 <= key.source.width
        let flags = shrinks ? SWS_AREA : SWS_FAST_BILINEAR
        let isMapped = ColourMapper.isNeeded(for: key.format)
        let hasAlpha = description.pointee.flags & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0 && !isMapped
        guard
            let pointer = sws_getContext(
                Int32(scaled.size.width), Int32(scaled.size.height), format, Int32(key.target.width),
                Int32(key.target.height),
                isMapped ? AV_PIX_FMT_YUV444P12LE : hasAlpha ? AV_PIX_FMT_BGRA : AV_PIX_FMT_BGR0, Int32(flags), nil,
                nil, nil)
        else { return (nil, false) }
        let isRGB = description.pointee.flags & UInt64(AV_PIX_FMT_FLAG_RGB) != 0
        setColour(of: pointer, key.format, isRGB: isRGB, isMapped: isMapped)
        return (pointer, hasAlpha)
    }

    /// The matrix and range that the stream states; where it says nothing, what ``FrameFormat/likelyMatrix`` says.
    private static func setColour(of context: OpaquePointer, _ format: FrameFormat, isRGB: Bool, isMapped: Bool) {
        let space: Int32 =
            switch format.likelyMatrix {
            case 4: SWS_CS_FCC
            case 5, 6: SWS_CS_ITU601
            case 7: SWS_CS_SMPTE240M
            case 9, 10: SWS_CS_BT2020
            default: SWS_CS_ITU709
            }
        let range: Int32 = format.isFullRange ? 1 : 0
        // Mapped pictures keep their samples: same matrix, same range. What is RGB gets the mapper's matrix, at full
        // range.
        _ =
            isMapped
            ? sws_setColorspaceDetails(
                context, sws_getCoefficients(space), isRGB ? 1 : range,
                sws_getCoefficients(isRGB ? SWS_CS_BT2020 : space),
                isRGB ? 1 : range, 0, 1 << 16, 1 << 16)
            : sws_setColorspaceDetails(
                context, sws_getCoefficients(space), format.isLimitedGray ? 1 : range,
                sws_getCoefficients(SWS_CS_DEFAULT), 1, 0, 1 << 16,
                1 << 16)
    }
}

extension FrameFormat {
    /// H.273 matrix; where the stream says nothing, BT.709 for what is larger than standard definition and BT.601
    /// below, as is the custom of players. Sizes are the decoded ones: turning or cropping a picture does not change
    /// its colours.
    var likelyMatrix: UInt8 {
        switch attributes.matrix {
        case 1, 4, 5, 6, 7, 9, 10: attributes.matrix
        default:
            if attributes.primaries == 9 { 9 } else { layout.width >= 1280 || layout.height > 576 ? 1 : 6 }
        }
    }

    /// Where it does not scale, libswscale takes all gray for full range: what is not is stretched by us, after either
    /// way.
    var isLimitedGray: Bool {
        !isFullRange && (layout.pixelFormat.name.hasPrefix("gray") || layout.pixelFormat.name.hasPrefix("ya"))
    }

    /// Samples use all their codes.
    var isFullRange: Bool { attributes.isFullRange || layout.pixelFormat.name.hasPrefix("yuvj") }
}
