import SharedFrames

/// Functions that blend premultiplied BGRA pixels over BGRX pixels.
package enum OverlayBlender {
    /// Blends one rectangle of an overlay over pixels.
    ///
    /// - Parameters:
    ///   - boxPixels: The rectangle's premultiplied BGRA pixels, in rows of `rect.width` pixels without padding.
    ///   - rect: The rectangle's position and size in the target. Parts outside `size` are skipped.
    ///   - pixels: The BGRX pixels of the target: `size.height` rows, `stride` bytes apart.
    package static func blend(
        _ boxPixels: UnsafeRawPointer, _ rect: PixelRect, into pixels: UnsafeMutableRawPointer, size: PixelSize,
        stride: Int
    ) {
        let left = max(0, rect.x), right = min(size.width, rect.x + rect.width)
        let top = max(0, rect.y), bottom = min(size.height, rect.y + rect.height)
        guard left < right, top < bottom else { return }
        for y in top..<bottom {
            let source = (boxPixels + ((y - rect.y) * rect.width + left - rect.x) * 4)
                .assumingMemoryBound(to: UInt32.self)
            let target = (pixels + y * stride + left * 4).assumingMemoryBound(to: UInt32.self)
            for x in 0..<(right &- left) { blend(UInt32(littleEndian: source[x]), over: target + x) }
        }
    }

    /// Blends one premultiplied BGRA pixel over a BGRX pixel.
    @inline(__always)
    static func blend(_ overlayPixel: UInt32, over target: UnsafeMutablePointer<UInt32>) {
        let alpha = overlayPixel >> 24
        if alpha == 0 { return }
        if alpha == 255 {
            target.pointee = overlayPixel.littleEndian
            return
        }
        // Process two channels at once; the unused bits between them hold the carry.
        let background = UInt32(littleEndian: target.pointee), inverseAlpha = 255 &- alpha
        let redBlue = ((background & 0xFF00FF) &* inverseAlpha &+ 0x800080) >> 8 & 0xFF00FF
        let green = ((background >> 8 & 0xFF) &* inverseAlpha &+ 0x80) >> 8 & 0xFF
        target.pointee = (overlayPixel &+ redBlue &+ green << 8).littleEndian
    }

    /// Blends all rectangles of an overlay over `size.height` rows of BGRX pixels, `stride` bytes apart.
    package static func blend(
        _ overlay: OverlayPicture, into pixels: UnsafeMutableRawPointer, size: PixelSize, stride: Int
    ) {
        for box in overlay.boxes {
            box.pixels.withUnsafeBytes { bytes in
                if let baseAddress = bytes.baseAddress {
                    blend(baseAddress, box.rect, into: pixels, size: size, stride: stride)
                }
            }
        }
    }
}
