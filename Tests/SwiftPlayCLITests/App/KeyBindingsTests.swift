import Testing

@testable import SwiftPlayCLI

@Suite struct KeyBindingsTests {
    @Test(arguments: [
        ("SPACE", KeyBindings.Command.togglePause), ("p", .togglePictureInPicture), ("RIGHT", .seek(5)),
        ("LEFT", .seek(-5)), ("UP", .seek(60)),
        ("DOWN", .seek(-60)), ("m", .toggleMute), ("9", .changeVolume(-2)), ("0", .changeVolume(2)),
        ("f", .toggleFullScreen),
        ("ESC", .leaveFullScreen), (".", .stepFrames(1)), (",", .stepFrames(-1)), ("BS", .resetSpeed),
        ("{", .changeSpeed(0.5)), ("}", .changeSpeed(2)),
        ("#", .cycleTrack(.audio, by: 1)), ("_", .cycleTrack(.video, by: 1)),
        ("j", .cycleTrack(.subtitle, by: 1)), ("J", .cycleTrack(.subtitle, by: -1)), ("v", .toggleSubtitles),
        ("z", .changeSubtitleDelay(-0.1)), ("Z", .changeSubtitleDelay(0.1)),
        ("]", .changeSpeed(1.1)), (">", .nextFile), ("l", .setNextABLoopPoint), ("L", .toggleLoopFile),
        ("PGUP", .seekChapters(1)), ("PGDWN", .seekChapters(-1)), ("<", .previousFile), ("o", .showControls),
        ("P", .showControls), ("q", .quit), ("Q", .quitSavingPosition), ("s", .takeScreenshot(withSubtitles: true)),
        ("?", .toggleKeyList), ("ctrl+c", .quit),
    ])
    func aKeyHasTheSameCommandAsInMPV(_ key: String, _ command: KeyBindings.Command) {
        #expect(KeyBindings.command(for: key) == command)
    }

    @Test func unboundKeysHaveNoCommand() {
        for key in ["", "y", "F1", "CLOSE_WIN", "space"] { #expect(KeyBindings.command(for: key) == nil) }
    }

    @Test func theTwoSpeedKeysCancelEachOther() throws {
        guard case .changeSpeed(let slowerFactor) = KeyBindings.command(for: "["),
            case .changeSpeed(let fasterFactor) = KeyBindings.command(for: "]")
        else {
            Issue.record("no speed keys")
            return
        }
        #expect(abs(slowerFactor * fasterFactor - 1) < 1e-12)
    }
}
