/// Where the planes of a picture lie in a memory file: width x height, and an offset and a stride for each plane.
///
/// A value that exists is sound: every visible byte it speaks of lies below ``requiredSize``.
package struct FrameLayout: Hashable, Sendable {
    package struct Plane: Hashable, Sendable {
        /// Bytes from the start of the memory to the first sample.
        package let offset: Int
        /// Bytes from one row to the next.
        package let stride: Int
        package init(offset: Int, stride: Int) {
            self.offset = offset
            self.stride = stride
        }
    }

    /// The largest width or height: FFmpeg's own limit is near, and products stay far from overflow.
    package static let maximumDimension = 16_384
    package static let paletteBytes = 1024

    package let pixelFormat: PixelFormat
    /// Visible pixels.
    package let width: Int
    package let height: Int
    /// One entry a plane, and one more for the palette where there is one.
    package let planes: [Plane]
    /// Bytes of memory that the planes reach into.
    package let requiredSize: Int

    /// Checks the claim; nil when a plane is missing, rows overlap themselves or anything is out of bounds.
    package init?(pixelFormat: PixelFormat, width: Int, height: Int, planes: [Plane]) {
        guard (1...Self.maximumDimension).contains(width), (1...Self.maximumDimension).contains(height) else {
            return nil
        }
        guard planes.count == pixelFormat.planeCount + (pixelFormat.hasPalette ? 1 : 0) else { return nil }
        var end = 0
        for (index, plane) in planes.enumerated() {
            guard (0...Self.maximumBytes).contains(plane.offset) else { return nil }
            guard index < pixelFormat.planeCount else {
                guard (0...Self.maximumStride).contains(plane.stride) else { return nil }
                end = max(end, plane.offset + Self.paletteBytes)
                continue
            }
            let rowBytes = pixelFormat.rowBytes(plane: index, width: width)
            guard plane.stride >= rowBytes, plane.stride <= Self.maximumStride else { return nil }
            end = max(
                end, plane.offset + plane.stride * (pixelFormat.rows(plane: index, height: height) - 1) + rowBytes)
        }
        guard end <= Self.maximumBytes else { return nil }
        self.pixelFormat = pixelFormat
        self.width = width
        self.height = height
        self.planes = planes
        requiredSize = end
    }

    /// One plane after another, rows aligned as vector instructions like them; nil for a size that no picture can have.
    package init?(aligned pixelFormat: PixelFormat, width: Int, height: Int) {
        guard (1...Self.maximumDimension).contains(width), (1...Self.maximumDimension).contains(height) else {
            return nil
        }
        var planes: [Plane] = [], end = 0
        for index in 0..<pixelFormat.planeCount {
            var stride = (pixelFormat.rowBytes(plane: index, width: width) + 63) / 64 * 64
            // A stride that is a multiple of a page puts every row on the same cache sets.
            if stride % 4096 == 0 { stride += 64 }
            planes.append(Plane(offset: end, stride: stride))
            end += stride * pixelFormat.rows(plane: index, height: height) + Self.slack
        }
        if pixelFormat.hasPalette { planes.append(Plane(offset: end, stride: 0)) }
        self.init(pixelFormat: pixelFormat, width: width, height: height, planes: planes)
    }

    /// Bytes behind the picture that a scaler's widest loads may touch: memory for a picture has so many more.
    package static let slack = 64

    /// 16384 x 16384 x 8 bytes.
    package static let maximumBytes = 1 << 31
    package static let maximumStride = 1 << 18
}
