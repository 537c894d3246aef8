import SharedFrames
import Testing
import VideoOutput

@testable import Compositor

@Suite struct WindowPlacementTests {
    /// The areas (monitors) for which the placement is tested.
    private static let areas = [
        (0, 0, 1280, 720), (0, 0, 1920, 1080), (1920, 0, 3840, 2160), (-1080, 200, 1080, 1920), (0, 0, 1024, 768),
    ]
    .map { PixelRect(x: $0.0, y: $0.1, width: $0.2, height: $0.3) }
    /// The picture sizes for which the placement is tested, including extreme ones.
    private static let pictures = [
        (1920, 1080), (640, 480), (720, 1280), (1, 1), (16_384, 16), (16, 16_384), (320, 134), (0, 0),
    ]
    .map { PixelSize(width: $0.0, height: $0.1) }
    /// The size of the picture, 16:9.
    private static let pictureSize = PixelSize(width: 1920, height: 1080)
    /// The area of a full-HD monitor.
    private static let desktop = areas[1]

    @Test func defaultFrameIsLowerRightAndAQuarterWide() {
        let frame = WindowPlacement.initialFrame(picture: Self.pictureSize, area: Self.desktop)
        #expect(frame == PixelRect(x: 1920 - 480 - 24, y: 1080 - 270 - 24, width: 480, height: 270))
    }

    @Test(arguments: areas) func everyPictureFitsInEveryCorner(_ area: PixelRect) {
        for picture in Self.pictures {
            for width in [0, 160, 400, 100_000] {
                let size = WindowPlacement.size(width: width, picture: picture, area: area)
                #expect(size.width <= area.width / 2 && size.height <= area.height / 2, "\(picture)")
                #expect(size.width > 0 && size.height > 0, "\(picture)")
                for corner in WindowPlacement.Corner.allCases {
                    let frame = WindowPlacement.frame(size, in: corner, of: area)
                    #expect(
                        frame.x >= area.x && frame.y >= area.y && frame.x + frame.width <= area.x + area.width
                            && frame.y + frame.height <= area.y + area.height)
                    if size.width < area.width / 2 - 60, size.height < area.height / 2 - 60 {
                        #expect(WindowPlacement.corner(of: frame, in: area) == corner)
                    }
                }
            }
        }
    }

    @Test(arguments: areas) func pictureFillsTheWindowWithoutBars(_ area: PixelRect) {
        let sizes = [(1920, 1080), (1080, 1920), (640, 480), (320, 134), (1998, 1080), (1080, 1350), (500, 500)]
        for picture in sizes.map({ PixelSize(width: $0.0, height: $0.1) }) {
            for width in 150...1000 {
                let size = WindowPlacement.size(width: width, picture: picture, area: area)
                let placement = Placement(
                    picture: picture, displaySize: picture, areaSize: size, gravity: .resizeAspect)
                #expect(placement.destination.size == size, "\(picture) in \(size)")
            }
        }
    }

    @Test func windowCoversAsManyPixelsForOtherAspectRatios() {
        let chosenFrame = PixelRect(x: 1416, y: 786, width: 480, height: 270)
        func adaptedFrame(_ width: Int, _ height: Int) -> PixelRect {
            WindowPlacement.adapted(chosenFrame, to: PixelSize(width: width, height: height), area: Self.desktop)
        }
        #expect(adaptedFrame(1080, 1920) == PixelRect(x: 1626, y: 576, width: 270, height: 480))
        #expect(adaptedFrame(500, 500) == PixelRect(x: 1536, y: 696, width: 360, height: 360))
        #expect(adaptedFrame(640, 480).width * adaptedFrame(640, 480).height - 480 * 270 < 1000)
        #expect(adaptedFrame(1280, 720) == chosenFrame)
    }

    @Test func newAspectRatioKeepsWidthAndNearestCorner() {
        let frame = PixelRect(x: 1000, y: 600, width: 480, height: 270)
        func resizedFrame(_ width: Int, _ height: Int) -> PixelRect {
            WindowPlacement.resized(
                frame, width: frame.width, picture: PixelSize(width: width, height: height), area: Self.desktop)
        }
        #expect(resizedFrame(640, 480) == PixelRect(x: 1000, y: 510, width: 480, height: 360))
        // An upright picture is at most half as high as the screen.
        let uprightFrame = resizedFrame(360, 640)
        #expect(
            uprightFrame.height == 539 && uprightFrame.width == 303 && uprightFrame.x + uprightFrame.width == 1480
                && uprightFrame.y + uprightFrame.height == 870)
        #expect(resizedFrame(16, 9) == frame)
    }

    @Test func flingSelectsCornerInItsDirection() {
        let frame = PixelRect(x: 1400, y: 780, width: 480, height: 270)
        #expect(WindowPlacement.corner(of: frame, velocity: (0, 0), in: Self.desktop) == .bottomRight)
        #expect(WindowPlacement.corner(of: frame, velocity: (-4000, 0), in: Self.desktop) == .bottomLeft)
        #expect(WindowPlacement.corner(of: frame, velocity: (-4000, -4000), in: Self.desktop) == .topLeft)
        #expect(WindowPlacement.corner(of: frame, velocity: (-.infinity, .infinity), in: Self.desktop) == .bottomLeft)
    }

    @Test func doubleClickCyclesThroughThreeSizes() {
        var width = WindowPlacement.initialFrame(picture: Self.pictureSize, area: Self.desktop).width
        var widths: [Int] = []
        for _ in 0..<4 {
            width = WindowPlacement.nextWidth(after: width, picture: Self.pictureSize, area: Self.desktop)
            widths.append(width)
        }
        #expect(widths == [640, 960, 480, 640])
    }

    @Test func newWindowAvoidsOtherWindows() {
        let initialFrame = WindowPlacement.initialFrame(picture: Self.pictureSize, area: Self.desktop)
        var occupiedFrames: [PixelRect] = []
        for corner in [WindowPlacement.Corner.bottomRight, .bottomLeft, .topRight, .topLeft] {
            let freeFrame = WindowPlacement.avoiding(occupiedFrames, initialFrame, area: Self.desktop)
            #expect(
                WindowPlacement.corner(of: freeFrame, in: Self.desktop) == corner
                    && !occupiedFrames.contains { $0.overlaps(freeFrame) })
            occupiedFrames.append(freeFrame)
        }
        #expect(WindowPlacement.avoiding(occupiedFrames, initialFrame, area: Self.desktop) == initialFrame)
    }

    @Test func frameOutsideAreaIsMovedInside() {
        let frame = PixelRect(x: 5000, y: -300, width: 480, height: 270)
        #expect(WindowPlacement.movedInside(frame, Self.desktop) == PixelRect(x: 1440, y: 0, width: 480, height: 270))
    }
}
