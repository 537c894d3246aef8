import Testing

@testable import FilmReel

@Suite struct ScrollThumbTests {
    private let layout = WallLayout(
        tile: PixelArea(width: 300, height: 450), view: PixelArea(width: 1540, height: 1374), count: 2000)

    @Test func thumbReachesBothEnds() {
        let first = ScrollThumb(offset: 0, layout: layout)
        #expect(first.position == 0)
        let last = ScrollThumb(offset: layout.maximumOffset, layout: layout)
        #expect(last.position + last.length == layout.view.height)
        #expect(last.length >= 24)
    }

    @Test("dragging the thumb to its own place changes the offset by less than the thumb's resolution")
    func draggingInvertsThePosition() {
        let resolution = layout.maximumOffset / (layout.view.height - 24) + 1
        for offset in stride(from: 0, through: layout.maximumOffset, by: 1009) {
            let thumb = ScrollThumb(offset: offset, layout: layout)
            let dragged = thumb.offset(draggedTo: thumb.position + 7, grip: 7)
            #expect(abs(dragged - offset) <= resolution)
        }
    }

    @Test func draggingStaysOnTheWall() {
        let thumb = ScrollThumb(offset: 0, layout: layout)
        #expect(thumb.offset(draggedTo: -500, grip: 3) == 0)
        #expect(thumb.offset(draggedTo: 9000, grip: 3) == layout.maximumOffset)
    }

    @Test func wallThatFitsHasAFullThumb() {
        let small = WallLayout(tile: layout.tile, view: layout.view, count: 4)
        let thumb = ScrollThumb(offset: 0, layout: small)
        #expect(thumb.position == 0)
        #expect(thumb.length == layout.view.height)
        #expect(thumb.offset(draggedTo: 100, grip: 0) == 0)
    }
}
