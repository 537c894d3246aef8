import SharedFrames

/// Functions that rotate and mirror pictures with 32-bit pixels.
enum PictureRotator {
    /// The edge length, in pixels, of the square blocks that are copied one after another. Source and target of one
    /// block fit into the processor's cache.
    private static let blockLength = 32

    /// Copies a picture and rotates or mirrors it.
    ///
    /// - Parameter size: The size of the picture in `source`.
    static func copy(
        _ source: UnsafeRawPointer, size: PixelSize, stride: Int, orientation: PictureOrientation,
        to target: UnsafeMutableRawPointer,
        targetStride: Int
    ) {
        // The distances in bytes between the target positions of two horizontally (`stepX`) or vertically (`stepY`)
        // neighbouring source pixels.
        let stepX =
            orientation.transposes
            ? (orientation.mirrorsY ? -targetStride : targetStride) : (orientation.mirrorsX ? -4 : 4)
        let stepY =
            orientation.transposes
            ? (orientation.mirrorsX ? -4 : 4) : (orientation.mirrorsY ? -targetStride : targetStride)
        let rotatedSize = orientation.rotated(size)
        let origin =
            target + (orientation.mirrorsX ? (rotatedSize.width - 1) * 4 : 0)
            + (orientation.mirrorsY ? (rotatedSize.height - 1) * targetStride : 0)
        for top in Swift.stride(from: 0, to: size.height, by: blockLength) {
            for left in Swift.stride(from: 0, to: size.width, by: blockLength) {
                let right = min(left + blockLength, size.width)
                var y = top
                while y < min(top + blockLength, size.height) {
                    var sourcePixel = source + y * stride + left * 4, targetPixel = origin + y * stepY + left * stepX
                    var x = left
                    while x < right {
                        targetPixel.storeBytes(of: sourcePixel.load(as: UInt32.self), as: UInt32.self)
                        sourcePixel += 4
                        targetPixel += stepX
                        x += 1
                    }
                    y += 1
                }
            }
        }
    }
}

/// Functions that blend pictures with alpha on black.
enum AlphaBlend {
    /// Blends BGRA pixels (not premultiplied) on black, in place.
    static func compositeOnBlack(_ pixels: UnsafeMutableRawPointer, size: PixelSize, stride: Int) {
        for y in 0..<size.height {
            let row = (pixels + y * stride).assumingMemoryBound(to: UInt32.self)
            var x = 0
            while x < size.width {
                let pixel = row[x], alpha = pixel >> 24
                if alpha != 255 {
                    // Process two channels at once. The rounded division by 255 adds 128 and then a 256th of the
                    // product.
                    let redBlue = scaled(pixel & 0x00ff_00ff, alpha), green = scaled((pixel >> 8) & 0xff, alpha)
                    row[x] = redBlue | green << 8 | 0xff00_0000
                }
                x += 1
            }
        }
    }

    /// Multiplies two packed colour channels by `alpha` / 255.
    private static func scaled(_ channelPair: UInt32, _ alpha: UInt32) -> UInt32 {
        let product = channelPair &* alpha &+ 0x0080_0080
        return ((product &+ ((product >> 8) & 0x00ff_00ff)) >> 8) & 0x00ff_00ff
    }
}

/// Functions that convert gray from limited range (16...235) to full range.
enum GrayRange {
    /// The full-range code of each limited-range code, which is the index.
    private static let fullRangeCodes: [UInt32] = (0..<256).map { (code: Int) -> UInt32 in
        let fullRangeCode = ((code - 16) * 255 + 109) / 219
        return UInt32(min(max(fullRangeCode, 0), 255))
    }

    /// Stretches gray BGRA pixels from limited to full range, in place. Alpha is unchanged.
    static func stretch(_ pixels: UnsafeMutableRawPointer, size: PixelSize, stride: Int) {
        fullRangeCodes.withUnsafeBufferPointer { table in
            for y in 0..<size.height {
                let row = (pixels + y * stride).assumingMemoryBound(to: UInt32.self)
                var x = 0
                while x < size.width {
                    row[x] = table[Int(row[x] & 0xff)] &* 0x0001_0101 | row[x] & 0xff00_0000
                    x += 1
                }
            }
        }
    }
}
