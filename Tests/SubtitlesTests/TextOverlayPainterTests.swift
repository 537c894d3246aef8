import SharedFrames
import Testing

@testable import Subtitles

@Suite struct TextOverlayPainterTests {
    private let size = PixelSize(width: 640, height: 360)
    /// A white square of 100 script pixels without a border, at a position.
    private func square(x: Int, y: Int) -> String {
        "{\\an7\\bord0\\pos(\(x),\(y))\\p1}m 0 0 l 100 0 100 100 0 100"
    }

    /// Draws a text, and returns the rectangles that it covers, without the edges of the boxes that are hardly covered.
    private func rects(_ text: String, script: PixelSize = PixelSize(width: 0, height: 720)) throws -> [PixelRect] {
        let painter = try #require(TextOverlayPainter())
        return painter.boxes(of: TextOverlay(text: text, scriptSize: script), in: size).map { box in
            let width = box.rect.width
            let covered = (0..<width * box.rect.height).filter { box.pixels[$0 * 4 + 3] > 127 }
            let columns = covered.map { $0 % width }, rows = covered.map { $0 / width }
            let left = columns.min() ?? 0, top = rows.min() ?? 0
            return PixelRect(
                x: box.rect.x + left, y: box.rect.y + top, width: (columns.max() ?? -1) - left + 1,
                height: (rows.max() ?? -1) - top + 1)
        }
    }

    @Test func theScriptHasSquarePixelsUnlessItsWidthIsGiven() {
        func resolved(_ width: Int, _ height: Int) -> PixelSize {
            TextOverlay(text: "", scriptSize: PixelSize(width: width, height: height)).resolvedScriptSize(in: size)
        }
        #expect(resolved(0, 720) == PixelSize(width: 1280, height: 720))
        #expect(resolved(0, 0) == PixelSize(width: 512, height: 288))
        #expect(resolved(100, 100) == PixelSize(width: 100, height: 100))
        #expect(resolved(-5, -5) == PixelSize(width: 512, height: 288))
        #expect(resolved(1_000_000_000, 1_000_000_000) == PixelSize(width: 65_536, height: 65_536))
    }

    @Test func aDrawingHasThePositionAndSizeOfTheScript() throws {
        #expect(try rects(square(x: 300, y: 200)) == [PixelRect(x: 150, y: 100, width: 50, height: 50)])
        #expect(
            try rects(square(x: 100, y: 100), script: PixelSize(width: 640, height: 360)) == [
                PixelRect(x: 100, y: 100, width: 100, height: 100)
            ])
    }

    @Test func lettersAreStretchedWithTheScript() throws {
        let square = try #require(try rects("HHHH", script: PixelSize(width: 1280, height: 720)).first)
        let wide = try #require(try rects("HHHH", script: PixelSize(width: 640, height: 720)).first)
        #expect(abs(wide.width - 2 * square.width) <= 4 && abs(wide.height - square.height) <= 1, "\(wide) \(square)")
    }

    @Test func textBeginsInTheUpperLeftCorner() throws {
        let rect = try #require(try rects("Hello").first)
        #expect(rect.x < 20 && rect.y < 25 && rect.width > 30 && rect.height < 40, "\(rect)")
    }

    @Test func eachLineIsAnEvent() throws {
        let rects = try rects(square(x: 0, y: 0) + "\n\n" + square(x: 0, y: 600))
        #expect(rects.map(\.y) == [0, 300])
    }

    @Test(arguments: ["", "\n\n", " ", "{\\alpha&HFF&}invisible"])
    func aTextWithoutVisiblePartsShowsNothing(_ text: String) throws { #expect(try rects(text) == []) }

    @Test func aTextCanBeDrawnInAWindowOfAnySize() throws {
        let painter = try #require(TextOverlayPainter())
        for size in [(0, 0), (1, 1), (3, 4000), (4000, 3)] {
            let window = PixelSize(width: size.0, height: size.1)
            for box in painter.boxes(
                of: TextOverlay(text: "W{\\p1}m -9 -9 l 99999999 0 9 9", scriptSize: window), in: window)
            {
                #expect(box.rect.x >= 0 && box.rect.x + box.rect.width <= window.width)
                #expect(box.rect.y >= 0 && box.rect.y + box.rect.height <= window.height)
            }
        }
    }

    @Test func theDefaultStyleGrowsWithTheScript() {
        let whole = TextOverlayPainter.header(scriptSize: PixelSize(width: 1280, height: 720))
        #expect(whole.contains("Style: Default,sans-serif,55.0,") && whole.contains(",1,3.0,0,7,25,25,22,1\n"))
        let half = TextOverlayPainter.header(scriptSize: PixelSize(width: 640, height: 360))
        #expect(half.contains("Style: OSD,sans-serif,27.5,") && half.contains(",1,1.5,0,7,13,13,11,1\n"))
        #expect(half.contains("PlayResX: 640\n") && half.contains("PlayResY: 360\n"))
    }

    @Test func theScriptOfAnEmptyWindowIsSquare() {
        let overlay = TextOverlay(text: "", scriptSize: PixelSize(width: 0, height: 720))
        #expect(overlay.resolvedScriptSize(in: PixelSize(width: 0, height: 9)) == PixelSize(width: 720, height: 720))
        #expect(overlay.resolvedScriptSize(in: PixelSize(width: 1, height: 9999)) == PixelSize(width: 1, height: 720))
    }
}
