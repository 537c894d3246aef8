import SharedFrames

/// A blender that first scales an overlay's rectangles (boxes). It is needed while a window changes its size and the
/// overlay still has the previous size. One thread at a time.
package final class OverlayScaler {
    /// The two neighbouring columns of the original box from which a column of the scaled box is interpolated.
    private struct Column {
        /// The indices of the two neighbouring columns in the original box.
        let left: Int, right: Int
        /// The weight of the right column, in units of 1/256.
        let weight: UInt32
    }

    /// The source columns of the box that was blended last; kept to reuse the memory.
    private var columns: [Column] = []

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
    ///   - box: `rect.height` rows of `rect.width` premultiplied BGRA pixels. Another thread may change them meanwhile.
    ///   - rect: The position and size of the box in an overlay of `size`.
    ///   - lift: The number of pixel rows by which the box is moved up, so that the player's controls do not cover it.
    ///   - pixels: The BGRX pixels of the target: `shownSize.height` rows, `stride` bytes apart.
    package func blend(
        _ box: UnsafeRawPointer, _ rect: PixelRect, of size: PixelSize, lift: Int = 0,
        into pixels: UnsafeMutableRawPointer, size shownSize: PixelSize,
        stride: Int
    ) {
        let area = Self.area(of: rect, in: size, shownIn: shownSize)
        let left = max(0, area.x), right = min(shownSize.width, area.x + area.width)
        let top = max(max(0, lift), area.y), bottom = min(shownSize.height, area.y + area.height)
        guard left < right, top < bottom, rect.width > 0, rect.height > 0 else { return }
        columns.removeAll(keepingCapacity: true)
        for x in left..<right {
            let (at, weight) = Self.source(of: x, shownSize.width, size.width, rect.x, rect.width)
            columns.append(Column(left: at, right: min(at + 1, rect.width - 1), weight: weight))
        }
        let source = box.assumingMemoryBound(to: UInt32.self)
        columns.withUnsafeBufferPointer { columns in
            for y in top..<bottom {
                let (at, weight) = Self.source(of: y, shownSize.height, size.height, rect.y, rect.height)
                let upper = source + at * rect.width, lower = source + min(at + 1, rect.height - 1) * rect.width
                let target = (pixels + (y - max(0, lift)) * stride + left * 4).assumingMemoryBound(to: UInt32.self)
                for x in 0..<columns.count {
                    let column = columns[x]
                    let a = upper[column.left], b = upper[column.right], c = lower[column.left], d = lower[column.right]
                    // Skip transparent pixels; most pixels of a box are transparent.
                    if a | b | c | d == 0 { continue }
                    let over = Self.mix(
                        Self.mix(UInt32(littleEndian: a), UInt32(littleEndian: b), column.weight),
                        Self.mix(UInt32(littleEndian: c), UInt32(littleEndian: d), column.weight), weight)
                    OverlayBlender.blend(over, over: target + x)
                }
            }
        }
    }

    /// Returns from which pixels of the box one target pixel is interpolated, on one axis. `at` is the index of the
    /// first of two neighbouring pixels; `weight` is the weight of the second, in units of 1/256.
    private static func source(of position: Int, _ shownLength: Int, _ length: Int, _ start: Int, _ count: Int) -> (
        at: Int, weight: UInt32
    ) {
        let middle = (2 * position + 1) * length * 128 / shownLength - 128 - start * 256
        let clamped = min(max(0, middle), (count - 1) * 256)
        return (clamped >> 8, UInt32(clamped & 0xFF))
    }

    /// Interpolates two pixels. Processes two channels at once; the unused bits between them hold the carry.
    @inline(__always)
    private static func mix(_ a: UInt32, _ b: UInt32, _ weight: UInt32) -> UInt32 {
        let rest = 256 &- weight
        let even = ((a & 0xFF00FF) &* rest &+ (b & 0xFF00FF) &* weight) >> 8 & 0xFF00FF
        let odd = ((a >> 8 & 0xFF00FF) &* rest &+ (b >> 8 & 0xFF00FF) &* weight) & 0xFF00_FF00
        return even | odd
    }
}
