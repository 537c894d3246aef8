import MediaPipeline
import Testing

@testable import SwiftPlay

@Suite struct TrackSelectionTests {
    private static let tracks: [MediaTrack] = [
        track(0, .video), track(1, .video), track(2, .audio, "eng"), track(3, .audio, "deu"),
        track(4, .subtitle, "eng"), track(5, .subtitle, "deu"),
    ]
    /// Audio at normal speed that the audio pipeline has accepted.
    private static let audio = AudioProgress.AcceptedAudio(number: 1, speed: 1)
    private static let audioStates: [AudioProgress] = [
        .disconnected, .discarded(hasEnded: false), .expected(deadline: 1), .buffering(audio, deadline: 1),
        .ready(audio),
        .playing(audio, .known), .ended(audio),
    ]
    private static let videoIDs: [Int?] = [nil, 0, 1], audioIDs: [Int?] = [nil, 2, 3],
        subtitleIDs: [Int?] = [nil, 4, 5]

    private static func track(_ id: Int, _ kind: MediaTrack.Kind, _ language: String? = nil) -> MediaTrack {
        var track = MediaTrack(id: id, kind: kind, codec: "test")
        track.language = language
        return track
    }

    /// All combinations of selected tracks.
    private static let allSelections: [SelectedTracks] = {
        var selections: [SelectedTracks] = []
        for video in videoIDs {
            for audio in audioIDs {
                for subtitle in subtitleIDs {
                    selections.append(SelectedTracks(video: video, audio: audio, subtitle: subtitle))
                }
            }
        }
        return selections
    }()

    /// Returns a selection in which the given tracks are selected.
    private static func selection(_ selected: SelectedTracks) -> TrackSelection {
        var selection = TrackSelection()
        selection.selectBySeek(selected)
        selection.select(subtitle: selected.subtitle)
        return selection
    }

    @Test func everyTrackChangeIsMadeInPlaceOrBySeekOrRefused() {
        var observedChanges: Set<TrackSelection.Change> = []
        for currentTracks in Self.allSelections {
            let selection = Self.selection(currentTracks)
            #expect(selection.selectedTracks == currentTracks)
            for requestedTracks in Self.allSelections {
                for audio in Self.audioStates {
                    for isSeekable in [true, false] {
                        let change = selection.change(to: requestedTracks, audio: audio, isSeekable: isSeekable)
                        let expected: TrackSelection.Change
                        if requestedTracks.video != currentTracks.video {
                            expected = isSeekable ? .seek : .refuse
                        } else if requestedTracks.audio == currentTracks.audio {
                            expected = .none
                        } else if requestedTracks.audio == nil {
                            expected = .inPlace
                        } else {
                            let canContinueAudio =
                                switch audio {
                                case .ready, .playing: currentTracks.audio != nil
                                case .disconnected, .discarded, .expected, .buffering, .ended: false
                                }
                            expected = canContinueAudio ? .inPlace : isSeekable ? .seek : .refuse
                        }
                        #expect(
                            change == expected,
                            "\(currentTracks) to \(requestedTracks) with \(audio), seekable: \(isSeekable)")
                        observedChanges.insert(change)
                    }
                }
            }
        }
        #expect(observedChanges == [.none, .inPlace, .seek, .refuse])
    }

    @Test func selectionMethodsSelectTheRequestedTracks() {
        for currentTracks in Self.allSelections {
            for requestedTracks in Self.allSelections {
                var selection = Self.selection(currentTracks)
                selection.selectBySeek(requestedTracks)
                #expect(
                    selection.selectedTracks.subtitle == currentTracks.subtitle, "a seek does not change the subtitles")
                selection.select(subtitle: requestedTracks.subtitle)
                #expect(selection.selectedTracks == requestedTracks)
                selection = Self.selection(currentTracks)
                selection.select(audio: requestedTracks.audio)
                #expect(
                    selection.selectedTracks
                        == SelectedTracks(
                            video: currentTracks.video, audio: requestedTracks.audio, subtitle: currentTracks.subtitle))
            }
        }
    }

    @Test func choosingATrackChangesOnlyTracksOfItsKind() {
        for currentTracks in Self.allSelections {
            let selection = Self.selection(currentTracks)
            for kind in MediaTrack.Kind.allCases {
                let ids: [Int?] = [nil] + Self.tracks.filter { $0.kind == kind }.map(\.id)
                for id in ids {
                    var choice = TrackChoice()
                    choice.selections[kind] = id.map { .id($0) } ?? .off
                    let requestedTracks = selection.requestedTracks(
                        by: choice, among: Self.tracks, hasAudioOutput: true)
                    #expect(requestedTracks[kind] == id)
                    for otherKind in [MediaTrack.Kind.video, .audio]
                    where otherKind != kind && currentTracks[otherKind] != nil {
                        #expect(
                            requestedTracks[otherKind] == currentTracks[otherKind],
                            "\(otherKind) was selected automatically and stays")
                    }
                    let requestedWithoutOutput = selection.requestedTracks(
                        by: choice, among: Self.tracks, hasAudioOutput: false)
                    #expect(
                        requestedWithoutOutput.audio == currentTracks.audio,
                        "without an output the audio track does not change")
                }
            }
        }
    }

    @Test func preferredLanguagesReselectAudioAndKeepVideo() {
        var choice = TrackChoice()
        choice.audioLanguages = ["de"]
        for currentTracks in Self.allSelections {
            let requestedTracks = Self.selection(currentTracks).requestedTracks(
                by: choice, among: Self.tracks, hasAudioOutput: true)
            #expect(requestedTracks.audio == 3)
            #expect(requestedTracks.video == currentTracks.video ?? 0)
        }
    }

    @Test func preferredLanguagesReselectSubtitles() {
        var choice = TrackChoice()
        for currentTracks in Self.allSelections {
            let selection = Self.selection(currentTracks)
            choice.subtitleLanguages = ["de"]
            #expect(selection.requestedTracks(by: choice, among: Self.tracks, hasAudioOutput: true).subtitle == 5)
            choice.subtitleLanguages = []
            #expect(selection.requestedTracks(by: choice, among: Self.tracks, hasAudioOutput: true).subtitle == nil)
        }
    }

    @Test func trackChangeRequestIsHandledOnceWhenTheItemIsReadyOrPlays() {
        for phase in [PlaybackPhase.opening, .priming, .ready, .playing, .failed] {
            var selection = TrackSelection()
            let isTakenAtFirst = selection.takeChangeRequest(in: phase)
            #expect(!isTakenAtFirst, "no change was requested")
            for isOpened in [true, false] {
                if isOpened {
                    selection.begin(video: 0, audio: 2, choice: TrackChoice(), among: Self.tracks)
                    #expect(selection.selectedTracks == SelectedTracks(video: 0, audio: 2, subtitle: nil))
                } else {
                    selection.requestChange()
                }
                let isTaken = selection.takeChangeRequest(in: phase)
                #expect(isTaken == (phase == .ready || phase == .playing))
                #expect(selection.isChangeRequested == !isTaken)
                let isTakenAgain = selection.takeChangeRequest(in: phase)
                #expect(!isTakenAgain, "a request is taken only once")
            }
        }
    }

    @Test func openedItemStartsWithTheChosenSubtitles() {
        var choice = TrackChoice()
        choice.selections.subtitle = .id(5)
        var selection = TrackSelection()
        selection.begin(video: nil, audio: 3, choice: choice, among: Self.tracks)
        #expect(selection.selectedTracks == SelectedTracks(video: nil, audio: 3, subtitle: 5))
    }
}
