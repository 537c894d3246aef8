/// The rows of a picture that is used as a ring: the row `y` of the content lies in the row `y mod height`. Scrolling
/// then changes only the rows that come into the view. A pure value.
struct RingRows: Equatable {
    /// Rows of the content that lie one after another in the ring.
    struct Span: Equatable {
        /// The rows of the content.
        let content: Range<Int>
        /// The row of the ring that holds the first of them.
        let ringRow: Int
    }

    /// The number of rows of the ring.
    let height: Int

    /// Returns where the rows of a range of the content lie: one span, or two if the range passes the ring's end.
    ///
    /// - Parameter range: Rows of the content, not negative and not more than the ring has.
    func spans(of range: Range<Int>) -> [Span] {
        guard !range.isEmpty else { return [] }
        let start = range.lowerBound % height
        let first = min(range.count, height - start), split = range.lowerBound + first
        let head = Span(content: range.lowerBound..<split, ringRow: start)
        return split == range.upperBound ? [head] : [head, Span(content: split..<range.upperBound, ringRow: 0)]
    }

    /// Returns the rows that must be drawn when the view moves.
    ///
    /// - Parameters:
    ///   - old: The offset for which the ring was drawn last; nil if nothing is drawn.
    ///   - new: The new offset.
    func newRows(from old: Int?, to new: Int) -> Range<Int> {
        guard let old, abs(new - old) < height else { return new..<new + height }
        return new >= old ? old + height..<new + height : new..<old
    }
}
