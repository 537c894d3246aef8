import SharedFrames

/// A decoded picture, to be read (CVPixelBuffer): the player's own memory, not a copy of it. Immutable; the memory is
/// used again once the last reference is gone, so keep few. Any thread.
public struct PixelBuffer: Sendable {
    let frame: VideoFrame

    init(_ frame: VideoFrame) { self.frame = frame }

    /// In samples.
    public var width: Int { frame.format.layout.width }
    /// The height of the picture in samples.
    public var height: Int { frame.format.layout.height }
    /// How the samples lie in memory.
    public var pixelFormat: PixelFormat { PixelFormat(frame.format.layout.pixelFormat) }
    /// The number of planes of the pixel format: 1 to 4.
    public var planeCount: Int { frame.format.layout.pixelFormat.planeCount }
    /// When it is to be seen on the item's timeline, and for how long; zero = not known.
    public var presentationTime: MediaTime { MediaTime(nanoseconds: frame.presentationTime) }
    /// How long the picture is shown; zero if unknown.
    public var duration: MediaTime { MediaTime(nanoseconds: frame.duration) }
    /// The width of a sample divided by its height.
    public var sampleAspectRatio: PixelAspectRatio {
        PixelAspectRatio(
            horizontalSpacing: Int(frame.format.attributes.sampleAspectNumerator),
            verticalSpacing: Int(frame.format.attributes.sampleAspectDenominator))
    }
    /// The matrix between RGB and the samples.
    public var colorMatrix: ColorMatrix { ColorMatrix(code: frame.format.attributes.matrix) }
    /// The chromaticities of red, green, blue and white.
    public var colorPrimaries: ColorPrimaries { ColorPrimaries(code: frame.format.attributes.primaries) }
    /// The function between light and sample values.
    public var transferFunction: TransferFunction { TransferFunction(code: frame.format.attributes.transfer) }
    /// Samples use all their codes, and not 16 to 235.
    public var isFullRange: Bool { frame.format.attributes.isFullRange }

    /// Bytes from one row of a plane to the next.
    public func bytesPerRow(ofPlane plane: Int) -> Int { frame.format.layout.planes[plane].stride }
    /// Visible rows of a plane.
    public func rows(ofPlane plane: Int) -> Int { frame.format.layout.pixelFormat.rows(plane: plane, height: height) }

    /// The bytes of one plane, row after row, for the length of `body` only.
    public func withUnsafeBytes<Result, Failure: Error>(
        ofPlane plane: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition((0..<planeCount).contains(plane), "there is no plane \(plane)")
        let layout = frame.format.layout
        let visible = layout.pixelFormat.rowBytes(plane: plane, width: width)
        let count = layout.planes[plane].stride * (rows(ofPlane: plane) - 1) + visible
        defer { withExtendedLifetime(frame) {} }
        return try body(
            UnsafeRawBufferPointer(
                start: UnsafeRawPointer(frame.buffer.base) + layout.planes[plane].offset, count: count))
    }
}
