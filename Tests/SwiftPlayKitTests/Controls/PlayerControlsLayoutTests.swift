import SharedFrames
import Testing

@testable import SwiftPlayKit

@Suite struct PlayerControlsLayoutTests {
    /// All controls that a player can have.
    private static let allControls = Set(PlayerControl.allCases)
    private static let windowSizes = [
        (120, 90), (160, 90), (320, 180), (640, 360), (360, 640), (1280, 720), (1920, 1080), (3840, 2160), (200, 1000),
    ]
    .map { PixelSize(width: $0.0, height: $0.1) }

    @Test(arguments: windowSizes) func controlsStayInsideThePanelWithoutOverlap(_ size: PixelSize) {
        let layout = PlayerControlsLayout(size: size, requested: Self.allControls), panel = layout.panel
        let rects = PlayerControl.allCases.map(layout.rect).filter { $0.width > 0 }
        #expect(!rects.isEmpty)
        for (index, rect) in rects.enumerated() {
            #expect(
                rect.x >= 0 && rect.y >= panel.y && rect.x + rect.width <= size.width
                    && rect.y + rect.height <= size.height, "\(rect)")
            for otherRect in rects[(index + 1)...] {
                #expect(
                    rect.x + rect.width <= otherRect.x || otherRect.x + otherRect.width <= rect.x
                        || rect.y + rect.height <= otherRect.y || otherRect.y + otherRect.height <= rect.y,
                    "\(rect) \(otherRect)")
            }
        }
        #expect(panel.y + panel.height == size.height && layout.titleBar.height <= panel.y)
    }

    @Test(arguments: windowSizes) func importantControlsAreAlwaysPresent(_ size: PixelSize) {
        let layout = PlayerControlsLayout(size: size, requested: Self.allControls)
        for control in [PlayerControl.playPause, .scrubber, .pictureInPicture, .fullScreen] {
            #expect(layout.rect(of: control).width >= 24)
        }
    }

    @Test func aNarrowWindowOmitsTheVolumeSliderFirst() {
        let wideLayout = PlayerControlsLayout(size: PixelSize(width: 640, height: 360), requested: Self.allControls)
        #expect(PlayerControl.allCases.allSatisfy { wideLayout.rect(of: $0).width > 0 })
        let narrowLayout = PlayerControlsLayout(size: PixelSize(width: 320, height: 180), requested: Self.allControls)
        #expect(
            narrowLayout.rect(of: .volume).width == 0 && narrowLayout.rect(of: .mute).width > 0
                && narrowLayout.rect(of: .audioTracks).width > 0)
    }

    @Test(arguments: windowSizes) func controlsAreLargerOnADisplayOfHighResolution(_ size: PixelSize) {
        let layout = PlayerControlsLayout(size: size, requested: Self.allControls)
        let scaledLayout = PlayerControlsLayout(size: size, requested: Self.allControls, displayScale: 2)
        #expect(scaledLayout.buttonSize >= layout.buttonSize && scaledLayout.buttonSize <= 2 * layout.buttonSize)
        #expect(scaledLayout.panel.height <= max(layout.panel.height, size.height / 2))
        #expect(scaledLayout.rect(of: .playPause).width > 0)
        if size.width >= 1920 { #expect(scaledLayout.buttonSize > layout.buttonSize) }
    }

    @Test func aChapterNameIsAboveThePreview() throws {
        let size = PixelSize(width: 640, height: 360), picture = PixelSize(width: 160, height: 90)
        let layout = PlayerControlsLayout(size: size, requested: Self.allControls)
        for x in [0, 320, 639] {
            let rect = try #require(layout.chapterNameRect(x: x, picture: picture))
            #expect(rect.x >= 0 && rect.x + rect.width <= size.width && rect.y >= 0)
            #expect(rect.y + rect.height <= layout.previewRects(x: x, picture: picture).picture.y)
        }
        let smallLayout = PlayerControlsLayout(size: PixelSize(width: 120, height: 90), requested: Self.allControls)
        #expect(smallLayout.chapterNameRect(x: 50, picture: picture) == nil)
    }

    @Test func controlsThatAreNotRequestedAreAbsent() {
        let layout = PlayerControlsLayout(
            size: PixelSize(width: 1280, height: 720), requested: [.playPause, .fullScreen])
        #expect(
            layout.rect(of: .pictureInPicture).width == 0 && layout.rect(of: .scrubber).width == 0
                && layout.positionLine.width == 0)
    }

    @Test(arguments: [(0, 0), (119, 400), (400, 89)]) func aTinyWindowHasNoControls(_ width: Int, _ height: Int) {
        let layout = PlayerControlsLayout(size: PixelSize(width: width, height: height), requested: Self.allControls)
        #expect(layout.isEmpty && layout.panel.height == 0 && layout.control(x: width / 2, y: height - 5) == nil)
    }

    @Test(arguments: windowSizes) func aControlReceivesClicksOnlyWithinItsRectangle(_ size: PixelSize) {
        let layout = PlayerControlsLayout(size: size, requested: Self.allControls)
        for control in PlayerControl.allCases where layout.rect(of: control).width > 0 {
            let rect = layout.rect(of: control),
                controlInTheMiddle = layout.control(x: rect.x + rect.width / 2, y: rect.y + rect.height / 2)
            #expect(controlInTheMiddle == (control == .time ? nil : control))
            #expect(layout.control(x: rect.x - 1, y: rect.y + rect.height - 1) != control)
            #expect(layout.control(x: rect.x, y: rect.y + rect.height) != control)
        }
        #expect(layout.control(x: -1, y: -1) == nil)
    }

    @Test(arguments: windowSizes) func theEndsOfTheSliderAreTheStartAndTheEndOfTheItem(_ size: PixelSize) {
        let layout = PlayerControlsLayout(size: size, requested: Self.allControls), line = layout.positionLine
        #expect(layout.positionFraction(x: line.x) == 0 && layout.positionFraction(x: line.x + line.width - 1) == 1)
        #expect(layout.positionFraction(x: -100) == 0 && layout.positionFraction(x: size.width + 100) == 1)
        #expect(abs(layout.positionFraction(x: line.x + line.width / 2) - 0.5) < 0.02)
    }

    @Test(arguments: windowSizes, [(192, 108), (108, 192), (192, 10), (1, 1), (0, 0)])
    func thePreviewStaysInTheWindowAndKeepsItsAspectRatio(_ size: PixelSize, _ pictureSize: (Int, Int)) {
        let layout = PlayerControlsLayout(size: size, requested: Self.allControls)
        for x in [0, size.width / 2, size.width - 1] {
            let (pictureRect, timeRect) = layout.previewRects(
                x: x, picture: PixelSize(width: pictureSize.0, height: pictureSize.1))
            for rect in [pictureRect, timeRect] {
                #expect(
                    rect.x >= 0 && rect.x + rect.width <= size.width && rect.y >= 0
                        && rect.y + rect.height <= layout.panel.y, "\(rect)")
            }
            #expect(
                pictureRect.width <= pictureSize.0 && pictureRect.height <= pictureSize.1
                    && pictureRect.y + pictureRect.height <= timeRect.y)
            guard pictureRect.width > 20, pictureRect.height > 20 else { continue }
            let rectRatio = Double(pictureRect.width) / Double(pictureRect.height)
            #expect(abs(rectRatio - Double(pictureSize.0) / Double(pictureSize.1)) < 0.2)
        }
    }
}
