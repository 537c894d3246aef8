import SharedFrames
import Testing

@testable import MediaPipeline

@Suite struct SubtitleEventTests {
    /// Returns the cost of a subtitle event with the given content: its size in memory, in bytes.
    private func memoryCost(_ content: SubtitleEvent.Content) -> Int {
        SubtitleEvent(start: 0, end: 1, content: content).cost
    }

    /// Returns a bitmap of the given size in pixels; a pixel has four bytes.
    private func bitmap(_ width: Int, _ height: Int) -> SubtitleBitmap {
        SubtitleBitmap(
            rect: PixelRect(x: 0, y: 0, width: width, height: height),
            pixels: [UInt8](repeating: 0, count: width * height * 4))
    }

    @Test("The cost of text is its number of bytes in UTF-8, not its number of characters")
    func costOfTextIsItsUTF8Size() {
        #expect(memoryCost(.text("abc")) - memoryCost(.text("")) == 3)
        #expect(memoryCost(.text("äöü")) - memoryCost(.text("")) == 6)
    }

    @Test("The cost of each bitmap is more than the size of its pixels")
    func costOfABitmapIsMoreThanItsPixels() {
        let canvas = PixelSize(width: 720, height: 576)
        let costOfOneBitmap = memoryCost(.bitmaps([bitmap(10, 10)], canvas: canvas))
        let costOfTwoBitmaps = memoryCost(.bitmaps([bitmap(10, 10), bitmap(10, 10)], canvas: canvas))
        #expect(costOfOneBitmap > 400 && costOfTwoBitmaps - costOfOneBitmap > 400)
    }

    @Test("An event without content has a cost, so that a queue of such events is bounded")
    func eventWithoutContentHasACost() {
        #expect(memoryCost(.text("")) > 0 && memoryCost(.bitmaps([], canvas: PixelSize(width: 0, height: 0))) > 0)
    }
}
