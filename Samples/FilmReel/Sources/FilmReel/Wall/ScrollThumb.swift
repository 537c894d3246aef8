/// The thumb of the scroll bar. All lengths are in pixels.
struct ScrollThumb: Equatable {
    /// The distance of the thumb from the upper end of the bar.
    let position: Int
    /// The length of the thumb.
    let length: Int
    /// The distance that the thumb can move.
    private let travel: Int
    /// The largest offset of the view.
    private let maximumOffset: Int

    /// The smallest length, so that the pointer can hit the thumb.
    private static let minimumLength = 24

    /// Creates the thumb for an offset.
    ///
    /// - Parameters:
    ///   - offset: The offset of the view.
    ///   - layout: The layout of the wall. The scroll bar is as long as the view is high.
    init(offset: Int, layout: WallLayout) {
        let barLength = layout.view.height
        maximumOffset = layout.maximumOffset
        if maximumOffset == 0 {
            length = barLength
        } else {
            length = min(barLength, max(Self.minimumLength, barLength * barLength / max(1, layout.contentHeight)))
        }
        travel = barLength - length
        position = maximumOffset == 0 ? 0 : travel * min(max(0, offset), maximumOffset) / maximumOffset
    }

    /// Returns whether the point `y` pixels below the upper end of the scroll bar is on the thumb.
    func contains(_ y: Int) -> Bool { (position..<position + length).contains(y) }

    /// Returns the scroll offset of the view while the user drags the thumb.
    ///
    /// - Parameters:
    ///   - y: The distance of the pointer from the upper end of the bar.
    ///   - grip: The distance of the pointer from the upper end of the thumb when the drag began.
    func offset(draggedTo y: Int, grip: Int) -> Int {
        guard travel > 0 else { return 0 }
        return min(max(0, y - grip), travel) * maximumOffset / travel
    }
}
