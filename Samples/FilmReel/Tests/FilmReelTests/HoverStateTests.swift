import Testing

@testable import FilmReel

@Suite struct HoverStateTests {
    @Test func previewStartsAfterThePointerRests() {
        var hover = HoverState()
        #expect(hover.index(at: 9) == nil)
        #expect(!hover.isWaiting(at: 9))
        hover.move(to: 7, at: 10)
        #expect(hover.isWaiting(at: 10.1))
        #expect(hover.index(at: 10.3) == nil)
        hover.move(to: 7, at: 10.3)
        #expect(hover.index(at: 10.41) == 7)
        hover.move(to: 8, at: 10.5)
        #expect(hover.index(at: 10.6) == nil)
        hover.move(to: nil, at: 10.7)
        #expect(hover.index(at: 20) == nil)
    }

    @Test func finishedPreviewStartsAgainAfterThePointerHasLeftThePoster() {
        var hover = HoverState()
        hover.move(to: 7, at: 10)
        #expect(hover.index(at: 11) == 7)
        hover.finish()
        hover.move(to: 7, at: 12)
        #expect(hover.index(at: 13) == nil)
        #expect(!hover.isWaiting(at: 12.1))
        hover.move(to: nil, at: 14)
        hover.move(to: 7, at: 15)
        #expect(hover.isWaiting(at: 15.1))
        #expect(hover.index(at: 16) == 7)
    }
}
