import SharedFrames

/// A decoded picture (CVPixelBuffer). Immutable. Safe to use from any thread.
///
/// A picture of a player or of a ``PixelBufferPool`` refers to memory that is reused after the last reference is
/// released. Keep only a few of them.
public struct PixelBuffer: Sendable {
    /// The frame whose memory the picture refers to.
    let frame: VideoFrame

    /// Wraps a decoded frame in the public type without copying its pixels.
    init(_ frame: VideoFrame) { self.frame = frame }

    /// The width of the picture in samples.
    public var width: Int { frame.format.layout.width }
    /// The height of the picture in samples.
    public var height: Int { frame.format.layout.height }
    /// The layout of the samples in memory.
    public var pixelFormat: PixelFormat { PixelFormat(frame.format.layout.pixelFormat) }
    /// The number of planes of the pixel format: 1 to 4.
    public var planeCount: Int { frame.format.layout.pixelFormat.planeCount }
    /// The time on the item's timeline at which the picture is shown.
    public var presentationTime: MediaTime { MediaTime(nanoseconds: frame.presentationTime) }
    /// The time for which the picture is shown; zero if unknown.
    public var duration: MediaTime { MediaTime(nanoseconds: frame.duration) }
    /// The width of a sample divided by its height.
    public var sampleAspectRatio: PixelAspectRatio {
        PixelAspectRatio(
            horizontalSpacing: Int(frame.format.attributes.sampleAspectNumerator),
            verticalSpacing: Int(frame.format.attributes.sampleAspectDenominator))
    }
    /// The matrix between RGB and the samples.
    public var colorMatrix: ColorMatrix { ColorMatrix(code: frame.format.attributes.matrix.rawValue) }
    /// The chromaticities of red, green, blue and white.
    public var colorPrimaries: ColorPrimaries { ColorPrimaries(code: frame.format.attributes.primaries.rawValue) }
    /// The function between light and sample values.
    public var transferFunction: TransferFunction { TransferFunction(code: frame.format.attributes.transfer.rawValue) }
    /// Whether samples use all codes (0 to 255 in 8 bits) instead of the video range (16 to 235).
    public var isFullRange: Bool { frame.format.attributes.isFullRange }

    /// Returns the number of bytes from one row of a plane to the next (CVPixelBufferGetBytesPerRowOfPlane).
    ///
    /// - Parameter plane: The number of the plane, from 0. With other numbers a precondition fails.
    public func bytesPerRow(ofPlane plane: Int) -> Int { frame.format.layout.planes[plane].stride }
    /// Returns the number of visible rows of a plane (CVPixelBufferGetHeightOfPlane).
    ///
    /// - Parameter plane: The number of the plane, from 0.
    public func rows(ofPlane plane: Int) -> Int { frame.format.layout.pixelFormat.rows(plane: plane, height: height) }

    /// Calls a closure with the bytes of a plane, row after row.
    ///
    /// The bytes keep their address and do not change until the last copy of this value is released. A program that
    /// passes the address to a toolkit keeps a copy until the toolkit no longer needs the bytes.
    ///
    /// - Parameters:
    ///   - plane: The number of the plane, from 0. With other numbers a precondition fails.
    ///   - body: Receives the bytes.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    public func withUnsafeBytes<Result, Failure: Error>(
        ofPlane plane: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition((0..<planeCount).contains(plane), "there is no plane \(plane)")
        let layout = frame.format.layout
        let rowByteCount = layout.pixelFormat.rowBytes(plane: plane, width: width)
        let planeByteCount = layout.planes[plane].stride * (rows(ofPlane: plane) - 1) + rowByteCount
        defer { withExtendedLifetime(frame) {} }
        return try body(
            UnsafeRawBufferPointer(
                start: UnsafeRawPointer(frame.buffer.base) + layout.planes[plane].offset, count: planeByteCount))
    }
}
