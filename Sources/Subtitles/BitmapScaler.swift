import MediaPipeline
import SharedFrames

/// Functions that scale the bitmaps of a subtitle to their position and size in the window. The pixels are
/// premultiplied by alpha, so the scaler can average them without conversion.
enum BitmapScaler {
    /// Returns the area of the window that the canvas of subtitle bitmaps covers. The canvas is the area to which the
    /// positions of the bitmaps refer.
    ///
    /// A video is often cropped to remove black bars, while the canvas of its subtitles is not cropped. The returned
    /// area then extends beyond the picture, so that letters keep their shape, and is moved so that no bitmap is cut
    /// off.
    static func area(of bitmaps: [SubtitleBitmap], canvas: PixelSize, in geometry: OverlayGeometry) -> PixelRect {
        let picture = geometry.pictureRect
        guard canvas.width >= minimumSquarePixelCanvasWidth, canvas.height > 0, !picture.size.isEmpty else {
            return picture
        }
        let scaleX = Double(picture.width) / Double(canvas.width),
            scaleY = Double(picture.height) / Double(canvas.height)
        guard max(scaleX, scaleY) > min(scaleX, scaleY) * 1.02 else { return picture }
        let factor = max(scaleX, scaleY)
        let width = Int((Double(canvas.width) * factor).rounded()),
            height = Int((Double(canvas.height) * factor).rounded())
        var y = picture.y + (picture.height - height) / 2
        let top = bitmaps.map(\.rect.y).min() ?? 0, bottom = bitmaps.map { $0.rect.y + $0.rect.height }.max() ?? 0
        let overflowBelow = y + Int((Double(bottom) * factor).rounded(.up)) - geometry.windowSize.height,
            overflowAbove = -(y + Int(Double(top) * factor))
        // If bitmaps overflow at both ends, `box` moves each bitmap inside the window separately.
        if overflowBelow > 0, overflowAbove < 0 { y -= min(overflowBelow, -overflowAbove) }
        if overflowAbove > 0, overflowBelow < 0 { y += min(overflowAbove, -overflowBelow) }
        return PixelRect(x: picture.x + (picture.width - width) / 2, y: y, width: width, height: height)
    }

    /// The minimum width, in pixels, of a canvas whose pixels count as square. Canvases of DVDs and of
    /// standard-definition broadcasts are narrower and are stretched with the picture.
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
        let scaleX = Double(area.width) / Double(canvas.width), scaleY = Double(area.height) / Double(canvas.height)
        let width = Double(bitmap.rect.width) * scaleX * scale, height = Double(bitmap.rect.height) * scaleY * scale
        let centreX = Double(area.x) + (Double(bitmap.rect.x) + Double(bitmap.rect.width) / 2) * scaleX
        let bottom = Double(area.y) + Double(bitmap.rect.y + bitmap.rect.height) * scaleY
        let boxWidth = min(max(1, Int(width.rounded())), size.width),
            boxHeight = min(max(1, Int(height.rounded())), size.height)
        let x = min(max(0, Int((centreX - width / 2).rounded())), size.width - boxWidth),
            y = min(max(0, Int((bottom - height).rounded())), size.height - boxHeight)
        return OverlayPicture.Box(
            rect: PixelRect(x: x, y: y, width: boxWidth, height: boxHeight),
            pixels: scaled(bitmap.pixels, from: bitmap.rect.size, to: PixelSize(width: boxWidth, height: boxHeight)))
    }

    /// Returns the pixels resampled to another size: averages when shrinking, and interpolates when enlarging.
    static func scaled(_ pixels: [UInt8], from: PixelSize, to: PixelSize) -> [UInt8] {
        guard from != to else { return pixels }
        let columns = sourceSpans(from.width, to.width), rows = sourceSpans(from.height, to.height)
        // The horizontal pass runs first and its results have 8 additional bits of precision. Then the vertical pass
        // runs. The weights for a pixel add up to 4096, so that every sum fits in 32 bits.
        var intermediate = [UInt32](repeating: 0, count: to.width * from.height * 4)
        var result = [UInt8](repeating: 0, count: to.width * to.height * 4)
        pixels.withUnsafeBufferPointer { source in
            intermediate.withUnsafeMutableBufferPointer { intermediate in
                for y in 0..<from.height {
                    for x in 0..<to.width {
                        let column = columns[x]
                        var sums: (UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0)
                        for (weightIndex, weight) in column.weights.enumerated() {
                            let byteOffset = (y &* from.width &+ column.firstIndex &+ weightIndex) &* 4
                            sums.0 &+= UInt32(source[byteOffset]) &* weight
                            sums.1 &+= UInt32(source[byteOffset &+ 1]) &* weight
                            sums.2 &+= UInt32(source[byteOffset &+ 2]) &* weight
                            sums.3 &+= UInt32(source[byteOffset &+ 3]) &* weight
                        }
                        let byteOffset = (y &* to.width &+ x) &* 4
                        (
                            intermediate[byteOffset], intermediate[byteOffset &+ 1], intermediate[byteOffset &+ 2],
                            intermediate[byteOffset &+ 3]
                        ) = (
                            sums.0 >> 4, sums.1 >> 4, sums.2 >> 4, sums.3 >> 4
                        )
                    }
                }
                for y in 0..<to.height {
                    let row = rows[y]
                    for index in 0..<to.width &* 4 {
                        var sum: UInt32 = 0
                        for (weightIndex, weight) in row.weights.enumerated() {
                            sum &+= intermediate[(row.firstIndex &+ weightIndex) &* to.width &* 4 &+ index] &* weight
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
        var firstIndex: Int
        /// The weight of each source pixel, in units of 1/4096.
        var weights: [UInt32]
    }

    /// Returns, for each output pixel of a row or column, the source pixels that contribute to that pixel.
    private static func sourceSpans(_ sourceCount: Int, _ outputCount: Int) -> [SourceSpan] {
        let sourceStep = Double(sourceCount) / Double(outputCount), radius = max(sourceStep, 1) / 2
        return (0..<outputCount).map { index in
            let centre = (Double(index) + 0.5) * sourceStep
            let firstIndex = min(max(0, Int((centre - radius - 0.5).rounded(.up))), sourceCount - 1)
            let lastIndex = max(firstIndex, min(sourceCount - 1, Int((centre + radius + 0.5).rounded(.down)) - 1))
            // Compute the weights of a triangular (tent) filter at the pixel centres.
            var weights = (firstIndex...lastIndex).map { max(1e-6, 1 - abs(Double($0) + 0.5 - centre) / (radius * 2)) }
            let sum = weights.reduce(0, +)
            weights = weights.map { $0 / sum * 4096 }
            var integerWeights = weights.map { UInt32($0) }
            integerWeights[0] += 4096 - integerWeights.reduce(0, +)
            return SourceSpan(firstIndex: firstIndex, weights: integerWeights)
        }
    }
}
