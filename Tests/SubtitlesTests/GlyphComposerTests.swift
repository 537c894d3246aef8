import SharedFrames
import Testing

@testable import Subtitles

@Suite struct GlyphComposerTests {
    private func rect(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> PixelRect {
        PixelRect(x: x, y: y, width: width, height: height)
    }

    @Test func imagesUpTo16RowsApartAreMerged() {
        let upper = rect(10, 0, 20, 10)
        #expect(GlyphComposer.mergedRects([upper, rect(5, 26, 10, 4)]) == [rect(5, 0, 25, 30)])
        #expect(GlyphComposer.mergedRects([upper, rect(5, 27, 10, 4)]) == [upper, rect(5, 27, 10, 4)])
    }

    @Test func theOrderOfImagesDoesNotChangeTheGroups() {
        let rects = [rect(0, 100, 10, 10), rect(50, 0, 10, 10), rect(0, 112, 300, 2), rect(20, 12, 5, 5)]
        let groups = [rect(20, 0, 40, 17), rect(0, 100, 300, 14)]
        #expect(GlyphComposer.mergedRects(rects) == groups)
        #expect(GlyphComposer.mergedRects(rects.reversed()) == groups)
    }

    @Test func aSmallImageBesideATallOneDoesNotShrinkTheGroup() {
        let rects = [rect(0, 0, 10, 100), rect(50, 10, 5, 5), rect(70, 110, 5, 5)]
        #expect(GlyphComposer.mergedRects(rects) == [rect(0, 0, 75, 115)])
    }

    @Test func emptyImagesBelongToNoGroup() {
        #expect(GlyphComposer.mergedRects([rect(0, 0, 0, 10), rect(0, 50, 10, 0), rect(3, 3, -1, 4)]) == [])
        #expect(GlyphComposer.mergedRects([]) == [])
    }
}
