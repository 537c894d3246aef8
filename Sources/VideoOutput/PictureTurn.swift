import SharedFrames

/// Copies a picture of 32-bit pixels so that it lies another way.
enum PictureTurn {
    /// Edge of the squares in which rows become columns: both sides of such a square stay in the cache.
    private static let block = 32

    /// - Parameters:
    ///   - size: of the picture as it lies in `source`.
    static func copy(
        _ source: UnsafeRawPointer, size: PixelSize, stride: Int, orientation: PictureOrientation,
        to target: UnsafeMutableRawPointer,
        targetStride: Int
    ) {
        // Bytes in the target from one pixel of the source to its right and its lower neighbour.
        let stepX =
            orientation.transposes
            ? (orientation.mirrorsY ? -targetStride : targetStride) : (orientation.mirrorsX ? -4 : 4)
        let stepY =
            orientation.transposes
            ? (orientation.mirrorsX ? -4 : 4) : (orientation.mirrorsY ? -targetStride : targetStride)
        let turned = orientation.turned(size)
        let origin =
            target + (orientation.mirrorsX ? (turned.width - 1) * 4 : 0)
            + (orientation.mirrorsY ? (turned.height - 1) * targetStride : 0)
        for top in Swift.stride(from: 0, to: size.height, by: block) {
            for left in Swift.stride(from: 0, to: size.width, by: block) {
                let right = min(left + block, size.width)
                var y = top
                while y < min(top + block, size.height) {
                    var from = source + y * stride + left * 4, to = origin + y * stepY + left * stepX
                    var x = left
                    while x < right {
                        to.storeBytes(of: from.load(as: UInt32.self), as: UInt32.self)
                        from += 4
                        to += stepX
                        x += 1
                    }
                    y += 1
                }
            }
        }
    }
}

/// Pictures with alpha are seen on black.
enum AlphaBlend {
    /// BGRA pixels, colour not multiplied yet.
    static func onBlack(_ pixels: UnsafeMutableRawPointer, size: PixelSize, stride: Int) {
        for y in 0..<size.height {
            let row = (pixels + y * stride).assumingMemoryBound(to: UInt32.self)
            var x = 0
            while x < size.width {
                let pixel = row[x], alpha = pixel >> 24
                if alpha != 255 {
                    // Two channels at once; + 128 and the second term round the division by 255.
                    let rb = scaled(pixel & 0x00ff_00ff, alpha), g = scaled((pixel >> 8) & 0xff, alpha)
                    row[x] = rb | g << 8 | 0xff00_0000
                }
                x += 1
            }
        }
    }

    private static func scaled(_ pair: UInt32, _ alpha: UInt32) -> UInt32 {
        let product = pair &* alpha &+ 0x0080_0080
        return ((product &+ ((product >> 8) & 0x00ff_00ff)) >> 8) & 0x00ff_00ff
    }
}

/// Gray whose samples use 16 to 235 only.
enum GrayRange {
    private static let stretched: [UInt32] = (0..<256).map { (code: Int) -> UInt32 in
        let full = ((code - 16) * 255 + 109) / 219
        return UInt32(min(max(full, 0), 255))
    }

    /// BGRA pixels of gray; alpha stays.
    static func stretch(_ pixels: UnsafeMutableRawPointer, size: PixelSize, stride: Int) {
        stretched.withUnsafeBufferPointer { table in
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
