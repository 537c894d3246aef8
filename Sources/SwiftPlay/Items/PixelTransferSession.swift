import SharedFrames
import SystemCalls
import VideoOutput

/// A converter of pictures to RGB pixels of any size, for programs that draw the frames of a ``PlayerItemVideoOutput``
/// with a toolkit (VTPixelTransferSession). Safe to use from any thread; transfers of one session run one after
/// another.
///
/// The result is upright, cropped as the stream states, and has the colours of an sRGB screen: the session applies the
/// matrix and the range of the picture, and maps HDR to the range of the screen. Transparent parts become black.
public final class PixelTransferSession: Sendable {
    /// The converter, which keeps its state between pictures of the same format and size.
    private let scaler = Monitor(PictureScaler())

    /// Creates a session.
    public init() {}

    /// Draws a picture into another picture, and stretches it to that picture's size
    /// (VTPixelTransferSessionTransferImage).
    ///
    /// ``PlayerItem/presentationSize`` is the size at which square pixels show the picture undistorted.
    ///
    /// - Parameters:
    ///   - source: The picture, in any pixel format.
    ///   - destination: The picture to draw into, in the pixel format `bgrx` or `bgra`. All alpha values of `bgra`
    ///     become 255. After an error its contents are undefined.
    /// - Throws: ``PlaybackError`` with the code `unsupported` if a picture has a format that cannot be converted.
    public func transferImage(from source: PixelBuffer, to destination: inout WritablePixelBuffer) throws {
        let format = source.frame.format, size = PixelSize(width: destination.width, height: destination.height)
        let hasAlpha = destination.pixelFormat == .bgra
        guard hasAlpha || destination.pixelFormat == .bgrx else {
            throw PlaybackError(
                .unsupported, "pictures cannot be converted to \(destination.pixelFormat.rawValue); use bgrx or bgra")
        }
        let stride = destination.bytesPerRow(ofPlane: 0)
        let isDrawn = destination.withUnsafeMutableBytes(ofPlane: 0) { bytes -> Bool in
            guard let baseAddress = bytes.baseAddress else { return false }
            let isDrawn = scaler.withLock { scaler in
                source.frame.withPicture {
                    scaler.draw(
                        $0, format: format, source: format.visibleRect, into: baseAddress, size: size, stride: stride)
                }
            }
            if isDrawn, hasAlpha { Self.makeOpaque(bytes, size: size, stride: stride) }
            return isDrawn
        }
        guard isDrawn else {
            throw PlaybackError(
                .unsupported, "pictures of the format \(source.pixelFormat.rawValue) cannot be converted")
        }
    }

    /// Sets the alpha of BGRA pixels to 255.
    private static func makeOpaque(_ bytes: UnsafeMutableRawBufferPointer, size: PixelSize, stride: Int) {
        let opaque = UInt32(0xFF00_0000).littleEndian
        for row in 0..<size.height {
            let pixels = UnsafeMutableRawBufferPointer(rebasing: bytes[(row * stride)...].prefix(size.width * 4))
            pixels.withMemoryRebound(to: UInt32.self) { pixels in
                for index in pixels.indices { pixels[index] |= opaque }
            }
        }
    }
}
