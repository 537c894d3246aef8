import Testing

@testable import FilmReel

@Suite struct ScrollThumbTests {
    private let layout = WallLayout(
        tile: PixelSize(width: 300, height: 450), view: PixelSize(width: 1540, height: 1374), count: 2000)

    @Test func thumbReachesBothEnds() {
        let firstThumb = ScrollThumb(offset: 0, layout: layout)
        #expect(firstThumb.position == 0)
        let lastThumb = ScrollThumb(offset: layout.maximumOffset, layout: layout)
        #expect(lastThumb.position + lastThumb.length == layout.view.height)
        #expect(lastThumb.length >= 24)
    }

    @Test("dragging the thumb to its own place changes the offset by less than the thumb's resolution")
    func draggingInvertsThePosition() {
        let resolution = layout.maximumOffset / (layout.view.height - 24) + 1
        for offset in stride(from: 0, through: layout.maximumOffset, by: 1009) {
            let thumb = ScrollThumb(offset: offset, layout: layout)
            let draggedOffset = thumb.offset(draggedTo: thumb.position + 7, grip: 7)
            #expect(abs(draggedOffset - offset) <= resolution)
        }
    }

    @Test func draggingBeyondTheBarStaysOnTheWall() {
        let thumb = ScrollThumb(offset: 0, layout: layout)
        #expect(thumb.offset(draggedTo: -500, grip: 3) == 0)
        #expect(thumb.offset(draggedTo: 9000, grip: 3) == layout.maximumOffset)
    }

    @Test func thumbFillsTheBarIfTheWallFitsIntoTheView() {
        let smallLayout = WallLayout(tile: layout.tile, view: layout.view, count: 4)
        let thumb = ScrollThumb(offset: 0, layout: smallLayout)
        #expect(thumb.position == 0)
        #expect(thumb.length == layout.view.height)
        #expect(thumb.offset(draggedTo: 100, grip: 0) == 0)
    }
}
