import MediaPipeline
import SharedFrames
import Testing

@testable import Subtitles

@Suite struct BitmapScalerTests {
    private let fullHD = PixelSize(width: 1920, height: 1080)

    /// Returns a subtitle bitmap whose bytes all have the same value.
    private func bitmap(_ x: Int, _ y: Int, _ width: Int, _ height: Int, value: UInt8 = 200) -> SubtitleBitmap {
        SubtitleBitmap(
            rect: PixelRect(x: x, y: y, width: width, height: height),
            pixels: [UInt8](repeating: value, count: width * height * 4))
    }

    /// Returns the rectangle of a window that the canvas of subtitle bitmaps covers.
    private func area(_ bitmaps: [SubtitleBitmap], canvas: PixelSize, picture: PixelRect, size: PixelSize) -> PixelRect
    {
        BitmapScaler.area(
            of: bitmaps, canvas: canvas,
            in: OverlayGeometry(windowSize: size, pictureRect: picture, videoSize: picture.size))
    }

    @Test func aCanvasWithTheAspectRatioOfThePictureCoversIt() {
        let picture = PixelRect(x: 10, y: 20, width: 640, height: 360)
        #expect(
            area([bitmap(0, 0, 10, 10)], canvas: fullHD, picture: picture, size: PixelSize(width: 660, height: 400))
                == picture)
    }

    @Test func aCanvasOfStandardDefinitionIsStretchedWithThePicture() {
        let picture = PixelRect(x: 0, y: 0, width: 1024, height: 576), canvas = PixelSize(width: 720, height: 576)
        #expect(area([bitmap(0, 0, 10, 10)], canvas: canvas, picture: picture, size: picture.size) == picture)
    }

    @Test func aTallerCanvasExtendsBeyondThePicture() {
        let picture = PixelRect(x: 0, y: 100, width: 640, height: 160)
        let area = area(
            [bitmap(0, 540, 10, 10)], canvas: fullHD, picture: picture, size: PixelSize(width: 640, height: 360))
        #expect(area == PixelRect(x: 0, y: 0, width: 640, height: 360))
    }

    @Test func bitmapsAtTheTopAreMovedDownIntoTheOverlay() {
        let picture = PixelRect(x: 0, y: 0, width: 640, height: 160)
        let area = area([bitmap(0, 30, 10, 30)], canvas: fullHD, picture: picture, size: picture.size)
        #expect(area.y == -10)
    }

    @Test func bitmapsAtTheBottomAreMovedUpIntoTheOverlay() {
        let picture = PixelRect(x: 0, y: 0, width: 640, height: 160)
        let area = area([bitmap(0, 1020, 10, 30)], canvas: fullHD, picture: picture, size: picture.size)
        #expect(area.y == -190)
    }

    @Test func bitmapsAtBothEdgesAreNotMoved() {
        let picture = PixelRect(x: 0, y: 0, width: 640, height: 160)
        let area = area(
            [bitmap(0, 0, 10, 30), bitmap(0, 1050, 10, 30)], canvas: fullHD, picture: picture, size: picture.size)
        #expect(area.y == -100)
    }

    @Test func boxesOfBitmapsOutsideTheCanvasStayInsideTheOverlay() throws {
        let size = PixelSize(width: 100, height: 50)
        let wholeWindow = PixelRect(x: 0, y: 0, width: 100, height: 50)
        for (x, y) in [(-500, -500), (5000, 5000), (1900, 1070), (0, 0)] {
            let box = try #require(
                BitmapScaler.box(bitmap(x, y, 40, 20), canvas: fullHD, area: wholeWindow, size: size, scale: 1))
            #expect(
                box.rect.x >= 0 && box.rect.y >= 0 && box.rect.x + box.rect.width <= 100
                    && box.rect.y + box.rect.height <= 50)
        }
    }

    @Test func scalingKeepsTheMiddleOfTheLowerEdge() throws {
        let box = try #require(
            BitmapScaler.box(
                bitmap(900, 900, 120, 60), canvas: fullHD, area: PixelRect(x: 0, y: 0, width: 1920, height: 1080),
                size: fullHD, scale: 2))
        #expect(box.rect == PixelRect(x: 840, y: 840, width: 240, height: 120))
    }

    @Test func aBoxIsNeverLargerThanTheOverlayAndNeverEmpty() throws {
        let size = PixelSize(width: 30, height: 20)
        let area = PixelRect(x: 0, y: 0, width: 30, height: 20)
        let largestBox = try #require(
            BitmapScaler.box(bitmap(0, 0, 1920, 1080), canvas: fullHD, area: area, size: size, scale: 10))
        #expect(largestBox.rect == PixelRect(x: 0, y: 0, width: 30, height: 20))
        let smallestBox = try #require(
            BitmapScaler.box(bitmap(0, 0, 1, 1), canvas: fullHD, area: area, size: size, scale: 0.01))
        #expect(smallestBox.rect.width == 1 && smallestBox.rect.height == 1)
    }

    @Test func aBitmapInAnEmptyCanvasOrAreaGivesNoBox() {
        let area = PixelRect(x: 0, y: 0, width: 30, height: 20), emptySize = PixelSize(width: 0, height: 0)
        #expect(BitmapScaler.box(bitmap(0, 0, 4, 4), canvas: emptySize, area: area, size: fullHD, scale: 1) == nil)
        let emptyArea = PixelRect(x: 0, y: 0, width: 30, height: 0)
        #expect(BitmapScaler.box(bitmap(0, 0, 4, 4), canvas: fullHD, area: emptyArea, size: fullHD, scale: 1) == nil)
    }

    @Test func scalingToTheSameSizeKeepsThePixels() {
        let pixels = (0..<(7 * 5 * 4)).map { UInt8($0) }, size = PixelSize(width: 7, height: 5)
        #expect(BitmapScaler.scaled(pixels, from: size, to: size) == pixels)
    }

    @Test(arguments: [(1, 1), (3, 2), (50, 40), (7, 90)]) func scalingKeepsAUniformColour(_ width: Int, _ height: Int) {
        let pixels = [[UInt8]](repeating: [10, 100, 200, 255], count: 16 * 9).flatMap { $0 }
        let scaledPixels = BitmapScaler.scaled(
            pixels, from: PixelSize(width: 16, height: 9), to: PixelSize(width: width, height: height))
        #expect(scaledPixels == [[UInt8]](repeating: [10, 100, 200, 255], count: width * height).flatMap { $0 })
    }

    @Test func averagesAreRoundedHalfUp() {
        let pixels: [UInt8] = [1, 3, 5, 7, 2, 4, 6, 8], onePixel = PixelSize(width: 1, height: 1)
        #expect(BitmapScaler.scaled(pixels, from: PixelSize(width: 2, height: 1), to: onePixel) == [2, 4, 6, 8])
    }

    @Test func premultipliedPixelsStayBelowTheirAlpha() {
        // A fixed pattern with many values of alpha and colour.
        let pixels = (0..<(32 * 32)).flatMap { index -> [UInt8] in
            let alpha = index * 7919 % 256
            return [index * 31 % (alpha + 1), index * 17 % (alpha + 1), alpha, alpha].map { UInt8($0) }
        }
        let scaledPixels = BitmapScaler.scaled(
            pixels, from: PixelSize(width: 32, height: 32), to: PixelSize(width: 11, height: 45))
        for pixel in stride(from: 0, to: scaledPixels.count, by: 4) {
            #expect(scaledPixels[pixel..<(pixel + 3)].allSatisfy { Int($0) <= Int(scaledPixels[pixel + 3]) + 1 })
        }
    }
}
