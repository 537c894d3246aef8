import FoundationEssentials
import MediaPipeline
import Testing

@testable import SwiftPlay

@Suite struct MediaSelectionOptionTests {
    private func option(
        _ id: Int, _ kind: MediaTrack.Kind = .audio, _ language: String? = nil,
        _ change: (inout MediaTrack) -> Void = { _ in }
    ) -> MediaSelectionOption {
        var track = MediaTrack(id: id, kind: kind, codec: "aac")
        track.language = language
        change(&track)
        return MediaSelectionOption(track: track)
    }

    private func ids(_ options: [MediaSelectionOption]) -> [Int] { options.map(\.trackID) }

    @Test func displayNameIsTitleElseLanguageElseNumber() {
        #expect(option(3, .audio, "ger") { $0.title = "Kommentar" }.displayName == "Kommentar")
        #expect(option(3, .audio, "ger").displayName == "de")
        #expect(option(3).displayName == "audio 3")
    }

    @Test func languageIsABCP47Tag() {
        #expect(option(1, .audio, "por-BR").extendedLanguageTag == "pt-BR")
        #expect(option(1, .audio, "por-BR").locale?.identifier == "pt-BR")
        #expect(option(1).extendedLanguageTag == nil && option(1).locale == nil)
    }

    @Test func mediaTypeFollowsTheKindOfTheTrack() {
        #expect(option(1, .video).mediaType == .video && option(1, .audio).mediaType == .audio)
        #expect(option(1, .subtitle).mediaType == .subtitle)
    }

    @Test(arguments: MediaTrack.Kind.allCases) func eachKindHasOneBasicCharacteristic(_ kind: MediaTrack.Kind) {
        let option = option(1, kind)
        #expect(option.hasMediaCharacteristic(.visual) == (kind == .video))
        #expect(option.hasMediaCharacteristic(.audible) == (kind == .audio))
        #expect(option.hasMediaCharacteristic(.legible) == (kind == .subtitle))
    }

    @Test func onlyForcedSubtitlesHaveTheForcedCharacteristic() {
        #expect(option(1, .subtitle) { $0.isForced = true }.hasMediaCharacteristic(.containsOnlyForcedSubtitles))
        #expect(!option(1, .audio) { $0.isForced = true }.hasMediaCharacteristic(.containsOnlyForcedSubtitles))
        #expect(!option(1, .subtitle).hasMediaCharacteristic(.containsOnlyForcedSubtitles))
    }

    @Test func subtitlesDescribeAudioAndAudioDescribesVideo() {
        let subtitles = option(1, .subtitle) { ($0.isForHearingImpaired, $0.isForVisualImpaired) = (true, true) }
        #expect(subtitles.hasMediaCharacteristic(.describesMusicAndSoundForAccessibility))
        #expect(!subtitles.hasMediaCharacteristic(.describesVideoForAccessibility))
        let sound = option(1, .audio) { ($0.isForHearingImpaired, $0.isForVisualImpaired) = (true, true) }
        #expect(sound.hasMediaCharacteristic(.describesVideoForAccessibility))
        #expect(!sound.hasMediaCharacteristic(.describesMusicAndSoundForAccessibility))
    }

    @Test func commentaryIsAuxiliaryContent() {
        #expect(option(1) { $0.isCommentary = true }.hasMediaCharacteristic(.isAuxiliaryContent))
        #expect(!option(1).hasMediaCharacteristic(.isAuxiliaryContent))
    }

    @Test func optionsAreEqualByTrackKindAndFile() {
        #expect(option(1, .audio, "de") == option(1, .audio, "en"))
        #expect(option(1) != option(2) && option(1, .audio) != option(1, .subtitle))
        #expect(option(1) != option(1) { $0.location = "/film.srt" })
        #expect(option(1).hashValue == option(1, .audio, "en").hashValue)
    }

    @Test func externalLocationIsThePathOfTheSubtitleFile() {
        #expect(
            option(1) { $0.location = "/film.srt" }.externalLocation == "/film.srt" && option(1).externalLocation == nil
        )
    }

    @Test func filterKeepsPlayableOptions() {
        let options = [option(1), option(2) { $0.isPlayable = false }, option(3)]
        #expect(ids(MediaSelectionGroup.playableMediaSelectionOptions(from: options)) == [1, 3])
    }

    @Test func preferredLanguagesSortAndFilter() {
        let options = [
            option(1, .audio, "eng"), option(2, .audio, "ger"), option(3), option(4, .audio, "de-AT"),
            option(5, .audio, "fr"),
        ]
        func sorted(_ languages: String...) -> [Int] {
            ids(
                MediaSelectionGroup.mediaSelectionOptions(
                    from: options, filteredAndSortedAccordingToPreferredLanguages: languages))
        }
        #expect(sorted("de", "en") == [2, 4, 1])
        #expect(sorted("de-AT", "de") == [2, 4])
        #expect(sorted("ja") == [] && sorted() == [])
    }

    @Test func optionMatchingSeveralLanguagesIsListedOnce() {
        let options = [option(1, .audio, "en-US")]
        #expect(
            ids(
                MediaSelectionGroup.mediaSelectionOptions(
                    from: options, filteredAndSortedAccordingToPreferredLanguages: ["en", "en-US"])) == [1])
    }

    @Test func characteristicsIncludeAndExclude() {
        let options = [
            option(1, .subtitle), option(2, .subtitle) { $0.isForced = true },
            option(3, .subtitle) { ($0.isForced, $0.isCommentary) = (true, true) },
        ]
        let wanted: [MediaCharacteristic] = [.containsOnlyForcedSubtitles, .isAuxiliaryContent]
        #expect(ids(MediaSelectionGroup.mediaSelectionOptions(from: options, withMediaCharacteristics: wanted)) == [3])
        #expect(
            ids(MediaSelectionGroup.mediaSelectionOptions(from: options, withoutMediaCharacteristics: wanted)) == [1])
        #expect(
            ids(MediaSelectionGroup.mediaSelectionOptions(from: options, withMediaCharacteristics: [])) == [1, 2, 3])
    }

    @Test func localeSelectsItsLanguage() {
        let options = [option(1, .audio, "eng"), option(2, .audio, "ger")]
        #expect(ids(MediaSelectionGroup.mediaSelectionOptions(from: options, with: .init(identifier: "de_DE"))) == [2])
    }

    @Test func selectionReturnsTheOptionOfEachGroup() {
        let audible = MediaSelectionGroup(characteristic: .audible, options: [option(1)], defaultOption: nil)
        let legible = MediaSelectionGroup(characteristic: .legible, options: [option(2, .subtitle)], defaultOption: nil)
        let selection = MediaSelection(chosen: [.audible: option(1)], automatic: [.legible])
        #expect(
            selection.selectedMediaOption(in: audible) == option(1) && selection.selectedMediaOption(in: legible) == nil
        )
        #expect(!selection.mediaSelectionCriteriaCanBeAppliedAutomatically(to: audible))
        #expect(selection.mediaSelectionCriteriaCanBeAppliedAutomatically(to: legible))
    }
}
