/// All that one drawing of the overview's window shows. A pure value.
struct OverviewScene: Equatable, Sendable {
    let layout: OverviewLayout
    /// The distance in pixels by which the tiles are scrolled.
    let scroll: Int
    /// The visible tiles.
    let tiles: [OverviewTile]
    /// The place of the first visible tile among all.
    let firstIndex: Int
    /// The program whose tile is selected.
    let selected: String?
    /// The part of the window under the pointer.
    let hovered: OverviewNavigation.Target?
    /// The message at the lower edge; empty without a message.
    let message: String

    /// Creates the scene of a window with all tiles, of which the visible ones are drawn.
    init(_ navigation: OverviewNavigation, tiles: [OverviewTile], message: String) {
        layout = navigation.layout
        (scroll, selected, hovered) = (navigation.scroll, navigation.selected, navigation.hovered)
        let visible = layout.visibleTiles(scroll: scroll).clamped(to: 0..<tiles.count)
        (self.tiles, firstIndex) = (Array(tiles[visible]), visible.lowerBound)
        self.message = message
    }
}
