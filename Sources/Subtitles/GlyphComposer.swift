import CASS
import SharedFrames

/// Functions that combine the single-colour bitmaps of libass into a few boxes of premultiplied BGRA pixels.
enum GlyphComposer {
    /// The maximum vertical distance, in pixels, between images that are combined into one box.
    private static let mergeDistance = 16

    /// Converts the linked list of libass images that starts at `firstImage` to boxes of pixels. Parts outside a window
    /// of `size` are cut off.
    static func boxes(_ firstImage: UnsafeMutablePointer<ASS_Image>?, size: PixelSize) -> [OverlayPicture.Box] {
        var images: [ASS_Image] = []
        var nextImage = firstImage
        while let image = nextImage?.pointee {
            if image.w > 0, image.h > 0, image.bitmap != nil, image.color & 0xFF != 0xFF { images.append(image) }
            nextImage = image.next
        }
        return mergedRects(images.map { clipped($0, size) }).compactMap { rect in
            var pixels = [UInt8](repeating: 0, count: rect.width * rect.height * 4)
            pixels.withUnsafeMutableBytes { bytes in
                guard let baseAddress = bytes.baseAddress else { return }
                for image in images { blend(image, into: baseAddress, rect) }
            }
            return OverlayPicture.Box(rect: rect, pixels: pixels)
        }
    }

    /// Returns the part of an image that lies inside the window.
    private static func clipped(_ image: ASS_Image, _ size: PixelSize) -> PixelRect {
        let x = max(0, Int(image.dst_x)), y = max(0, Int(image.dst_y))
        let right = min(size.width, Int(image.dst_x) + Int(image.w)),
            bottom = min(size.height, Int(image.dst_y) + Int(image.h))
        return PixelRect(x: x, y: y, width: max(0, right - x), height: max(0, bottom - y))
    }

    /// Groups rectangles that are close to each other vertically, and returns the bounding box of each group, so that
    /// distant lines of text get separate boxes.
    static func mergedRects(_ rects: [PixelRect]) -> [PixelRect] {
        var mergedRects: [PixelRect] = []
        for rect in rects.filter({ $0.width > 0 && $0.height > 0 }).sorted(by: { $0.y < $1.y }) {
            if let lastRect = mergedRects.last, rect.y <= lastRect.y + lastRect.height + mergeDistance {
                let x = min(lastRect.x, rect.x), bottom = max(lastRect.y + lastRect.height, rect.y + rect.height)
                let right = max(lastRect.x + lastRect.width, rect.x + rect.width)
                mergedRects[mergedRects.count - 1] = PixelRect(
                    x: x, y: lastRect.y, width: right - x, height: bottom - lastRect.y)
            } else {
                mergedRects.append(rect)
            }
        }
        return mergedRects
    }

    /// Draws an image in its colour over the pixels of a box.
    private static func blend(_ image: ASS_Image, into base: UnsafeMutableRawPointer, _ box: PixelRect) {
        guard let bitmap = image.bitmap else { return }
        let left = max(Int(image.dst_x), box.x), right = min(Int(image.dst_x) + Int(image.w), box.x + box.width)
        let top = max(Int(image.dst_y), box.y), bottom = min(Int(image.dst_y) + Int(image.h), box.y + box.height)
        guard left < right, top < bottom else { return }
        let colour = image.color
        let red = colour >> 24 & 0xFF, green = colour >> 16 & 0xFF, blue = colour >> 8 & 0xFF,
            opacity = 255 - (colour & 0xFF)
        for y in top..<bottom {
            let source = bitmap + (y - Int(image.dst_y)) * Int(image.stride) - Int(image.dst_x)
            let targetRow = (base + ((y - box.y) * box.width - box.x) * 4).assumingMemoryBound(to: UInt8.self)
            for x in left..<right {
                let coverage = UInt32(source[x])
                if coverage == 0 { continue }
                let alpha = (coverage &* opacity &+ 127) / 255, inverseAlpha = 255 &- alpha
                let pixel = targetRow + x * 4
                pixel[0] = UInt8(truncatingIfNeeded: (blue &* alpha &+ UInt32(pixel[0]) &* inverseAlpha &+ 127) / 255)
                pixel[1] = UInt8(truncatingIfNeeded: (green &* alpha &+ UInt32(pixel[1]) &* inverseAlpha &+ 127) / 255)
                pixel[2] = UInt8(truncatingIfNeeded: (red &* alpha &+ UInt32(pixel[2]) &* inverseAlpha &+ 127) / 255)
                pixel[3] = UInt8(truncatingIfNeeded: (255 &* alpha &+ UInt32(pixel[3]) &* inverseAlpha &+ 127) / 255)
            }
        }
    }
}
