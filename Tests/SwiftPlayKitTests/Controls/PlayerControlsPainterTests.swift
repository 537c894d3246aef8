import SharedFrames
import Testing

@testable import SwiftPlayKit

@Suite struct PlayerControlsPainterTests {
    /// Returns the appearance of the controls in a window of the given size.
    private static func scene(
        _ width: Int, _ height: Int, opacity: Double = 1, _ change: (inout ControlsState) -> Void = { _ in }
    ) -> ControlsScene {
        var state = ControlsState()
        (state.title, state.duration, state.position, state.hasAudio, state.offersPictureInPicture) = (
            "A film", 100, 50, true, true
        )
        change(&state)
        return ControlsScene(
            layout: PlayerControlsLayout(
                size: PixelSize(width: width, height: height), requested: state.availableControls),
            state: state, opacity: opacity)
    }

    @Test func hiddenControlsHaveNoPicture() {
        #expect(PlayerControlsPainter(Self.scene(640, 360, opacity: 0)).picture == nil)
        #expect(PlayerControlsPainter(Self.scene(100, 60)).picture == nil)
    }

    @Test(arguments: [(120, 90), (320, 180), (1280, 720), (1920, 1080)]) func allBoxesFitIntoTheWindow(
        _ width: Int, _ height: Int
    ) throws {
        var scene = Self.scene(width, height) { $0.title = String(repeating: "long \n\0 \u{1F3AC} ", count: 1000) }
        scene.message = String(repeating: "message ", count: 100)
        for x in [0, width / 2, width - 1] {
            let size = PixelSize(width: 40, height: 30)
            let picture = PreviewPicture(
                positionIndex: 1, decoderNumber: 0, size: size, pixels: Array(repeating: 200, count: 4800))
            scene.sliderPreview = .init(x: x, text: "0:50", picture: picture)
            let overlay = try #require(PlayerControlsPainter(scene).picture)
            // Four boxes are expected: the panel, the title, the preview and the message. A box that did not fit would
            // be missing.
            #expect(overlay.boxes.count == 4)
        }
    }

