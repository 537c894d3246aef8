import FoundationEssentials
import MediaPipeline
import Testing

@testable import SwiftPlay

@Suite struct MediaSelectionOptionTests {
    /// Returns the option for a track with the given number, kind and language.
    private func makeOption(
        _ id: Int, _ kind: MediaTrack.Kind = .audio, _ language: String? = nil,
        _ change: (inout MediaTrack) -> Void = { _ in }
    ) -> MediaSelectionOption {
        var track = MediaTrack(id: id, kind: kind, codec: "aac")
        track.language = language
        change(&track)
        return MediaSelectionOption(track: track)
    }

    /// Returns the track numbers of options.
    private func ids(_ options: [MediaSelectionOption]) -> [Int] { options.map(\.trackID) }

    @Test func displayNameIsTheTitleOrTheLanguageOrTheNumber() {
        #expect(makeOption(3, .audio, "ger") { $0.title = "Kommentar" }.displayName == "Kommentar")
        #expect(makeOption(3, .audio, "ger").displayName == "de")
        #expect(makeOption(3).displayName == "audio 3")
    }

    @Test func languageIsABCP47Tag() {
        #expect(makeOption(1, .audio, "por-BR").extendedLanguageTag == "pt-BR")
        #expect(makeOption(1, .audio, "por-BR").locale?.identifier == "pt-BR")
        #expect(makeOption(1).extendedLanguageTag == nil && makeOption(1).locale == nil)
    }

    @Test func mediaTypeFollowsTheKindOfTheTrack() {
        #expect(makeOption(1, .video).mediaType == .video && makeOption(1, .audio).mediaType == .audio)
        #expect(makeOption(1, .subtitle).mediaType == .subtitle)
    }

    @Test(arguments: MediaTrack.Kind.allCases) func eachKindHasOneBasicCharacteristic(_ kind: MediaTrack.Kind) {
        let option = makeOption(1, kind)
        #expect(option.hasMediaCharacteristic(.visual) == (kind == .video))
        #expect(option.hasMediaCharacteristic(.audible) == (kind == .audio))
        #expect(option.hasMediaCharacteristic(.legible) == (kind == .subtitle))
    }

    @Test func onlyForcedSubtitlesHaveTheForcedCharacteristic() {
        #expect(makeOption(1, .subtitle) { $0.isForced = true }.hasMediaCharacteristic(.containsOnlyForcedSubtitles))
        #expect(!makeOption(1, .audio) { $0.isForced = true }.hasMediaCharacteristic(.containsOnlyForcedSubtitles))
        #expect(!makeOption(1, .subtitle).hasMediaCharacteristic(.containsOnlyForcedSubtitles))
    }

    @Test func descriptiveSubtitlesAndAudioHaveTheirOwnCharacteristics() {
        let subtitles = makeOption(1, .subtitle) { ($0.isForHearingImpaired, $0.isForVisualImpaired) = (true, true) }
        #expect(subtitles.hasMediaCharacteristic(.describesMusicAndSoundForAccessibility))
        #expect(!subtitles.hasMediaCharacteristic(.describesVideoForAccessibility))
        let audio = makeOption(1, .audio) { ($0.isForHearingImpaired, $0.isForVisualImpaired) = (true, true) }
        #expect(audio.hasMediaCharacteristic(.describesVideoForAccessibility))
        #expect(!audio.hasMediaCharacteristic(.describesMusicAndSoundForAccessibility))
    }

    @Test func commentaryIsAuxiliaryContent() {
        #expect(makeOption(1) { $0.isCommentary = true }.hasMediaCharacteristic(.isAuxiliaryContent))
        #expect(!makeOption(1).hasMediaCharacteristic(.isAuxiliaryContent))
    }

