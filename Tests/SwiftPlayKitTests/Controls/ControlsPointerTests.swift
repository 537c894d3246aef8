import SharedFrames
import Testing
import VideoOutput

@testable import SwiftPlayKit

@Suite struct ControlsPointerTests {
    private static let layout = PlayerControlsLayout(
        size: PixelSize(width: 1280, height: 720), requested: Set(PlayerControl.allCases))

    /// Returns the middle of a control, in pixels of the window.
    private static func middle(of control: PlayerControl) -> (x: Int, y: Int) {
        let rect = layout.rect(of: control)
        return (rect.x + rect.width / 2, rect.y + rect.height / 2)
    }

    private var pointer = ControlsPointer()

    private mutating func press(_ position: (x: Int, y: Int), _ button: String = "MBTN_LEFT", at now: Int64 = 0)
        -> [ControlsPointer.Action]
    {
        pointer.handle(.pressed(button, x: position.x, y: position.y), layout: Self.layout, at: now)
    }

    private mutating func move(_ position: (x: Int, y: Int)) -> [ControlsPointer.Action] {
        pointer.handle(.moved(x: position.x, y: position.y), layout: Self.layout, at: 0)
    }

    private mutating func release(
        _ position: (x: Int, y: Int), _ button: String = "MBTN_LEFT"
    ) -> [ControlsPointer.Action] {
        pointer.handle(.released(button, x: position.x, y: position.y), layout: Self.layout, at: 0)
    }

    @Test(arguments: [
        PlayerControl.previous, .playPause, .next, .mute, .audioTracks, .subtitles, .pictureInPicture, .fullScreen,
    ])
    mutating func aButtonPerformsItsActionOnRelease(_ button: PlayerControl) {
        #expect(press(Self.middle(of: button)) == [])
        #expect(pointer.isButtonHeld && pointer.hoveredControl(in: Self.layout) == button)
        #expect(release(Self.middle(of: button)) == [.press(button, isSecondary: false)])
        #expect(!pointer.isButtonHeld)
    }

    @Test mutating func aReleaseOutsideTheButtonPerformsNoAction() {
        _ = press(Self.middle(of: .playPause))
        _ = move(Self.middle(of: .mute))
        #expect(pointer.hoveredControl(in: Self.layout) == nil)
        #expect(release(Self.middle(of: .mute)) == [] && !pointer.isButtonHeld)
    }

    @Test mutating func aRightClickOnAButtonIsASecondaryPress() {
        _ = press(Self.middle(of: .audioTracks), "MBTN_RIGHT")
        #expect(release(Self.middle(of: .audioTracks), "MBTN_RIGHT") == [.press(.audioTracks, isSecondary: true)])
    }

    @Test mutating func draggingTheScrubberIsLimitedToItsEnds() {
        let line = Self.layout.positionLine
        #expect(press((line.x, line.y)) == [.scrub(0)])
        #expect(pointer.isScrubbing)
        #expect(move((line.x + line.width - 1, 5)) == [.scrub(1)])
        #expect(move((-500, 5)) == [.scrub(0)])
        // Vertical movement of the pointer changes nothing.
        #expect(move((-500, 50)) == [])
        #expect(pointer.hoveredControl(in: Self.layout) == .scrubber)
        #expect(release((-500, 5)) == [.endScrub])
        #expect(!pointer.isButtonHeld && move((line.x + 9, line.y)) == [])
    }

    @Test mutating func draggingTheVolumeSliderSetsTheVolume() {
        let line = Self.layout.volumeLine
        #expect(press((line.x + line.width - 1, line.y)) == [.setVolume(1)])
        #expect(move((0, 0)) == [.setVolume(0)])
        #expect(release((0, 0)) == [])
    }

    @Test mutating func twoClicksOnThePictureAreADoubleClick() {
        #expect(press((600, 200), at: 0) == [.key("MBTN_LEFT")])
        _ = release((600, 200))
        #expect(press((602, 199), at: 300_000_000) == [.key("MBTN_LEFT_DBL")])
        // The click after a double click counts as a first click.
        #expect(press((602, 199), at: 400_000_000) == [.key("MBTN_LEFT")])
        #expect(press((602, 199), at: 900_000_000) == [.key("MBTN_LEFT")])
        #expect(press((700, 199), at: 950_000_000) == [.key("MBTN_LEFT")])
    }

    @Test mutating func aDragOfThePictureMovesTheWindowOnce() {
        #expect(press((600, 200)) == [.key("MBTN_LEFT")])
        #expect(move((603, 203)) == [], "a shaky click is no drag")
        #expect(!pointer.isButtonHeld)
        #expect(move((604, 200)) == [.moveWindow])
        #expect(move((700, 300)) == [])
        // The window manager receives the release. The next click is not the second click of a double click.
        #expect(press((604, 200), at: 100_000_000) == [.key("MBTN_LEFT")])
        _ = release((604, 200))
        #expect(move((700, 300)) == [])
    }

    @Test mutating func onlyThePrimaryButtonDragsThePicture() {
        _ = press((600, 200), "MBTN_RIGHT")
        #expect(move((700, 300)) == [])
        _ = press(Self.middle(of: .time))
        #expect(move((700, 300)) == [])
    }

    @Test mutating func clicksOnTheControlsAreNoDoubleClick() {
        let position = Self.middle(of: .playPause)
        for now in [Int64(0), 100_000_000, 200_000_000] {
            #expect(press(position, at: now) == [])
            #expect(release(position) == [.press(.playPause, isSecondary: false)])
        }
    }

    @Test mutating func clicksBetweenButtonsAreIgnored() {
        let timePosition = Self.middle(of: .time)
        #expect(press(timePosition) == [] && release(timePosition) == [])
        #expect(press(timePosition, "MBTN_RIGHT") == [] && release(timePosition, "MBTN_RIGHT") == [])
    }

    @Test mutating func wheelAndOtherMouseButtonsAreForwardedAsKeys() {
        #expect(press((600, 200), "WHEEL_UP") == [.key("WHEEL_UP")])
        #expect(press(Self.middle(of: .scrubber), "WHEEL_DOWN") == [.key("WHEEL_DOWN")])
        #expect(press((600, 200), "MBTN_RIGHT") == [.key("MBTN_RIGHT")])
        #expect(press(Self.middle(of: .playPause), "MBTN_BACK") == [.key("MBTN_BACK")])
        #expect(!pointer.isButtonHeld)
    }

    @Test mutating func hiddenControlsReceiveNoClicks() {
        let position = Self.middle(of: .playPause)
        #expect(
            pointer.handle(.pressed("MBTN_LEFT", x: position.x, y: position.y), layout: nil, at: 0)
                == [.key("MBTN_LEFT")])
        #expect(pointer.handle(.released("MBTN_LEFT", x: position.x, y: position.y), layout: Self.layout, at: 0) == [])
    }

    @Test mutating func cancelEndsTheDragOfTheSlider() {
        let line = Self.layout.positionLine
        _ = press((line.x, line.y))
        #expect(pointer.cancel() == [.endScrub] && !pointer.isButtonHeld)
        #expect(pointer.cancel() == [])
    }

    @Test mutating func leavingClearsThePositionUnlessAControlIsHeld() {
        _ = move(Self.middle(of: .mute))
        _ = pointer.handle(.left, layout: Self.layout, at: 0)
        #expect(pointer.position == nil && pointer.hoveredControl(in: Self.layout) == nil)
        _ = press(Self.middle(of: .scrubber))
        _ = pointer.handle(.left, layout: Self.layout, at: 0)
        #expect(pointer.isScrubbing && pointer.position != nil)
    }
}
