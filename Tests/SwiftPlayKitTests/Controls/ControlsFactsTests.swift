import SharedFrames
import Testing

@testable import SwiftPlayKit

@Suite struct ControlsFactsTests {
    @Test(arguments: [
        (0.0, "0:00"), (59.9, "0:59"), (61, "1:01"), (3599, "59:59"), (3600, "1:00:00"), (36_061, "10:01:01"),
        (-5, "0:00"), (.nan, "0:00"),
        (.infinity, "0:00"),
    ])
    func aTimeIsWrittenAsShortAsItCanBe(_ seconds: Double, _ text: String) {
        #expect(ControlsFacts.clock(seconds) == text)
    }

    @Test func positionAndDurationHaveTheSameForm() {
        var facts = ControlsFacts()
        facts.position = 62
        #expect(facts.timeText == "1:02")
        facts.duration = 7200
        #expect(facts.timeText == "0:01:02 / 2:00:00")
        facts.position = 8000
        #expect(facts.timeText == "2:00:00 / 2:00:00" && facts.part == 1)
    }

    @Test func controlsAreThereOnlyWhereTheyHaveAUse() {
        var facts = ControlsFacts()
        #expect(facts.wanted == [.playPause, .time, .fullScreen])
        facts.duration = 10
        facts.hasSound = true
        facts.audioTracks = .init(current: 1, count: 1)
        #expect(facts.wanted.isSuperset(of: [.scrubber, .mute, .volume]) && !facts.wanted.contains(.audioTracks))
        facts.audioTracks.count = 2
        facts.subtitles = .init(current: nil, count: 1)
        facts.offersPictureInPicture = true
        #expect(facts.wanted == Set(PlayerControl.allCases))
        #expect(facts.audioTracks.text == "1/2" && facts.subtitles.text == "-/1")
    }

    @Test func aSceneChangesOnlyWithWhatIsSeen() {
        let layout = PlayerControlsLayout(size: PixelSize(width: 640, height: 360), wanted: Set(PlayerControl.allCases))
        var facts = ControlsFacts()
        facts.duration = 1000
        facts.position = 100.1
        let scene = ControlsScene(layout: layout, facts: facts, opacity: 1)
        facts.position = 100.2
        #expect(ControlsScene(layout: layout, facts: facts, opacity: 1) == scene)
        facts.position = 101.2
        #expect(ControlsScene(layout: layout, facts: facts, opacity: 1) != scene)
        // Hidden ones are all alike.
        facts.title = "other"
        #expect(
            ControlsScene(layout: layout, facts: facts, opacity: 0)
                == ControlsScene(layout: layout, facts: ControlsFacts(), opacity: 0))
    }

    @Test func theSliderNeedsADuration() {
        var facts = ControlsFacts()
        facts.duration = 10
        #expect(facts.wanted.contains(.scrubber))
    }

    @Test func volumeAndMuteNeedAudio() {
        var facts = ControlsFacts()
        facts.hasSound = true
        #expect(facts.wanted.isSuperset(of: [.mute, .volume]))
    }

    @Test func theAudioButtonNeedsTwoTracksAndTheSubtitleButtonOne() {
        var facts = ControlsFacts()
        facts.audioTracks.count = 1
        #expect(!facts.wanted.contains(.audioTracks) && !facts.wanted.contains(.subtitles))
        facts.audioTracks.count = 2
        facts.subtitles.count = 1
        #expect(facts.wanted.isSuperset(of: [.audioTracks, .subtitles]))
    }

    @Test func aTrackIsShownWithTheirNumber() {
        #expect(ControlsFacts.Tracks(current: 2, count: 3).text == "2/3")
        #expect(ControlsFacts.Tracks(current: nil, count: 3).text == "-/3")
    }

    @Test func thePlayedPartIsLimitedToTheItem() {
        var facts = ControlsFacts()
        #expect(facts.part == 0)
        facts.duration = 10
        for (position, part) in [(-1.0, 0.0), (2.5, 0.25), (10, 1), (12, 1)] {
            facts.position = position
            #expect(facts.part == part, "\(position)")
        }
        facts.duration = 0
        #expect(facts.part == 0)
    }

    @Test func theTimeOfALiveStreamHasNoDuration() {
        var facts = ControlsFacts()
        facts.position = 123
        #expect(facts.timeText == "2:03")
    }
}
