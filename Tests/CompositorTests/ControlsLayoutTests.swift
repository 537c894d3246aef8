import SharedFrames
import Testing

@testable import Compositor

@Suite struct ControlsLayoutTests {
    /// The window sizes for which the layout is tested, in pixels.
    private static let sizes = [
        (160, 90), (160, 120), (90, 160), (480, 270), (480, 200), (360, 640), (960, 540), (1920, 1080), (200, 200),
    ]
    .map { PixelSize(width: $0.0, height: $0.1) }

    @Test(arguments: sizes) func buttonsLieInsideWindowWithoutOverlap(_ size: PixelSize) {
        let layout = ControlsLayout(size: size)
        let rects =
            ControlsLayout.Button.allCases.map(layout.rect).filter { $0.width > 0 } + [layout.rect(of: .progress)]
        for (index, rect) in rects.enumerated() {
            #expect(
                rect.x >= 0 && rect.y >= 0 && rect.x + rect.width <= size.width && rect.y + rect.height <= size.height)
            #expect(rect == layout.rect(of: .progress) || rect.width == rect.height && rect.width >= 8)
            for other in rects[(index + 1)...] {
                #expect(
                    rect.x + rect.width <= other.x || other.x + other.width <= rect.x || rect.y + rect.height <= other.y
                        || other.y + other.height <= rect.y, "\(rect) \(other)")
            }
        }
    }

    @Test(arguments: sizes) func buttonIsHitOnlyInsideItsRectangle(_ size: PixelSize) {
        let layout = ControlsLayout(size: size)
        for button in ControlsLayout.Button.allCases {
            let rect = layout.rect(of: button)
            guard rect.width > 0 else { continue }
            #expect(layout.button(x: rect.x, y: rect.y) == button)
            #expect(layout.button(x: rect.x + rect.width - 1, y: rect.y + rect.height - 1) == button)
            #expect(layout.button(x: rect.x - 1, y: rect.y) == nil)
            #expect(layout.button(x: rect.x, y: rect.y + rect.height) == nil)
        }
        #expect(layout.button(x: 0, y: 0) == nil)
        #expect(layout.button(x: -1, y: -1) == nil)
        #expect(layout.button(x: size.width, y: size.height) == nil)
    }

    @Test func restoreButtonIsLeftCloseButtonIsRightPlayButtonIsCentred() {
        let layout = ControlsLayout(size: PixelSize(width: 480, height: 270))
        let restore = layout.rect(of: .restore), close = layout.rect(of: .close), play = layout.rect(of: .playPause)
        #expect(restore.x == 480 - close.x - close.width && restore.y == close.y)
        #expect(restore.x < play.x && play.x < close.x)
        #expect(abs(play.x * 2 + play.width - 480) <= 1 && abs(play.y * 2 + play.height - 270) <= 1)
    }

    @Test(arguments: sizes) func progressBarLiesAtLowerEdgeAndCanBeDragged(_ size: PixelSize) {
        let layout = ControlsLayout(size: size), barRect = layout.rect(of: .progress)
        #expect(barRect.height >= 3 && barRect.x * 2 + barRect.width == size.width)
        #expect(barRect.y + barRect.height < size.height && barRect.y > size.height * 3 / 4)
        let middleY = barRect.y + barRect.height / 2
        #expect(
            layout.slider(x: barRect.x, y: middleY) == .progress
                && layout.slider(x: barRect.x + barRect.width / 2, y: barRect.y - 4) == .progress)
        #expect(
            layout.value(of: .progress, x: barRect.x) < 0.02
                && layout.value(of: .progress, x: barRect.x + barRect.width - 1) > 0.98)
        #expect(abs(layout.value(of: .progress, x: barRect.x + barRect.width / 2) - 0.5) < 0.02)
        #expect(layout.slider(x: barRect.x, y: size.height - 1) == nil && layout.slider(x: 0, y: middleY) == nil)
        // A drag that began on the progress bar continues outside it.
        #expect(layout.value(of: .progress, x: -100) == 0 && layout.value(of: .progress, x: size.width + 100) == 1)
    }

    @Test func volumeControlAppearsIfThereIsRoom() {
        let layout = ControlsLayout(size: PixelSize(width: 480, height: 270)), muteRect = layout.rect(of: .mute),
            sliderRect = layout.rect(of: .volume)
        #expect(muteRect.width >= 28 && sliderRect.width > 40)
        #expect(layout.slider(x: sliderRect.x + 3, y: sliderRect.y) == .volume)
        for other in ControlsLayout.Button.allCases where other != .mute {
            #expect(
                !layout.rect(of: other).overlaps(muteRect)
                    && !layout.rect(of: other).overlaps(layout.hitArea(of: .volume)),
                "\(other)")
        }
        #expect(
            !layout.hitArea(of: .progress).overlaps(layout.hitArea(of: .volume))
                && !layout.hitArea(of: .progress).overlaps(muteRect))
        let smallLayout = ControlsLayout(size: PixelSize(width: 160, height: 90))
        #expect(smallLayout.rect(of: .mute).width == 0 && smallLayout.slider(x: 20, y: 45) == nil)
    }

    @Test func skipButtonsAppearIfThereIsRoom() {
        let layout = ControlsLayout(size: PixelSize(width: 480, height: 270))
        #expect(layout.rect(of: .skipBack).width > 0 && layout.rect(of: .skipForward).width > 0)
        #expect(
            layout.rect(of: .skipBack).x < layout.rect(of: .playPause).x
                && layout.rect(of: .playPause).x < layout.rect(of: .skipForward).x)
        #expect(ControlsLayout(size: PixelSize(width: 90, height: 160)).rect(of: .skipBack).width == 0)
    }

    @Test func windowWithoutSeekingHasNoSkipButtons() {
        let seekableLayout = ControlsLayout(size: PixelSize(width: 480, height: 270)),
            linearLayout = ControlsLayout(size: seekableLayout.size, requiresLinearPlayback: true)
        let barRect = seekableLayout.hitArea(of: .progress)
        #expect(
            seekableLayout.slider(x: barRect.x + 50, y: barRect.y + 1) == .progress
                && linearLayout.slider(x: barRect.x + 50, y: barRect.y + 1) == nil)
        #expect(
            linearLayout.rect(of: .progress) == seekableLayout.rect(of: .progress),
            "the progress bar still shows the position")
        for button in [ControlsLayout.Button.skipBack, .skipForward] {
            #expect(seekableLayout.rect(of: button).width > 0 && linearLayout.rect(of: button).width == 0)
        }
        for button in [ControlsLayout.Button.restore, .playPause, .close, .mute] {
            #expect(linearLayout.rect(of: button) == seekableLayout.rect(of: button))
        }
    }

    @Test("at a higher resolution buttons are larger, as far as a quarter of the window's smaller side permits")
    func buttonsGrowWithTheDisplayScale() {
        func side(_ width: Int, _ height: Int, _ scale: Double) -> Int {
            ControlsLayout(size: PixelSize(width: width, height: height), displayScale: scale).rect(of: .close).width
        }
        #expect(side(480, 130, 1) == 28 && side(480, 130, 2) == 32 && side(480, 130, 8) == 32)
        #expect(side(480, 260, 2) == 56 && side(480, 260, 1) == 52)
        #expect(side(1920, 1080, 2) == 216, "the buttons of a large window are large enough")
    }

    @Test("the value of a slider rises with the position, and its ends are 0 and 1", arguments: sizes)
    func sliderValuesRise(_ size: PixelSize) {
        let layout = ControlsLayout(size: size)
        for slider in ControlsLayout.Slider.allCases {
            let values = (-10...size.width + 10).map { layout.value(of: slider, x: $0) }
            #expect(values.first == 0 && values.last == 1)
            #expect(zip(values, values.dropFirst()).allSatisfy { $0 <= $1 })
        }
    }
}
