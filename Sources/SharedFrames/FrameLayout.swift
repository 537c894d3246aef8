/// The memory layout of a picture: width, height, and the offset and stride of each plane.
///
/// The initialisers reject invalid values, so that the offsets of all visible bytes are less than ``requiredSize``.
package struct FrameLayout: Hashable, Sendable {
    /// The position of one plane, or of the palette, in the memory of a picture.
    package struct Plane: Hashable, Sendable {
        /// The number of bytes from the start of the memory to the plane's first sample.
        package let offset: Int
        /// The number of bytes from one row of the plane to the next.
        package let stride: Int
        package init(offset: Int, stride: Int) {
            self.offset = offset
            self.stride = stride
        }
    }

    /// The maximum width or height of a picture in pixels. The limit is close to FFmpeg's own limit, and prevents
    /// overflow when sizes are multiplied.
    package static let maximumDimension = 16_384
    /// The size of a palette in bytes: 256 colours of 4 bytes.
    package static let paletteBytes = 1024

    /// The pixel format of the samples.
    package let pixelFormat: PixelFormat
    /// The visible width in pixels.
    package let width: Int
    /// The visible height in pixels.
    package let height: Int
    /// The planes in memory: one entry per plane, plus one for the palette if the format has one.
    package let planes: [Plane]
    /// The number of bytes of memory that the planes need.
    package let requiredSize: Int

    /// Creates a layout with the given planes; nil if their number does not match the pixel format, if rows overlap, or
    /// if a value is out of bounds.
    package init?(pixelFormat: PixelFormat, width: Int, height: Int, planes: [Plane]) {
        guard (1...Self.maximumDimension).contains(width), (1...Self.maximumDimension).contains(height) else {
            return nil
        }
        guard planes.count == pixelFormat.planeCount + (pixelFormat.hasPalette ? 1 : 0) else { return nil }
        var endOffset = 0
        for (index, plane) in planes.enumerated() {
            guard (0...Self.maximumBytes).contains(plane.offset) else { return nil }
            guard index < pixelFormat.planeCount else {
                guard (0...Self.maximumStride).contains(plane.stride) else { return nil }
                endOffset = max(endOffset, plane.offset + Self.paletteBytes)
                continue
            }
            let rowBytes = pixelFormat.rowBytes(plane: index, width: width)
            guard plane.stride >= rowBytes, plane.stride <= Self.maximumStride else { return nil }
            let lastRow = pixelFormat.rows(plane: index, height: height) - 1
            endOffset = max(endOffset, plane.offset + plane.stride * lastRow + rowBytes)
        }
        guard endOffset <= Self.maximumBytes else { return nil }
        self.pixelFormat = pixelFormat
        self.width = width
        self.height = height
        self.planes = planes
        requiredSize = endOffset
    }

    /// Creates a layout with consecutive planes and rows aligned to 64 bytes for vector instructions; nil if the size
    /// is out of bounds.
    package init?(aligned pixelFormat: PixelFormat, width: Int, height: Int) {
        guard (1...Self.maximumDimension).contains(width), (1...Self.maximumDimension).contains(height) else {
            return nil
        }
        var planes: [Plane] = [], endOffset = 0
        for index in 0..<pixelFormat.planeCount {
            var stride = (pixelFormat.rowBytes(plane: index, width: width) + 63) / 64 * 64
            // Avoid a stride that is a multiple of the page size: it maps every row to the same cache sets.
            if stride % 4096 == 0 { stride += 64 }
            planes.append(Plane(offset: endOffset, stride: stride))
            endOffset += stride * pixelFormat.rows(plane: index, height: height) + Self.overreadPadding
        }
        if pixelFormat.hasPalette { planes.append(Plane(offset: endOffset, stride: 0)) }
        self.init(pixelFormat: pixelFormat, width: width, height: height, planes: planes)
    }

    /// The number of bytes beyond the end of the samples that the vector loads of a scaler may read. The memory of a
    /// picture is larger by this amount.
    package static let overreadPadding = 64

    /// The maximum memory of a picture in bytes: 16384 × 16384 pixels × 8 bytes.
    package static let maximumBytes = 1 << 31
    /// The maximum stride (distance between two rows) in bytes.
    package static let maximumStride = 1 << 18
}
