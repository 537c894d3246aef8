import SharedFrames

/// A decoded picture, to be read (CVPixelBuffer): the player's own memory, not a copy of it. Immutable; the memory is
/// used again once the last reference is gone, so keep few. Any thread.
public struct PixelBuffer: Sendable {
    let frame: VideoFrame

    init(_ frame: VideoFrame) { self.frame = frame }

    /// In samples.
    public var width: Int { frame.format.layout.width }
    public var height: Int { frame.format.layout.height }
    /// FFmpeg's name of the pixel format: `yuv420p`, `bgr0`.
    public var pixelFormat: String { frame.format.layout.pixelFormat.name }
    public var planeCount: Int { frame.format.layout.pixelFormat.planeCount }
    /// When it is to be seen on the item's timeline, and for how long; zero = not known.
    public var presentationTime: MediaTime { MediaTime(nanoseconds: frame.presentationTime) }
    public var duration: MediaTime { MediaTime(nanoseconds: frame.duration) }
    /// Width over height of one sample.
    public var sampleAspectRatio: (width: Int, height: Int) {
        (Int(frame.format.attributes.sampleAspectNumerator), Int(frame.format.attributes.sampleAspectDenominator))
    }
    /// Numbers of ITU-T H.273; 2 = not stated.
    public var colorMatrix: Int { Int(frame.format.attributes.matrix) }
    public var colorPrimaries: Int { Int(frame.format.attributes.primaries) }
    public var transferFunction: Int { Int(frame.format.attributes.transfer) }
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
