import MediaPipeline
import SharedFrames
import Testing

@testable import Subtitles

@Suite struct SubtitleRendererTests {
    private static let second: Int64 = 1_000_000_000
    /// A window in which the picture has black bars above and below.
    private let geometry = OverlayGeometry(
        windowSize: PixelSize(width: 640, height: 480), pictureRect: PixelRect(x: 0, y: 60, width: 640, height: 360),
        videoSize: PixelSize(width: 640, height: 360))

    /// Returns a text event; times are in seconds.
    private func text(_ start: Int64, _ end: Int64, _ text: String) -> SubtitleEvent {
        SubtitleEvent(start: start * Self.second, end: end * Self.second, content: .text("0,Default,,0,0,0,,\(text)"))
    }

    @Test func textIsDrawnOnceAndShownDuringItsTime() throws {
        let renderer = SubtitleRenderer(SubtitleFormat(track: 1))
        renderer.add([text(1, 3, "Hello")])
        #expect(renderer.overlay(at: 0, in: geometry) == nil)
        let firstOverlay = try #require(renderer.overlay(at: Self.second, in: geometry))
        #expect(renderer.overlay(at: 2 * Self.second, in: geometry) === firstOverlay)
        #expect(renderer.drawingCount == 1)
        #expect(firstOverlay.text == "Hello")
        #expect(renderer.overlay(at: 3 * Self.second, in: geometry) == nil)
        let box = try #require(firstOverlay.boxes.first)
        // The text is centred, in the lower quarter, and white.
        #expect(abs(box.rect.x + box.rect.width / 2 - 320) < 8)
        #expect(box.rect.y > 360)
        #expect(
            stride(from: 0, to: box.pixels.count, by: 4).contains {
                box.pixels[$0] > 240 && box.pixels[$0 + 1] > 240 && box.pixels[$0 + 2] > 240
            })
        #expect(stride(from: 0, to: box.pixels.count, by: 4).allSatisfy { box.pixels[$0] <= box.pixels[$0 + 3] })
    }

    @Test func overlaysOfTwoWindowsAreCachedAndANewScaleRedrawsThem() throws {
        let renderer = SubtitleRenderer(SubtitleFormat(track: 1))
        renderer.add([text(0, 3, "Hello")])
        let smallWindow = OverlayGeometry(
            windowSize: PixelSize(width: 320, height: 180), pictureRect: PixelRect(x: 0, y: 0, width: 320, height: 180),
            videoSize: geometry.videoSize)
        let firstOverlay = try #require(renderer.overlay(at: 0, in: geometry)),
            smallOverlay = try #require(renderer.overlay(at: 0, in: smallWindow))
        #expect(renderer.overlay(at: 1, in: geometry) === firstOverlay)
        #expect(renderer.overlay(at: 1, in: smallWindow) === smallOverlay)
        #expect(smallOverlay.size == smallWindow.windowSize)
        renderer.scale = 2
        let enlargedOverlay = try #require(renderer.overlay(at: 0, in: geometry))
        #expect((enlargedOverlay.boxes.first?.rect.height ?? 0) > (firstOverlay.boxes.first?.rect.height ?? 0) * 3 / 2)
    }

    @Test func laterEventsDoNotRedrawTheCurrentText() throws {
        let renderer = SubtitleRenderer(SubtitleFormat(track: 1))
        renderer.add([text(0, 3, "Hello")])
        let firstOverlay = try #require(renderer.overlay(at: Self.second, in: geometry))
        renderer.add([text(2, 5, "and more"), text(7, 9, "later")])
        #expect(renderer.overlay(at: Self.second + 1, in: geometry) === firstOverlay)
        #expect(renderer.overlay(at: 2 * Self.second, in: geometry) !== firstOverlay)
        #expect(renderer.text(at: 2 * Self.second) == "Hello\nand more")
        renderer.add([text(1, 3, "between")])
        #expect(renderer.overlay(at: Self.second + 2, in: geometry)?.text == "Hello\nbetween")
    }

    @Test func textAtTheUpperEdgeHasTheDefaultStyle() throws {
        let format = SubtitleFormat(track: 1, header: Self.script(style: "40,&H000000FF,&H000000FF", alignment: 2))
        let renderer = SubtitleRenderer(format, isAtTop: true)
        renderer.add([text(0, 3, "{\\pos(320,300)\\fad(500,500)}Blue\\Nsky"), text(4, 5, "a {b \\x")])
        let overlay = try #require(renderer.overlay(at: Self.second, in: geometry))
        #expect(overlay.text == "Blue\nsky" && renderer.overlay(at: 2 * Self.second, in: geometry) === overlay)
        let box = try #require(overlay.boxes.first)
        #expect(box.rect.y < 60 && abs(box.rect.x + box.rect.width / 2 - 320) < 8)
        #expect(stride(from: 0, to: box.pixels.count, by: 4).contains { box.pixels[$0] > 240 }, "not white")
        // The width shows that the text is drawn as it stands: braces and backslashes are not tags.
        let width = try #require(renderer.overlay(at: 4 * Self.second, in: geometry)?.boxes.first?.rect.width)
        let plainRenderer = SubtitleRenderer(SubtitleFormat(track: 1), isAtTop: true)
        plainRenderer.add([text(4, 5, "a b x")])
        #expect(try width > #require(plainRenderer.overlay(at: 4 * Self.second, in: geometry)?.boxes.first).rect.width)
    }

    @Test func stylesAndPositionsOfAnASSHeaderAreUsed() throws {
        let header = Self.script(style: "40,&H000000FF,&H000000FF", alignment: 8)
        let renderer = SubtitleRenderer(SubtitleFormat(track: 1, header: header))
        renderer.add([text(0, 3, "Red")])
        let box = try #require(renderer.overlay(at: 0, in: geometry)?.boxes.first)
        // The text is at the top of the picture, below the black bar, and only red.
        #expect(box.rect.y >= 60 && box.rect.y < 120)
        #expect(
            stride(from: 0, to: box.pixels.count, by: 4).allSatisfy { box.pixels[$0] == 0 && box.pixels[$0 + 1] == 0 })
        #expect(stride(from: 0, to: box.pixels.count, by: 4).contains { box.pixels[$0 + 2] > 240 })
    }

    @Test(
        "text moves above a covered lower edge and returns afterwards; text with an explicit position stays",
        arguments: [false, true])
    func textMovesAboveACoveredLowerEdge(_ hasASSHeader: Bool) throws {
        let renderer = SubtitleRenderer(
            SubtitleFormat(
                track: 1, header: hasASSHeader ? Self.script(style: "30,&H00FFFFFF,&H00FFFFFF", alignment: 2) : nil))
        renderer.add([text(0, 3, "Hello\\Nworld"), text(5, 8, "{\\pos(320,340)}Sign")])
        var coveredGeometry = geometry
        coveredGeometry.coveredRowCount = 140
        func bottom(_ time: Int64, _ geometry: OverlayGeometry) throws -> Int {
            let boxes = try #require(renderer.overlay(at: time * Self.second, in: geometry)).boxes
            // Skip the transparent margin of the boxes.
            return boxes.compactMap { box in
                (0..<box.rect.height).last { row in
                    (0..<box.rect.width).contains { box.pixels[(row * box.rect.width + $0) * 4 + 3] > 0 }
                }
                .map { box.rect.y + $0 + 1 }
            }.max() ?? 0
        }
        let normalBottom = try bottom(1, geometry), raisedBottom = try bottom(1, coveredGeometry)
        #expect(normalBottom > 340 && raisedBottom <= 340 && raisedBottom > 300, "\(normalBottom), \(raisedBottom)")
        #expect(try bottom(1, geometry) == normalBottom)
        if hasASSHeader { #expect(try bottom(6, geometry) == bottom(6, coveredGeometry)) }
        // Only the black bar below the picture is covered, and the text of a script is never in the bar.
        coveredGeometry.coveredRowCount = 50
        #expect(try hasASSHeader ? bottom(1, coveredGeometry) == normalBottom : bottom(1, coveredGeometry) <= 430)
    }

    /// Returns the header of an ASS script of 640 × 360 with one style.
    ///
    /// - Parameter style: The font size and two colours, as in the `Style` line.
    private static func script(style: String, alignment: Int) -> String {
        """
        [Script Info]
        ScriptType: v4.00+
        PlayResX: 640
        PlayResY: 360

        [V4+ Styles]
        Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, \
        Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, \
        MarginR, MarginV, Encoding
        Style: Default,sans-serif,\(style),&H00000000,&H00000000,0,0,0,0,100,100,0,0,1,0,0,\(alignment),10,10,10,1

        """
    }

    @Test func aBitmapIsScaledToItsPosition() throws {
        let renderer = SubtitleRenderer(SubtitleFormat(track: 1))
        let pixels = [UInt8](repeating: 200, count: 100 * 50 * 4)
        let bitmap = SubtitleBitmap(rect: PixelRect(x: 960, y: 900, width: 100, height: 50), pixels: pixels)
        renderer.add([
            SubtitleEvent(
                start: 0, end: .max, content: .bitmaps([bitmap], canvas: PixelSize(width: 1920, height: 1080)))
        ])
        let box = try #require(renderer.overlay(at: 0, in: geometry)?.boxes.first)
        #expect(box.rect == PixelRect(x: 320, y: 360, width: 33, height: 17))
        #expect(box.pixels.allSatisfy { $0 == 200 })
    }

    /// The video was cropped from 640 × 360 to 640 × 160, but its subtitles were not: bitmaps keep their shape, and
    /// bitmaps below the lower edge of the window move up.
    @Test func bitmapsOfACroppedVideoKeepTheirShape() throws {
        let renderer = SubtitleRenderer(SubtitleFormat(track: 1))
        let bitmap = SubtitleBitmap(
            rect: PixelRect(x: 900, y: 960, width: 120, height: 60),
            pixels: [UInt8](repeating: 200, count: 120 * 60 * 4))
        renderer.add([
            SubtitleEvent(
                start: 0, end: .max, content: .bitmaps([bitmap], canvas: PixelSize(width: 1920, height: 1080)))
        ])
        let croppedPicture = PixelRect(x: 0, y: 100, width: 640, height: 160)
        let tallWindow = OverlayGeometry(
            windowSize: PixelSize(width: 640, height: 360), pictureRect: croppedPicture, videoSize: croppedPicture.size)
        let box = try #require(renderer.overlay(at: 0, in: tallWindow)?.boxes.first)
        #expect(box.rect == PixelRect(x: 300, y: 320, width: 40, height: 20))
        let croppedWindow = OverlayGeometry(
            windowSize: croppedPicture.size, pictureRect: PixelRect(x: 0, y: 0, width: 640, height: 160),
            videoSize: croppedPicture.size)
        let movedBox = try #require(renderer.overlay(at: 0, in: croppedWindow)?.boxes.first)
        #expect(movedBox.rect == PixelRect(x: 300, y: 140, width: 40, height: 20))
    }

    @Test func shrinkingAveragesThePixelsAndEnlargingKeepsTheEdges() {
        let chequerboard: [UInt8] = (0..<64 * 64).flatMap { index in
            [UInt8](repeating: (index % 64 + index / 64) % 2 == 0 ? 255 : 0, count: 4)
        }
        let smallPixels = BitmapScaler.scaled(
            chequerboard, from: PixelSize(width: 64, height: 64), to: PixelSize(width: 8, height: 8))
        #expect(smallPixels.allSatisfy { (120...136).contains($0) })
        let largePixels = BitmapScaler.scaled(
            [0, 0, 0, 0, 255, 255, 255, 255], from: PixelSize(width: 2, height: 1), to: PixelSize(width: 8, height: 4))
        #expect(largePixels.count == 8 * 4 * 4 && largePixels[0] == 0 && largePixels[31] == 255)
    }

    @Test func distantLinesHaveSeparateBoxes() {
        let topRect = PixelRect(x: 10, y: 10, width: 20, height: 10),
            nearRect = PixelRect(x: 40, y: 15, width: 20, height: 10)
        let bottomRect = PixelRect(x: 0, y: 300, width: 5, height: 5)
        #expect(
            GlyphComposer.mergedRects([bottomRect, nearRect, topRect])
                == [PixelRect(x: 10, y: 10, width: 50, height: 15), bottomRect])
    }

    @Test func timesOfTheVisibleTextAreThoseOfAllVisibleEvents() throws {
        let renderer = SubtitleRenderer(SubtitleFormat(track: 1))
        renderer.add([text(1, 4, "{\\i1}one"), text(2, 6, "two")])
        let times = try #require(renderer.visibleTimes(at: 3 * Self.second))
        #expect(times.start == Self.second && times.end == 6 * Self.second)
        #expect(renderer.visibleTimes(at: 0) == nil && renderer.visibleTimes(at: 6 * Self.second) == nil)
        #expect(renderer.text(at: 3 * Self.second) == "one\ntwo")
        #expect(renderer.taggedText(at: 3 * Self.second) == "{\\i1}one\ntwo")
        #expect(renderer.startTime(of: 1, from: Self.second) == 2 * Self.second)
    }

    @Test func anEventWithoutAnEndHasNoEndUntilItIsKnown() throws {
        let renderer = SubtitleRenderer(SubtitleFormat(track: 1))
        let bitmap = SubtitleBitmap(rect: PixelRect(x: 0, y: 0, width: 1, height: 1), pixels: [9, 9, 9, 9])
        let canvas = PixelSize(width: 10, height: 10)
        renderer.add([SubtitleEvent(start: Self.second, end: .max, content: .bitmaps([bitmap], canvas: canvas))])
        let times = try #require(renderer.visibleTimes(at: 2 * Self.second))
        #expect(times.start == Self.second && times.end == nil)
        #expect(renderer.overlay(at: 5 * Self.second, in: geometry) != nil)
        renderer.endOpenEvents(at: 3 * Self.second)
        #expect(renderer.visibleTimes(at: 2 * Self.second)?.end == 3 * Self.second)
        #expect(renderer.overlay(at: 5 * Self.second, in: geometry) == nil, "the cached overlay is discarded")
        #expect(renderer.text(at: 2 * Self.second) == "" && renderer.taggedText(at: 2 * Self.second) == "")
    }

    @Test func animatedTextIsDrawnAtEachTime() throws {
        let renderer = SubtitleRenderer(SubtitleFormat(track: 1))
        renderer.add([text(0, 4, "{\\move(100,100,300,200)}moves")])
        let first = try #require(renderer.overlay(at: Self.second, in: geometry)?.boxes.first)
        let second = try #require(renderer.overlay(at: 2 * Self.second, in: geometry)?.boxes.first)
        #expect(second.rect.x > first.rect.x && second.rect.y > first.rect.y && renderer.drawingCount == 2)
    }

    @Test func anEmptyWindowShowsNothing() {
        let renderer = SubtitleRenderer(SubtitleFormat(track: 1))
        renderer.add([text(0, 3, "Hello")])
        var emptyGeometry = geometry
        emptyGeometry.windowSize = PixelSize(width: 640, height: 0)
        #expect(renderer.overlay(at: 0, in: emptyGeometry) == nil && renderer.drawingCount == 0)
    }
}
