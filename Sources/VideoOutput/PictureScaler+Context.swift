import CSwscale
import SharedFrames

extension PictureScaler {
    /// Creates a libswscale context. Also returns whether its output has alpha that must be blended on black. The
    /// context is nil if libswscale cannot convert the format.
    static func makeContext(_ key: Key) -> (OpaquePointer?, hasAlpha: Bool) {
        let input = key.scalerInput, format = av_get_pix_fmt(input.format)
        guard format != AV_PIX_FMT_NONE, let description = av_pix_fmt_desc_get(format), !key.target.isEmpty else {
            return (nil, false)
        }
        // Measured at 1080p on one core, without ``PictureReducer``: reducing to a small window takes 0.26 ms with fast
        // bilinear and 0.40 ms with area averaging, which does not shimmer; enlarging takes 1.3 ms with fast bilinear
        // and 2.4 ms with bicubic. The choice depends on the size of the original picture, even if ``PictureReducer``
        // has already reduced the picture.
        let halvesWidth = key.target.width * 2 <= key.source.width
        let flags = halvesWidth ? SWS_AREA : SWS_FAST_BILINEAR
        let isMapped = ColourMapper.isNeeded(for: key.format)
        let hasAlpha = description.pointee.flags & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0 && !isMapped
        guard
            let pointer = sws_getContext(
                Int32(input.size.width), Int32(input.size.height), format, Int32(key.target.width),
                Int32(key.target.height),
                isMapped ? AV_PIX_FMT_YUV444P12LE : hasAlpha ? AV_PIX_FMT_BGRA : AV_PIX_FMT_BGR0, Int32(flags), nil,
                nil, nil)
        else { return (nil, false) }
        let isRGB = description.pointee.flags & UInt64(AV_PIX_FMT_FLAG_RGB) != 0
        setColour(of: pointer, key.format, isRGB: isRGB, isMapped: isMapped)
        return (pointer, hasAlpha)
    }

    /// Sets the context's colour matrix and range: those that the stream states, or ``FrameFormat/likelyMatrix`` if it
    /// states no matrix.
    private static func setColour(of context: OpaquePointer, _ format: FrameFormat, isRGB: Bool, isMapped: Bool) {
        let space: Int32 =
            switch format.likelyMatrix {
            case .fcc: SWS_CS_FCC
            case .bt470BG, .smpte170M: SWS_CS_ITU601
            case .smpte240M: SWS_CS_SMPTE240M
            case .bt2020, .bt2020ConstantLuminance: SWS_CS_BT2020
            default: SWS_CS_ITU709
            }
        let range: Int32 = format.isFullRange ? 1 : 0
        // ``ColourMapper`` needs unconverted samples, so input and output have the same matrix and range. RGB is
        // converted to the mapper's matrix at full range.
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
    /// The matrix of the samples. If the stream does not state it, BT.709 is assumed above standard definition and
    /// BT.601 below, as most players do. The choice depends on the size before rotation and cropping.
    var likelyMatrix: MatrixCoefficients {
        switch attributes.matrix {
        case .bt709, .fcc, .bt470BG, .smpte170M, .smpte240M, .bt2020, .bt2020ConstantLuminance: attributes.matrix
        default:
            if attributes.primaries == .bt2020 {
                .bt2020
            } else {
                layout.width >= 1280 || layout.height > 576 ? .bt709 : .smpte170M
            }
        }
    }

    /// Whether gray samples have limited range. libswscale treats gray as full range if it does not scale, so
    /// ``GrayRange`` stretches limited range in all cases.
    var isLimitedGray: Bool {
        !isFullRange && (layout.pixelFormat.name.hasPrefix("gray") || layout.pixelFormat.name.hasPrefix("ya"))
    }

    /// Whether the samples use the full range of values instead of the limited (video) range.
    var isFullRange: Bool { attributes.isFullRange || layout.pixelFormat.name.hasPrefix("yuvj") }
}
