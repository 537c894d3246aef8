import SharedFrames

/// A test whether the windows above a rectangle cover it completely.
///
/// This test is needed under a compositing manager: the X server then reports every mapped window as unobscured.
enum WindowOcclusion {
    /// The maximum number of uncovered pieces of the rectangle that are tracked. A rectangle with more pieces counts as
    /// visible.
    private static let pieceLimit = 256

    /// Returns whether the union of `covers` contains all of `rect`. An empty `rect` is never covered.
    static func isCovered(_ rect: PixelRect, by covers: [PixelRect]) -> Bool {
        guard !rect.size.isEmpty else { return false }
        var visibleParts = [rect]
        for coveringRect in covers {
            visibleParts = visibleParts.flatMap { subtract(coveringRect, from: $0) }
            if visibleParts.isEmpty { return true }
            if visibleParts.count > pieceLimit { return false }
        }
        return false
    }

    /// Returns the parts of `rect` outside `coveringRect`: at most four rectangles that do not overlap.
    private static func subtract(_ coveringRect: PixelRect, from rect: PixelRect) -> [PixelRect] {
        guard rect.overlaps(coveringRect) else { return [rect] }
        let right = rect.x + rect.width, bottom = rect.y + rect.height
        let coverTop = max(rect.y, coveringRect.y), coverBottom = min(bottom, coveringRect.y + coveringRect.height)
        let coverLeft = max(rect.x, coveringRect.x), coverRight = min(right, coveringRect.x + coveringRect.width)
        let rows = coverBottom - coverTop
        return [
            PixelRect(x: rect.x, y: rect.y, width: rect.width, height: coverTop - rect.y),
            PixelRect(x: rect.x, y: coverBottom, width: rect.width, height: bottom - coverBottom),
            PixelRect(x: rect.x, y: coverTop, width: coverLeft - rect.x, height: rows),
            PixelRect(x: coverRight, y: coverTop, width: right - coverRight, height: rows),
        ].filter { !$0.size.isEmpty }
    }
}

extension PixelRect {
    /// Returns the common part of both rectangles; it is empty if they do not overlap.
    func intersection(_ other: PixelRect) -> PixelRect {
        let left = max(x, other.x), top = max(y, other.y)
        let right = min(x + width, other.x + other.width), bottom = min(y + height, other.y + other.height)
        return PixelRect(x: left, y: top, width: max(0, right - left), height: max(0, bottom - top))
    }
}
