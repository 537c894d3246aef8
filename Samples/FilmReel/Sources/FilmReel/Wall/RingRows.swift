/// The mapping of content rows to the rows of a ring buffer: content row `y` is in ring row `y mod height`. When the
/// view scrolls, only the rows that come into the view must be drawn.
struct RingRows: Equatable {
    /// A range of content rows that is contiguous in the ring.
    struct Span: Equatable {
        /// The range of content rows.
        let contentRows: Range<Int>
        /// The ring row that contains the first row of ``contentRows``.
        let ringRow: Int
    }

    /// The number of rows of the ring.
    let height: Int

    /// Returns where a range of content rows is in the ring: one span, or two spans if the range continues at row 0.
    ///
    /// - Parameter range: The content rows, not negative and not more than ``height``.
    func spans(of range: Range<Int>) -> [Span] {
        guard !range.isEmpty else { return [] }
        let start = range.lowerBound % height
        let firstCount = min(range.count, height - start), split = range.lowerBound + firstCount
        let span = Span(contentRows: range.lowerBound..<split, ringRow: start)
        return split == range.upperBound ? [span] : [span, Span(contentRows: split..<range.upperBound, ringRow: 0)]
    }

    /// Returns the rows that must be drawn when the view moves.
    ///
    /// - Parameters:
    ///   - oldOffset: The scroll offset for which the ring was drawn last; nil if nothing is drawn.
    ///   - newOffset: The new scroll offset.
    func newRows(from oldOffset: Int?, to newOffset: Int) -> Range<Int> {
        guard let oldOffset, abs(newOffset - oldOffset) < height else { return newOffset..<newOffset + height }
        return newOffset >= oldOffset ? oldOffset + height..<newOffset + height : newOffset..<oldOffset
    }
}
