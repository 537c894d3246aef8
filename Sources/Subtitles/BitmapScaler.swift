import MediaPipeline
import SharedFrames

/// Scales a subtitle's bitmaps to the position and size of the video on screen. The pixels are premultiplied, so the
/// scaler can average them without conversion.
enum BitmapScaler {
    /// Returns the area of the window that the canvas of subtitle bitmaps covers. A film is often cropped to remove
    /// black bars while its subtitles are not. The canvas then extends beyond the picture, so that letters keep their
    /// shape, and is moved so that no bitmap is cut off.
    static func area(of bitmaps: [SubtitleBitmap], canvas: PixelSize, place: OverlayGeometry) -> PixelRect {
        let picture = place.pictureRect
        guard canvas.width >= minimumSquarePixelCanvasWidth, canvas.height > 0, !picture.size.isEmpty else {
            return picture
        }
        let sx = Double(picture.width) / Double(canvas.width), sy = Double(picture.height) / Double(canvas.height)
        guard max(sx, sy) > min(sx, sy) * 1.02 else { return picture }
        let factor = max(sx, sy)
        let width = Int((Double(canvas.width) * factor).rounded()),
            height = Int((Double(canvas.height) * factor).rounded())
        var y = picture.y + (picture.height - height) / 2
        let top = bitmaps.map(\.rect.y).min() ?? 0, bottom = bitmaps.map { $0.rect.y + $0.rect.height }.max() ?? 0
        let over = y + Int((Double(bottom) * factor).rounded(.up)) - place.windowSize.height,
            under = -(y + Int(Double(top) * factor))
        // If bitmaps overflow at both ends, `box` moves each bitmap inside the window separately.
        if over > 0, under < 0 { y -= min(over, -under) }
        if under > 0, over < 0 { y += min(under, -over) }
        return PixelRect(x: picture.x + (picture.width - width) / 2, y: y, width: width, height: height)
    }

    /// The canvas width, in pixels, from which the pixels of a canvas count as square. Canvases of DVDs and of
    /// standard-definition broadcasts are narrower and are stretched with the film.
    private static let minimumSquarePixelCanvasWidth = 1280

    /// Returns a bitmap scaled to its size in the window, with its position; nil if the canvas or the area is empty.
    ///
    /// - Parameters:
    ///   - canvas: The size of the canvas to which the bitmap's position refers.
    ///   - area: The area of the window that the canvas covers.
    ///   - size: The size of the window.
    ///   - scale: The factor by which the bitmap is enlarged; the middle of its lower edge stays in place.
    static func box(_ bitmap: SubtitleBitmap, canvas: PixelSize, area: PixelRect, size: PixelSize, scale: Double)
        -> OverlayPicture.Box?
    {
        guard !canvas.isEmpty, !area.size.isEmpty else { return nil }
        let sx = Double(area.width) / Double(canvas.width), sy = Double(area.height) / Double(canvas.height)
        let width = Double(bitmap.rect.width) * sx * scale, height = Double(bitmap.rect.height) * sy * scale
        let middle = Double(area.x) + (Double(bitmap.rect.x) + Double(bitmap.rect.width) / 2) * sx
        let bottom = Double(area.y) + Double(bitmap.rect.y + bitmap.rect.height) * sy
        let w = min(max(1, Int(width.rounded())), size.width), h = min(max(1, Int(height.rounded())), size.height)
        let x = min(max(0, Int((middle - width / 2).rounded())), size.width - w),
            y = min(max(0, Int((bottom - height).rounded())), size.height - h)
        return OverlayPicture.Box(
            rect: PixelRect(x: x, y: y, width: w, height: h),
            pixels: scaled(bitmap.pixels, from: bitmap.rect.size, to: PixelSize(width: w, height: h)))
    }

    /// Returns the pixels resampled to another size: averages when shrinking, and interpolates when enlarging.
    static func scaled(_ pixels: [UInt8], from: PixelSize, to: PixelSize) -> [UInt8] {
        guard from != to else { return pixels }
        let columns = sourceSpans(from.width, to.width), rows = sourceSpans(from.height, to.height)
        // The horizontal pass comes first and keeps 8 bits of extra precision; the vertical pass follows. The weights
        // of a pixel add up to 4096, so that every sum fits in 32 bits.
        var middle = [UInt32](repeating: 0, count: to.width * from.height * 4)
        var result = [UInt8](repeating: 0, count: to.width * to.height * 4)
        pixels.withUnsafeBufferPointer { source in
            middle.withUnsafeMutableBufferPointer { middle in
                for y in 0..<from.height {
                    for x in 0..<to.width {
                        let column = columns[x]
                        var sums: (UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0)
                        for (offset, weight) in column.weights.enumerated() {
                            let p = (y &* from.width &+ column.first &+ offset) &* 4
                            sums.0 &+= UInt32(source[p]) &* weight
                            sums.1 &+= UInt32(source[p &+ 1]) &* weight
                            sums.2 &+= UInt32(source[p &+ 2]) &* weight
                            sums.3 &+= UInt32(source[p &+ 3]) &* weight
                        }
                        let p = (y &* to.width &+ x) &* 4
                        (middle[p], middle[p &+ 1], middle[p &+ 2], middle[p &+ 3]) = (
                            sums.0 >> 4, sums.1 >> 4, sums.2 >> 4, sums.3 >> 4
                        )
                    }
                }
                for y in 0..<to.height {
                    let row = rows[y]
                    for index in 0..<to.width &* 4 {
                        var sum: UInt32 = 0
                        for (offset, weight) in row.weights.enumerated() {
                            sum &+= middle[(row.first &+ offset) &* to.width &* 4 &+ index] &* weight
                        }
                        result[y &* to.width &* 4 &+ index] = UInt8(
                            truncatingIfNeeded: min(255, (sum &+ (1 << 19)) >> 20))
                    }
                }
            }
        }
        return result
    }

    /// The consecutive source pixels that contribute to one output pixel.
    private struct SourceSpan {
        /// The index, in the row or column, of the first source pixel.
        var first: Int
        /// The weight of each source pixel, in units of 1/4096.
        var weights: [UInt32]
    }

    /// Returns, for each of `to` output pixels, the contributing pixels of a row or column with `from` source pixels.
    private static func sourceSpans(_ from: Int, _ to: Int) -> [SourceSpan] {
        let step = Double(from) / Double(to), reach = max(step, 1) / 2
        return (0..<to).map { index in
            let centre = (Double(index) + 0.5) * step
            let first = min(max(0, Int((centre - reach - 0.5).rounded(.up))), from - 1)
            let last = max(first, min(from - 1, Int((centre + reach + 0.5).rounded(.down)) - 1))
            // Compute the weights of a triangular (tent) filter at the pixel centres.
            var shares = (first...last).map { max(1e-6, 1 - abs(Double($0) + 0.5 - centre) / (reach * 2)) }
            let sum = shares.reduce(0, +)
            shares = shares.map { $0 / sum * 4096 }
            var whole = shares.map { UInt32($0) }
            whole[0] += 4096 - whole.reduce(0, +)
            return SourceSpan(first: first, weights: whole)
        }
    }
}
