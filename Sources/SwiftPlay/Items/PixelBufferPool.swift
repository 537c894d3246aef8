import SharedFrames

/// A pool of reusable memory for pictures that a program draws (CVPixelBufferPool). Safe to use from any thread.
///
/// The pictures are in shared memory, like those of a player. A window, and the separate process of Picture-in-Picture,
/// show the pictures without copying them.
public final class PixelBufferPool: Sendable {
    /// The pool of shared memory for frames.
    private let pool: FramePool
    /// The size, pixel format and colours of all pictures of the pool.
    private let format: FrameFormat

    /// Creates a pool. Allocates no memory yet.
    ///
    /// - Parameters:
    ///   - width: The width in samples: 1 to 16384.
    ///   - height: The height in samples: 1 to 16384.
    ///   - pixelFormat: The layout of the samples in memory. Formats with a palette are not supported.
    ///   - sampleAspectRatio: The width of a sample divided by its height.
    ///   - colorMatrix: The matrix of a YCbCr format. If it is unspecified, the size of the picture decides.
    ///   - isFullRange: Whether samples use all codes (0 to 255 in 8 bits) instead of the video range (16 to 235).
    ///   - mostBuffers: The maximum number of pictures that exist at the same time. Pictures on their way to the screen
    ///     need 16 or more.
    /// - Throws: ``PlaybackError`` with the code `unsupported` if pictures cannot have the pixel format or the size.
    public init(
        width: Int, height: Int, pixelFormat: PixelBuffer.PixelFormat = .bgrx,
        sampleAspectRatio: PixelAspectRatio = .square, colorMatrix: PixelBuffer.ColorMatrix = .unspecified,
        isFullRange: Bool = false, mostBuffers: Int = 32
    ) throws {
        guard let frameFormat = PixelFormat(name: pixelFormat.rawValue), !frameFormat.hasPalette else {
            throw PlaybackError(.unsupported, "the pixel format \(pixelFormat.rawValue) is not supported")
        }
        guard let layout = FrameLayout(aligned: frameFormat, width: width, height: height) else {
            throw PlaybackError(.unsupported, "the size \(width)x\(height) is not supported")
        }
        var attributes = PictureAttributes()
        if let numerator = Int32(exactly: sampleAspectRatio.horizontalSpacing),
            let denominator = Int32(exactly: sampleAspectRatio.verticalSpacing)
        {
            (attributes.sampleAspectNumerator, attributes.sampleAspectDenominator) = (numerator, denominator)
        }
        attributes.matrix = MatrixCoefficients(rawValue: UInt8(colorMatrix.rawValue))
        attributes.isFullRange = isFullRange
        format = FrameFormat(layout: layout, attributes: attributes)
        pool = FramePool(limit: FramePool.Limit(frameCount: max(1, mostBuffers)))
    }

    /// The width of the pictures in samples.
    public var width: Int { format.layout.width }
    /// The height of the pictures in samples.
    public var height: Int { format.layout.height }
    /// The layout of the pictures' samples in memory.
    public var pixelFormat: PixelBuffer.PixelFormat { PixelBuffer.PixelFormat(format.layout.pixelFormat) }

    /// Returns a picture to draw into (CVPixelBufferPoolCreatePixelBuffer). Its memory may contain the samples of an
    /// older picture.
    ///
    /// - Throws: ``PlaybackError`` with the code `resources` if the maximum number of pictures is in use, by the
    ///   program or by the screen, or if there is no memory.
    public func makeBuffer() throws -> WritablePixelBuffer {
        do throws(FramePool.Refusal) {
            return WritablePixelBuffer(
                buffer: try pool.acquire(size: format.layout.requiredSize + FrameLayout.overreadPadding),
                format: format)
        } catch {
            switch error {
            case .limitReached: throw PlaybackError(.resources, "all pixel buffers of the pool are in use")
            case .system(let reason):
                throw PlaybackError(.resources, "no memory for a pixel buffer: \(reason)", underlying: reason)
            }
        }
    }
}

/// A picture that a program draws. It has one owner and cannot be copied.
/// ``finished(presentationTime:duration:)`` turns it into an immutable ``PixelBuffer``.
public struct WritablePixelBuffer: ~Copyable, Sendable {
    /// The memory into which the program draws.
    private let buffer: FrameBuffer
    /// The size, pixel format and colours of the picture.
    private let format: FrameFormat

    /// Creates a picture in memory of a pool.
    init(buffer: FrameBuffer, format: FrameFormat) { (self.buffer, self.format) = (buffer, format) }

    /// The width of the picture in samples.
    public var width: Int { format.layout.width }
    /// The height of the picture in samples.
    public var height: Int { format.layout.height }
    /// The layout of the picture's samples in memory.
    public var pixelFormat: PixelBuffer.PixelFormat { PixelBuffer.PixelFormat(format.layout.pixelFormat) }
    /// The number of planes of the pixel format: 1 to 4.
    public var planeCount: Int { format.layout.pixelFormat.planeCount }

    /// Returns the number of bytes from one row of a plane to the next.
    ///
    /// - Parameter plane: The number of the plane, from 0. With other numbers a precondition fails.
    public func bytesPerRow(ofPlane plane: Int) -> Int { format.layout.planes[plane].stride }
    /// Returns the number of visible rows of a plane.
    ///
    /// - Parameter plane: The number of the plane, from 0.
    public func rows(ofPlane plane: Int) -> Int { format.layout.pixelFormat.rows(plane: plane, height: height) }

    /// Calls a closure with the bytes of a plane, row after row.
    ///
    /// - Parameters:
    ///   - plane: The number of the plane, from 0. With other numbers a precondition fails.
    ///   - body: Draws into the bytes, which are valid only until it returns.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    public mutating func withUnsafeMutableBytes<Result, Failure: Error>(
        ofPlane plane: Int, _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition((0..<planeCount).contains(plane), "there is no plane \(plane)")
        let rowByteCount = format.layout.pixelFormat.rowBytes(plane: plane, width: width)
        let planeByteCount = bytesPerRow(ofPlane: plane) * (rows(ofPlane: plane) - 1) + rowByteCount
        defer { withExtendedLifetime(buffer) {} }
        return try body(
            UnsafeMutableRawBufferPointer(
                start: buffer.base + format.layout.planes[plane].offset, count: planeByteCount))
    }

    /// Returns the finished picture.
    ///
    /// - Parameters:
    ///   - presentationTime: The time at which a layer shows the picture, by the layer's clock. A time that is not
    ///     numeric becomes zero.
    ///   - duration: The time for which the picture is shown; zero if it is shown until the next picture.
    /// - Returns: The picture.
    public consuming func finished(presentationTime: MediaTime = .zero, duration: MediaTime = .zero) -> PixelBuffer {
        PixelBuffer(
            VideoFrame(
                id: VideoFrame.makeID(), buffer: buffer, format: format,
                presentationTime: presentationTime.nanoseconds ?? 0,
                duration: max(0, duration.nanoseconds ?? 0), streamTime: nil, generation: 0))
    }
}
