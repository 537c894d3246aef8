/// The posters that the program keeps in memory: the visible page, one page before it and one page after it.
struct WorkingSet: Equatable {
    /// The indices of the visible posters.
    let visible: Range<Int>
    /// The indices of all posters of the set in the order of need: the visible posters, then the page in the direction
    /// of scrolling, then the page in the opposite direction.
    let order: [Int]

    /// Creates the working set of a view.
    ///
    /// - Parameters:
    ///   - layout: The layout of the wall.
    ///   - offset: The scroll offset of the view.
    ///   - isScrollingUp: Whether the view moves towards the first poster.
    init(layout: WallLayout, offset: Int, isScrollingUp: Bool) {
        let rows = layout.rows(in: offset..<offset + layout.view.height), page = layout.pageRowCount
        let visible = layout.indices(inRows: rows)
        let previousPage = layout.indices(inRows: rows.lowerBound - page..<rows.lowerBound)
        let nextPage = layout.indices(inRows: rows.upperBound..<rows.upperBound + page)
        self.visible = visible
        // The rows of a page that are nearest to the view are needed first.
        let upwards = Array(previousPage.reversed()), downwards = Array(nextPage)
        order = Array(visible) + (isScrollingUp ? upwards + downwards : downwards + upwards)
    }
}
