import SharedFrames
import Testing
@testable import Compositor

@Suite struct WindowPlacementTests {
    private static let screens = [(1280, 720), (1920, 1080), (3840, 2160), (1080, 1920), (1024, 768)].map { PixelSize(width: $0.0, height: $0.1) }
    private static let pictures = [(1920, 1080), (640, 480), (720, 1280), (1, 1), (16_384, 16), (16, 16_384), (320, 134), (0, 0)]
        .map { PixelSize(width: $0.0, height: $0.1) }

    @Test func aFilmStandsInTheLowerRightCornerAQuarterWide() {
        let frame = WindowPlacement.initialFrame(
            picture: PixelSize(width: 1920, height: 1080), screen: PixelSize(width: 1920, height: 1080))
        #expect(frame == PixelRect(x: 1920 - 480 - 24, y: 1080 - 270 - 24, width: 480, height: 270))
    }

    @Test(arguments: screens) func everyPictureFindsAPlaceOnTheScreen(_ screen: PixelSize) {
        for picture in Self.pictures {
            let frame = WindowPlacement.initialFrame(picture: picture, screen: screen)
            #expect(frame.x >= 0 && frame.y >= 0, "\(picture)")
            #expect(frame.x + frame.width == screen.width - WindowPlacement.margin, "\(picture)")
            #expect(frame.y + frame.height == screen.height - WindowPlacement.margin, "\(picture)")
            #expect(frame.height <= screen.height / 2 + 1, "\(picture)")
            #expect(frame.width % 2 == 0 && frame.height % 2 == 0 && frame.width > 0 && frame.height > 0, "\(picture)")
        }
    }

    @Test(arguments: screens) func theWindowHasThePicturesShape(_ screen: PixelSize) {
        for picture in Self.pictures where picture.width >= 320 && picture.height >= 134 {
            let frame = WindowPlacement.initialFrame(picture: picture, screen: screen)
            // Two pixels of rounding in one direction, seen in the other.
            let error = abs(frame.width * picture.height - frame.height * picture.width)
            #expect(error <= 3 * max(picture.width, picture.height), "\(picture) \(frame)")
        }
    }

    @Test func aNewShapeKeepsTheWidthAndTheCorner() {
        let screen = PixelSize(width: 1920, height: 1080), frame = PixelRect(x: 1000, y: 500, width: 480, height: 270)
        #expect(WindowPlacement.reshaped(frame, picture: PixelSize(width: 640, height: 480), screen: screen) == PixelRect(x: 1000, y: 410, width: 480, height: 360))
        // Upright: no higher than half the screen.
        let upright = WindowPlacement.reshaped(frame, picture: PixelSize(width: 360, height: 640), screen: screen)
        #expect(upright.height == 540 && upright.width == 302 && upright.x + upright.width == 1480 && upright.y + upright.height == 770)
        #expect(WindowPlacement.reshaped(frame, picture: PixelSize(width: 16, height: 9), screen: screen) == frame)
    }
}
