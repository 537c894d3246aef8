import SwiftPlay
import TestSupport
import Testing

@Suite struct MediaSelectionTests {
    /// A paused player without an audio device, at the start of a fixture with two audio and two subtitle tracks.
    private final class Stand {
        let player: Player
        let item: PlayerItem

        init(_ prepare: (Player, PlayerItem) -> Void = { _, _ in }) throws {
            var configuration = Player.Configuration()
            configuration.audioOutput = .null
            player = try Player(configuration: configuration)
            item = PlayerItem(location: try Fixtures.path("tracks.mkv"))
            prepare(player, item)
            #expect(item.tracks.isEmpty && item.mediaSelectionGroup(forMediaCharacteristic: .audible) == nil)
            player.replaceCurrentItem(with: item)
            try wait("ready") { self.item.status == .readyToPlay && !self.item.tracks.isEmpty }
        }

        deinit { player.close() }

        func wait(_ what: String, _ condition: () -> Bool) throws {
            if Deadline.poll(for: .seconds(20), { condition() ? true : nil }) == nil {
                throw RigError("never: \(what)")
            }
        }

        func group(_ characteristic: MediaCharacteristic) throws -> MediaSelectionGroup {
            try #require(item.mediaSelectionGroup(forMediaCharacteristic: characteristic))
        }

        func chosen(_ characteristic: MediaCharacteristic) throws -> Int? {
            item.currentMediaSelection.selectedMediaOption(in: try group(characteristic))?.trackID
        }
    }

    @Test func groupsListTheTracksOfTheItem() throws {
        let stand = try Stand(), audible = try stand.group(.audible), legible = try stand.group(.legible)
        #expect(
            audible.options.map(\.extendedLanguageTag) == ["en", "de"]
                && audible.options.map(\.displayName) == ["en", "Zweite"])
        #expect(audible.defaultOption == audible.options.first && legible.defaultOption == nil)
        #expect(legible.options.map(\.codec) == ["subrip", "ass"])
        #expect(try stand.group(.visual).options.count == 1)
        #expect(stand.item.mediaSelectionGroup(forMediaCharacteristic: .isAuxiliaryContent) == nil)
        #expect(
            MediaSelectionGroup.mediaSelectionOptions(
                from: audible.options, filteredAndSortedAccordingToPreferredLanguages: ["fr", "de-AT", "en"]
            ).map(\.trackID) == [2, 1])
        #expect(
            MediaSelectionGroup.mediaSelectionOptions(
                from: legible.options, withoutMediaCharacteristics: [.containsOnlyForcedSubtitles]
            ).count == 2)
        #expect(stand.item.tracks.map(\.mediaType) == [.video, .audio, .audio, .subtitle, .subtitle])
        #expect(stand.item.tracks.map(\.isEnabled) == [true, true, false, false, false])
    }

    @Test func copyKeepsTheSelection() throws {
        let first = try Stand(), audible = try first.group(.audible)
        first.item.select(audible.options[1], in: audible)
        try first.wait("the second sound") { (try? first.chosen(.audible)) == 2 }
        let copy = first.item.copy()
        first.player.replaceCurrentItem(with: copy)
        try first.wait("the copy") { copy.status == .readyToPlay && !copy.tracks.isEmpty }
        let group = try #require(copy.mediaSelectionGroup(forMediaCharacteristic: .audible))
        #expect(copy.currentMediaSelection.selectedMediaOption(in: group)?.trackID == 2)
    }

    @Test func onlySelectedOptionsPlay() throws {
        let stand = try Stand(), audible = try stand.group(.audible), legible = try stand.group(.legible)
        stand.item.select(audible.options[1], in: audible)
        try stand.wait("the second sound") { (try? stand.chosen(.audible)) == 2 }
        stand.item.select(legible.options[0], in: legible)
        try stand.wait("the first subtitles") { (try? stand.chosen(.legible)) == 3 }
        // An option of another group is ignored.
        stand.item.select(legible.options[1], in: audible)
        stand.item.select(nil, in: legible)
        try stand.wait("no subtitles") { (try? stand.chosen(.legible)) == .some(nil) }
        #expect(try stand.chosen(.audible) == 2)
        stand.item.tracks[4].isEnabled = true
        try stand.wait("by the track") { (try? stand.chosen(.legible)) == 4 }
    }

    @Test func criteriaApplyUntilTheProgramSelects() throws {
        let stand = try Stand { player, _ in
            player.setMediaSelectionCriteria(
                PlayerMediaSelectionCriteria(preferredLanguages: ["de"]), forMediaCharacteristic: .audible)
            player.setMediaSelectionCriteria(
                PlayerMediaSelectionCriteria(preferredLanguages: ["fr", "en"]), forMediaCharacteristic: .legible)
        }
        try stand.wait("German sound, English text") {
            (try? stand.chosen(.audible)) == 2 && (try? stand.chosen(.legible)) == 3
        }
        let audible = try stand.group(.audible)
        #expect(stand.item.currentMediaSelection.mediaSelectionCriteriaCanBeAppliedAutomatically(to: audible))
        stand.item.select(audible.options[0], in: audible)
        try stand.wait("by hand") { (try? stand.chosen(.audible)) == 1 }
        #expect(!stand.item.currentMediaSelection.mediaSelectionCriteriaCanBeAppliedAutomatically(to: audible))
        // The selection stays until the program selects automatically again.
        stand.player.setMediaSelectionCriteria(
            PlayerMediaSelectionCriteria(preferredLanguages: ["de"]), forMediaCharacteristic: .legible)
        try stand.wait("German text") { (try? stand.chosen(.legible)) == 4 }
        #expect(try stand.chosen(.audible) == 1)
        stand.item.selectMediaOptionAutomatically(in: audible)
        try stand.wait("German sound again") { (try? stand.chosen(.audible)) == 2 }
    }

    @Test func subtitleFileBecomesATrackWithText() throws {
        let beside = try Fixtures.path("tracks.fr.srt")
        let stand = try Stand { _, item in item.addSubtitles(location: beside) }
        try stand.wait("its words") { stand.player.subtitleText == "BESIDE" }
        #expect(try stand.group(.legible).options.last?.externalLocation == beside)
        stand.item.addSubtitles(location: try Fixtures.path("cyrillic.srt"), selecting: false)
        try stand.wait("another track") { stand.item.tracks.count == 7 }
        #expect(stand.player.subtitleText == "BESIDE")
    }
}
