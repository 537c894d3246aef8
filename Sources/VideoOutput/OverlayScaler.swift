import SharedFrames

/// A blender that scales the rectangles (boxes) of an overlay before it blends them. It is needed while a window
/// changes its size and the overlay still has the previous size. Used by one thread at a time.
package final class OverlayScaler {
    /// The two neighbouring columns of the original box from which one column of the scaled box is interpolated.
    private struct SourceColumns {
        /// The indices of the two neighbouring columns in the original box.
        let left: Int, right: Int
        /// The weight of the right column, in units of 1/256.
        let weight: UInt32
    }

    /// The source columns of the box that was blended last; kept to reuse the memory.
    private var sourceColumns: [SourceColumns] = []

    /// Creates a blender without memory for columns.
    package init() {}

    /// Returns the scaled position and size of a box.
    ///
    /// - Parameters:
    ///   - rect: The position and size of the box in its overlay.
    ///   - size: The size of the overlay.
    ///   - shownSize: The size to which the overlay is scaled.
    package static func area(of rect: PixelRect, in size: PixelSize, shownIn shownSize: PixelSize) -> PixelRect {
        guard !size.isEmpty, !shownSize.isEmpty else { return PixelRect(x: 0, y: 0, width: 0, height: 0) }
        let x = rect.x * shownSize.width / size.width,
            right = ((rect.x + rect.width) * shownSize.width + size.width - 1) / size.width
        let y = rect.y * shownSize.height / size.height,
            bottom = ((rect.y + rect.height) * shownSize.height + size.height - 1) / size.height
        return PixelRect(x: x, y: y, width: right - x, height: bottom - y)
    }

    /// Scales a box and blends it over pixels.
    ///
    /// - Parameters:
    ///   - boxPixels: `rect.height` rows of `rect.width` premultiplied BGRA pixels. Another thread may change them
    ///     meanwhile.
    ///   - rect: The position and size of the box in an overlay of `size`.
    ///   - lift: The number of pixel rows by which the box is moved up, so that the player's controls do not cover it.
    ///   - pixels: The BGRX pixels of the target: `shownSize.height` rows, `stride` bytes apart.
    package func blend(
        _ boxPixels: UnsafeRawPointer, _ rect: PixelRect, of size: PixelSize, lift: Int = 0,
        into pixels: UnsafeMutableRawPointer, size shownSize: PixelSize,
        stride: Int
    ) {
        let area = Self.area(of: rect, in: size, shownIn: shownSize)
        let left = max(0, area.x), right = min(shownSize.width, area.x + area.width)
        let top = max(max(0, lift), area.y), bottom = min(shownSize.height, area.y + area.height)
        guard left < right, top < bottom, rect.width > 0, rect.height > 0 else { return }
        sourceColumns.removeAll(keepingCapacity: true)
        for x in left..<right {
            let (index, weight) = Self.source(of: x, shownSize.width, size.width, rect.x, rect.width)
            sourceColumns.append(SourceColumns(left: index, right: min(index + 1, rect.width - 1), weight: weight))
        }
        let source = boxPixels.assumingMemoryBound(to: UInt32.self)
        sourceColumns.withUnsafeBufferPointer { sourceColumns in
            for y in top..<bottom {
                let (index, weight) = Self.source(of: y, shownSize.height, size.height, rect.y, rect.height)
                let upperRow = source + index * rect.width,
                    lowerRow = source + min(index + 1, rect.height - 1) * rect.width
                let target = (pixels + (y - max(0, lift)) * stride + left * 4).assumingMemoryBound(to: UInt32.self)
                for x in 0..<sourceColumns.count {
                    let columns = sourceColumns[x]
                    let a = upperRow[columns.left], b = upperRow[columns.right]
                    let c = lowerRow[columns.left], d = lowerRow[columns.right]
                    // Skip transparent pixels; most pixels of a box are transparent.
                    if a | b | c | d == 0 { continue }
                    let overlayPixel = Self.interpolate(
                        Self.interpolate(UInt32(littleEndian: a), UInt32(littleEndian: b), columns.weight),
                        Self.interpolate(UInt32(littleEndian: c), UInt32(littleEndian: d), columns.weight), weight)
                    OverlayBlender.blend(overlayPixel, over: target + x)
                }
            }
        }
    }

    /// Returns the two neighbouring pixels of a box from which a target pixel is interpolated, on one axis: the index
    /// of the first pixel, and the weight of the second pixel in units of 1/256.
    private static func source(
        of position: Int, _ shownLength: Int, _ length: Int, _ boxStart: Int, _ boxLength: Int
    ) -> (index: Int, weight: UInt32) {
        let centre = (2 * position + 1) * length * 128 / shownLength - 128 - boxStart * 256
        let clampedCentre = min(max(0, centre), (boxLength - 1) * 256)
        return (clampedCentre >> 8, UInt32(clampedCentre & 0xFF))
    }

    /// Interpolates two pixels. Processes two channels at once; the unused bits between them hold the carry.
    @inline(__always)
    private static func interpolate(_ a: UInt32, _ b: UInt32, _ weight: UInt32) -> UInt32 {
        let inverseWeight = 256 &- weight
        let redBlue = ((a & 0xFF00FF) &* inverseWeight &+ (b & 0xFF00FF) &* weight) >> 8 & 0xFF00FF
        let alphaGreen = ((a >> 8 & 0xFF00FF) &* inverseWeight &+ (b >> 8 & 0xFF00FF) &* weight) & 0xFF00_FF00
        return redBlue | alphaGreen
    }
}
