/// The posters that the program keeps ready: the visible page, and one page before and after it. A pure value.
struct WorkingSet: Equatable {
    /// The visible posters.
    let visible: Range<Int>
    /// All posters of the set.
    let all: Range<Int>
    /// The posters of the set in the order in which they are needed: the visible ones, then the page in the direction
    /// of scrolling, then the page behind.
    let order: [Int]

    /// Creates the working set of a view.
    ///
    /// - Parameters:
    ///   - layout: The places of the posters.
    ///   - offset: The offset of the view.
    ///   - isScrollingUp: Whether the view moves towards the first poster.
    init(layout: WallLayout, offset: Int, isScrollingUp: Bool) {
        let rows = layout.rows(in: offset..<offset + layout.view.height), page = layout.pageRowCount
        let visible = layout.indices(inRows: rows)
        let before = layout.indices(inRows: rows.lowerBound - page..<rows.lowerBound)
        let after = layout.indices(inRows: rows.upperBound..<rows.upperBound + page)
        self.visible = visible
        all = before.lowerBound..<max(after.upperBound, visible.upperBound)
        // The nearest row of a page is needed first.
        let upwards = Array(before.reversed()), downwards = Array(after)
        order = Array(visible) + (isScrollingUp ? upwards + downwards : downwards + upwards)
    }
}
