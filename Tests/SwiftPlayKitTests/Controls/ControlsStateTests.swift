import SharedFrames
import Testing

@testable import SwiftPlayKit

@Suite struct ControlsStateTests {
    @Test(arguments: [
        (0.0, "0:00"), (59.9, "0:59"), (61, "1:01"), (3599, "59:59"), (3600, "1:00:00"), (36_061, "10:01:01"),
        (-5, "0:00"), (.nan, "0:00"),
        (.infinity, "0:00"),
    ])
    func timesAreFormattedInTheShortestForm(_ seconds: Double, _ text: String) {
        #expect(ControlsState.clockText(seconds) == text)
    }

    @Test func positionAndDurationHaveTheSameForm() {
        var state = ControlsState()
        state.position = 62
        #expect(state.timeText == "1:02")
        state.duration = 7200
        #expect(state.timeText == "0:01:02 / 2:00:00")
        state.position = 8000
        #expect(state.timeText == "2:00:00 / 2:00:00" && state.playedFraction == 1)
    }

    @Test func onlyControlsThatHaveAFunctionAreAvailable() {
        var state = ControlsState()
        #expect(state.availableControls == [.playPause, .time, .fullScreen])
        state.duration = 10
        state.hasAudio = true
        state.audioTracks = .init(selectedNumber: 1, count: 1)
        #expect(
            state.availableControls.isSuperset(of: [.scrubber, .mute, .volume])
                && !state.availableControls.contains(.audioTracks))
        state.audioTracks.count = 2
        state.subtitles = .init(selectedNumber: nil, count: 1)
        state.offersPictureInPicture = true
        state.hasNextItem = true
        #expect(state.availableControls == Set(PlayerControl.allCases).subtracting([.quality]))
        state.quality = "auto"
        #expect(state.availableControls == Set(PlayerControl.allCases))
        #expect(state.audioTracks.text == "1/2" && state.subtitles.text == "-/1")
    }

    @Test func theLoadedPartIsWithinTheItemAndNotBehindThePosition() {
        var state = ControlsState()
        (state.position, state.loadedUntil) = (5, 8)
        #expect(state.loadedFraction == nil)
        state.duration = 10
        #expect(state.loadedFraction == 0.8)
        state.loadedUntil = 3
        #expect(state.loadedFraction == 0.5)
        state.loadedUntil = 30
        #expect(state.loadedFraction == 1)
        state.loadedUntil = nil
        #expect(state.loadedFraction == nil)
    }

    @Test func scenesDifferOnlyIfTheDrawingChanges() {
        let layout = PlayerControlsLayout(
            size: PixelSize(width: 640, height: 360), requested: Set(PlayerControl.allCases))
        var state = ControlsState()
        state.duration = 1000
        state.position = 100.1
        let scene = ControlsScene(layout: layout, state: state, opacity: 1)
        state.position = 100.2
        #expect(ControlsScene(layout: layout, state: state, opacity: 1) == scene)
        state.position = 101.2
        #expect(ControlsScene(layout: layout, state: state, opacity: 1) != scene)
        // Scenes whose controls are hidden are equal.
        state.title = "other"
        #expect(
            ControlsScene(layout: layout, state: state, opacity: 0)
                == ControlsScene(layout: layout, state: ControlsState(), opacity: 0))
    }

    @Test func theSliderNeedsADuration() {
        var state = ControlsState()
        state.duration = 10
        #expect(state.availableControls.contains(.scrubber))
    }

    @Test func volumeAndMuteNeedAudio() {
        var state = ControlsState()
        state.hasAudio = true
        #expect(state.availableControls.isSuperset(of: [.mute, .volume]))
    }

    @Test func theAudioButtonNeedsTwoTracksAndTheSubtitleButtonOne() {
        var state = ControlsState()
        state.audioTracks.count = 1
        #expect(!state.availableControls.contains(.audioTracks) && !state.availableControls.contains(.subtitles))
        state.audioTracks.count = 2
        state.subtitles.count = 1
        #expect(state.availableControls.isSuperset(of: [.audioTracks, .subtitles]))
    }

    @Test func trackTextContainsTheTrackNumberAndTheTrackCount() {
        #expect(ControlsState.Tracks(selectedNumber: 2, count: 3).text == "2/3")
        #expect(ControlsState.Tracks(selectedNumber: nil, count: 3).text == "-/3")
    }

    @Test func thePlayedFractionIsClampedTo0To1() {
        var state = ControlsState()
        #expect(state.playedFraction == 0)
        state.duration = 10
        for (position, fraction) in [(-1.0, 0.0), (2.5, 0.25), (10, 1), (12, 1)] {
            state.position = position
            #expect(state.playedFraction == fraction, "\(position)")
        }
        state.duration = 0
        #expect(state.playedFraction == 0)
    }

    @Test func chaptersHaveMarksAndNames() {
        var state = ControlsState()
        state.chapters = [
            .init(start: 0, name: "Opening"), .init(start: 25, name: nil), .init(start: 50, name: "End"),
            .init(start: 100, name: "Beyond"),
        ]
        #expect(state.chapterFractions == [])
        state.duration = 100
        #expect(state.chapterFractions == [0.25, 0.5])
        #expect(state.chapterName(at: 10) == "Opening" && state.chapterName(at: 50) == "End")
        #expect(state.chapterName(at: 30) == nil, "the chapter has no name")
        #expect(state.chapterName(at: -1) == nil)
    }

    @Test func playlistButtonsNeedAnotherItem() {
        var state = ControlsState()
        #expect(state.availableControls.isDisjoint(with: [.previous, .next]))
        state.hasNextItem = true
        #expect(state.availableControls.isSuperset(of: [.previous, .next]))
    }

    @Test func theTimeOfALiveStreamHasNoDuration() {
        var state = ControlsState()
        state.position = 123
        #expect(state.timeText == "2:03")
    }
}
