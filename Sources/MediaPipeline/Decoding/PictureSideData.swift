import CFFmpeg
import SharedFrames

/// The side data of a stream or a frame: orientation, crop and peak luminance.
struct PictureSideData: Sendable, Equatable {
    /// The orientation of the picture; nil if it is not stated.
    var orientation: PictureOrientation?
    /// The peak luminance in cd/m²; nil if it is not stated or not plausible.
    var peakLuminance: UInt16?
    /// The number of samples at each edge that are not shown; nil if the container does not state them.
    var crop: PictureCrop?
    /// The width and height stated by the container.
    var codedSize = PixelSize(width: 0, height: 0)
    /// The numerator of the container's sample aspect ratio; 0 if the ratio is not stated.
    var aspectNumerator: Int32 = 0
    /// The denominator of the container's sample aspect ratio; 0 if the ratio is not stated.
    var aspectDenominator: Int32 = 0

    init() {}

    /// Reads the side data that the container states for a stream.
    init(stream: UnsafeMutablePointer<AVStream>) {
        func data(_ type: AVPacketSideDataType) -> UnsafeRawBufferPointer? {
            var size = 0
            return cffmpeg_stream_side_data(stream, type, &size).map { UnsafeRawBufferPointer(start: $0, count: size) }
        }
        orientation = data(AV_PKT_DATA_DISPLAYMATRIX).flatMap(Self.orientation)
        peakLuminance =
            data(AV_PKT_DATA_CONTENT_LIGHT_LEVEL).flatMap(Self.contentPeakLuminance)
            ?? data(AV_PKT_DATA_MASTERING_DISPLAY_METADATA).flatMap(Self.masteringPeakLuminance)
        var edges: (UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0)
        if cffmpeg_stream_crop(stream, &edges.0, &edges.1, &edges.2, &edges.3) != 0 {
            crop = PictureCrop(
                left: UInt16(clamping: edges.0), top: UInt16(clamping: edges.1), right: UInt16(clamping: edges.2),
                bottom: UInt16(clamping: edges.3))
        }
        if let parameters = stream.pointee.codecpar {
            codedSize = PixelSize(width: Int(parameters.pointee.width), height: Int(parameters.pointee.height))
        }
        let aspect = stream.pointee.sample_aspect_ratio
        if aspect.num > 0, aspect.den > 0 { (aspectNumerator, aspectDenominator) = (aspect.num, aspect.den) }
    }

    /// Reads the side data of a decoded frame.
    init(frame: UnsafeMutablePointer<AVFrame>) {
        func data(_ type: AVFrameSideDataType) -> UnsafeRawBufferPointer? {
            guard let entry = av_frame_get_side_data(frame, type) else { return nil }
            return UnsafeRawBufferPointer(start: entry.pointee.data, count: Int(entry.pointee.size))
        }
        orientation = data(AV_FRAME_DATA_DISPLAYMATRIX).flatMap(Self.orientation)
        peakLuminance =
            data(AV_FRAME_DATA_CONTENT_LIGHT_LEVEL).flatMap(Self.contentPeakLuminance)
            ?? data(AV_FRAME_DATA_MASTERING_DISPLAY_METADATA).flatMap(Self.masteringPeakLuminance)
    }

    /// Parses a display matrix: nine 32-bit numbers, rows (a b u), (c d v), (x y w). Rounds to the nearest quarter
    /// turn.
    private static func orientation(_ bytes: UnsafeRawBufferPointer) -> PictureOrientation? {
        guard bytes.count >= 36 else { return nil }
        func entry(_ index: Int) -> Double { Double(bytes.loadUnaligned(fromByteOffset: index * 4, as: Int32.self)) }
        let (a, b, c, d) = (entry(0), entry(1), entry(3), entry(4))
        // A singular matrix would flatten the picture, so it states no orientation.
        return a * d - b * c == 0 ? nil : PictureOrientation(a: a, b: b, c: c, d: d)
    }

    /// Parses the peak luminance of the content (CTA-861.3).
    private static func contentPeakLuminance(_ bytes: UnsafeRawBufferPointer) -> UInt16? {
        guard bytes.count >= MemoryLayout<AVContentLightMetadata>.size else { return nil }
        return validLuminance(Double(bytes.loadUnaligned(as: AVContentLightMetadata.self).MaxCLL))
    }

    /// Parses the peak luminance of the mastering display (SMPTE ST 2086).
    private static func masteringPeakLuminance(_ bytes: UnsafeRawBufferPointer) -> UInt16? {
        guard bytes.count >= MemoryLayout<AVMasteringDisplayMetadata>.size else { return nil }
        let display = bytes.loadUnaligned(as: AVMasteringDisplayMetadata.self)
        guard display.has_luminance != 0, display.max_luminance.den > 0 else { return nil }
        return validLuminance(Double(display.max_luminance.num) / Double(display.max_luminance.den))
    }

    /// Returns the luminance if it lies between a plausible HDR minimum (100 cd/m²) and the PQ maximum (10 000 cd/m²).
    private static func validLuminance(_ luminance: Double) -> UInt16? {
        (100...10_000).contains(luminance) ? UInt16(luminance) : nil
    }
}