    @Test func optionsAreEqualByTrackKindAndFile() {
        #expect(makeOption(1, .audio, "de") == makeOption(1, .audio, "en"))
        #expect(makeOption(1) != makeOption(2) && makeOption(1, .audio) != makeOption(1, .subtitle))
        #expect(makeOption(1) != makeOption(1) { $0.location = "/film.srt" })
        #expect(makeOption(1).hashValue == makeOption(1, .audio, "en").hashValue)
    }

    @Test func externalLocationIsThePathOfTheSubtitleFile() {
        #expect(
            makeOption(1) { $0.location = "/film.srt" }.externalLocation == "/film.srt"
                && makeOption(1).externalLocation == nil
        )
    }

    @Test func playableFilterKeepsPlayableOptions() {
        let options = [makeOption(1), makeOption(2) { $0.isPlayable = false }, makeOption(3)]
        #expect(ids(MediaSelectionGroup.playableMediaSelectionOptions(from: options)) == [1, 3])
    }

    @Test func preferredLanguagesSortAndFilterOptions() {
        let options = [
            makeOption(1, .audio, "eng"), makeOption(2, .audio, "ger"), makeOption(3), makeOption(4, .audio, "de-AT"),
            makeOption(5, .audio, "fr"),
        ]
        func sortedTrackIDs(_ languages: String...) -> [Int] {
            ids(
                MediaSelectionGroup.mediaSelectionOptions(
                    from: options, filteredAndSortedAccordingToPreferredLanguages: languages))
        }
        #expect(sortedTrackIDs("de", "en") == [2, 4, 1])
        #expect(sortedTrackIDs("de-AT", "de") == [2, 4])
        #expect(sortedTrackIDs("ja") == [] && sortedTrackIDs() == [])
    }

    @Test func optionMatchingSeveralLanguagesIsListedOnce() {
        let options = [makeOption(1, .audio, "en-US")]
        #expect(
            ids(
                MediaSelectionGroup.mediaSelectionOptions(
                    from: options, filteredAndSortedAccordingToPreferredLanguages: ["en", "en-US"])) == [1])
    }

    @Test func mediaCharacteristicsIncludeAndExcludeOptions() {
        let options = [
            makeOption(1, .subtitle), makeOption(2, .subtitle) { $0.isForced = true },
            makeOption(3, .subtitle) { ($0.isForced, $0.isCommentary) = (true, true) },
        ]
        let characteristics: [MediaCharacteristic] = [.containsOnlyForcedSubtitles, .isAuxiliaryContent]
        #expect(
            ids(MediaSelectionGroup.mediaSelectionOptions(from: options, withMediaCharacteristics: characteristics))
                == [3])
        #expect(
            ids(MediaSelectionGroup.mediaSelectionOptions(from: options, withoutMediaCharacteristics: characteristics))
                == [1])
        #expect(
            ids(MediaSelectionGroup.mediaSelectionOptions(from: options, withMediaCharacteristics: [])) == [1, 2, 3])
    }

    @Test func localeFilterKeepsOptionsOfItsLanguage() {
        let options = [makeOption(1, .audio, "eng"), makeOption(2, .audio, "ger")]
        #expect(ids(MediaSelectionGroup.mediaSelectionOptions(from: options, with: .init(identifier: "de_DE"))) == [2])
    }

    @Test func selectionReturnsTheOptionOfEachGroup() {
        let audibleGroup = MediaSelectionGroup(characteristic: .audible, options: [makeOption(1)], defaultOption: nil)
        let legibleGroup = MediaSelectionGroup(
            characteristic: .legible, options: [makeOption(2, .subtitle)], defaultOption: nil)
        let selection = MediaSelection(
            selectedOptions: [.audible: makeOption(1)], automaticCharacteristics: [.legible])
        #expect(
            selection.selectedMediaOption(in: audibleGroup) == makeOption(1)
                && selection.selectedMediaOption(in: legibleGroup) == nil
        )
        #expect(!selection.mediaSelectionCriteriaCanBeAppliedAutomatically(to: audibleGroup))
        #expect(selection.mediaSelectionCriteriaCanBeAppliedAutomatically(to: legibleGroup))
    }
}
