import SharedFrames
import Testing

@testable import MediaPipeline

@Suite struct SubtitleEventTests {
    /// Returns the number of bytes of memory that a subtitle event with the given content is counted as.
    private func memoryCost(_ content: SubtitleEvent.Content) -> Int {
        SubtitleEvent(start: 0, end: 1, content: content).cost
    }

    private func bitmap(_ width: Int, _ height: Int) -> SubtitleBitmap {
        SubtitleBitmap(
            rect: PixelRect(x: 0, y: 0, width: width, height: height),
            pixels: [UInt8](repeating: 0, count: width * height * 4))
    }

    @Test("Text costs its bytes in UTF-8, not its characters")
    func textCostsItsUTF8Bytes() {
        #expect(memoryCost(.text("abc")) - memoryCost(.text("")) == 3)
        #expect(memoryCost(.text("äöü")) - memoryCost(.text("")) == 6)
    }

    @Test("Each bitmap costs its pixels and more")
    func eachBitmapCostsItsPixelsAndMore() {
        let canvas = PixelSize(width: 720, height: 576)
        let one = memoryCost(.bitmaps([bitmap(10, 10)], canvas: canvas))
        let two = memoryCost(.bitmaps([bitmap(10, 10), bitmap(10, 10)], canvas: canvas))
        #expect(one > 400 && two - one > 400)
    }

    @Test("An event without content has a cost, so that a queue of such events is bounded")
    func eventWithoutContentHasACost() {
        #expect(memoryCost(.text("")) > 0 && memoryCost(.bitmaps([], canvas: PixelSize(width: 0, height: 0))) > 0)
    }
}