    @Test func panelIsFadedAndThePlayedPartIsRed() throws {
        func sliderPixels(_ opacity: Double) throws -> (left: [UInt8], right: [UInt8]) {
            let scene = Self.scene(640, 360, opacity: opacity), line = scene.layout.positionLine
            let panel = try #require(
                PlayerControlsPainter(scene).picture?.boxes.first { $0.rect == scene.layout.panel })
            func pixel(_ x: Int) -> [UInt8] {
                let offset = ((line.y + line.height / 2 - panel.rect.y) * panel.rect.width + x) * 4
                return Array(panel.pixels[offset..<offset + 4])
            }
            return (pixel(line.x + line.width / 4), pixel(line.x + line.width * 3 / 4))
        }
        let opaquePixels = try sliderPixels(1), fadedPixels = try sliderPixels(1.0 / 3)
        #expect(opaquePixels.left[2] > 200 && opaquePixels.left[0] < 120 && opaquePixels.left[3] == 255)
        #expect(opaquePixels.right[2] < 200 && abs(Int(opaquePixels.right[2]) - Int(opaquePixels.right[0])) < 3)
        #expect(abs(Int(fadedPixels.left[3]) - 85) < 3)
    }

    @Test func theLoadedPartIsLighterThanTheRest() throws {
        /// Returns the brightness of the position slider at fractions of its length.
        func sliderBrightness(_ loadedUntil: Double?, _ fractions: [Double]) throws -> [UInt8] {
            let scene = Self.scene(640, 360) { $0.loadedUntil = loadedUntil }, line = scene.layout.positionLine
            let panel = try #require(
                PlayerControlsPainter(scene).picture?.boxes.first { $0.rect == scene.layout.panel })
            return fractions.map { fraction in
                let x = line.x + Int(Double(line.width) * fraction)
                return panel.pixels[((line.y + line.height / 2 - panel.rect.y) * panel.rect.width + x) * 4]
            }
        }
        let checkedFractions = [0.25, 0.6, 0.7, 0.8, 0.9]
        let unloadedBrightness = try sliderBrightness(nil, checkedFractions)
        let loadedBrightness = try sliderBrightness(75, checkedFractions)
        #expect(loadedBrightness[0] == unloadedBrightness[0] && loadedBrightness[3...] == unloadedBrightness[3...])
        #expect(loadedBrightness[1] > unloadedBrightness[1] + 40 && loadedBrightness[2] == loadedBrightness[1])
        #expect(try sliderBrightness(20, checkedFractions) == unloadedBrightness)
    }

    @Test func eachButtonStateLooksDifferent() throws {
        func pixels(_ change: (inout ControlsState) -> Void) throws -> [UInt8] {
            let scene = Self.scene(640, 360, change)
            return try #require(PlayerControlsPainter(scene).picture?.boxes.first { $0.rect == scene.layout.panel })
                .pixels
        }
        let playingPixels = try pixels { $0.isPaused = false }
        #expect(try pixels { $0.isPaused = true } != playingPixels)
        #expect(try pixels { ($0.isPaused, $0.isMuted) = (false, true) } != playingPixels)
        #expect(try pixels { ($0.isPaused, $0.isFullScreen) = (false, true) } != playingPixels)
        #expect(try pixels { ($0.isPaused, $0.volume) = (false, 0.5) } != playingPixels)
        #expect(try pixels { ($0.isPaused, $0.chapters) = (false, [.init(start: 70)]) } != playingPixels)
        let nextItemPixels = try pixels { ($0.isPaused, $0.hasNextItem) = (false, true) }
        #expect(nextItemPixels != playingPixels)
        #expect(
            try pixels { ($0.isPaused, $0.hasNextItem, $0.hasPreviousItem) = (false, true, true) } != nextItemPixels)
        let automaticQualityPixels = try pixels { ($0.isPaused, $0.quality) = (false, "auto") }
        #expect(automaticQualityPixels != playingPixels)
        #expect(try pixels { ($0.isPaused, $0.quality) = (false, "1080p60") } != automaticQualityPixels)
    }

    /// Two words of a script that the fonts lack would look the same, because all missing characters are drawn as the
    /// same box. The font "sans-serif" alone may contain only the first two scripts of the list.
    @Test(arguments: [
        ("Ελλάδα", "Κύπρος"), ("שלום", "עולם"), ("東京", "京都"), ("さくら", "もみじ"), ("कखग", "चछज"), ("日本 Blade", "東京 Blade"),
    ])
    func everyScriptIsDrawnInTitlesAndMessages(_ firstText: String, _ secondText: String) throws {
        func title(_ text: String) throws -> [UInt8] {
            let scene = Self.scene(640, 360) { $0.title = text }
            let boxes = try #require(PlayerControlsPainter(scene).picture?.boxes)
            return try #require(boxes.first { $0.rect == scene.layout.titleBar }).pixels
        }
        func message(_ text: String) throws -> [UInt8] {
            var scene = Self.scene(640, 360, opacity: 0)
            scene.message = text
            return try #require(PlayerControlsPainter(scene).picture?.boxes.first).pixels
        }
        #expect(try title(firstText) != title(secondText) && title(firstText) != title(" "))
        #expect(try message(firstText) != message(secondText))
    }

    @Test func aTooLongTitleEndsInsideItsMargin() throws {
        for character in ["W", "ש", "東"] {
            let scene = Self.scene(640, 360) { $0.title = String(repeating: character, count: 250) }
            let emptyTitleScene = Self.scene(640, 360) { $0.title = " " }
            func titleBarPixels(_ scene: ControlsScene) throws -> [UInt8] {
                let boxes = try #require(PlayerControlsPainter(scene).picture?.boxes)
                return try #require(boxes.first { $0.rect == scene.layout.titleBar }).pixels
            }
            let fullPixels = try titleBarPixels(scene), emptyPixels = try titleBarPixels(emptyTitleScene)
            let width = scene.layout.titleBar.width, margin = scene.layout.buttonSize / 4
            func differs(_ columns: Range<Int>) -> Bool {
                (0..<scene.layout.titleBar.height).contains { row in
                    columns.contains { fullPixels[(row * width + $0) * 4] != emptyPixels[(row * width + $0) * 4] }
                }
            }
            #expect(!differs(0..<margin - 2) && !differs(width - margin + 2..<width), "\(character)")
            #expect(differs(margin..<margin + 3 * scene.layout.buttonSize), "\(character)")
        }
    }

    @Test func theNameOfTheChapterIsShownAboveThePreview() throws {
        var scene = Self.scene(640, 360)
        scene.sliderPreview = .init(x: 300, text: "0:50", chapterName: "The long journey")
        let rect = try #require(scene.layout.chapterNameRect(x: 300, picture: PixelSize(width: 0, height: 0)))
        let boxes = try #require(PlayerControlsPainter(scene).picture?.boxes)
        let box = try #require(boxes.first { $0.rect == rect })
        // The dark background is only as wide as the text.
        let row = rect.height / 2 * rect.width * 4
        #expect(box.pixels[row + 3] == 0 && box.pixels[row + rect.width / 2 * 4 + 3] > 100)
    }

    @Test func messageIsShownWithoutControls() throws {
        var scene = Self.scene(640, 360, opacity: 0)
        scene.message = "Volume: 50%"
        let picture = try #require(PlayerControlsPainter(scene).picture)
        #expect(picture.boxes.count == 1)
        #expect(picture.boxes[0].pixels.contains(255) && picture.boxes[0].rect.y < 60)
    }

    @Test func thePlaceholderShowsItsText() {
        func placeholderPixels(_ text: String) -> [UInt8] {
            var pixels = [UInt8](repeating: 0, count: 640 * 360 * 4)
            pixels.withUnsafeMutableBytes { bytes in
                if let base = bytes.baseAddress {
                    PlaceholderPainter.draw(base, PixelSize(width: 640, height: 360), 640 * 4, text)
                }
            }
            return pixels
        }
        #expect(placeholderPixels("elsewhere") != placeholderPixels(""))
    }
}
