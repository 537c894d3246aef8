import SwiftPlay
import TestSupport
import Testing

@Suite struct MediaSelectionTests {
    /// A paused player without an audio device, at the start of a fixture with two audio and two subtitle tracks.
    private final class TestPlayer {
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
            try wait("the open item") { self.item.status == .readyToPlay && !self.item.tracks.isEmpty }
        }

        deinit { player.close() }

        /// Waits until `condition` is true; `awaitedEvent` is the text for the error message.
        func wait(_ awaitedEvent: String, _ condition: () -> Bool) throws {
            if Deadline.poll(for: .seconds(20), { condition() ? true : nil }) == nil {
                throw TestFailure("timeout while waiting for \(awaitedEvent)")
            }
        }

        /// Returns the item's selection group with the given characteristic.
        func group(_ characteristic: MediaCharacteristic) throws -> MediaSelectionGroup {
            try #require(item.mediaSelectionGroup(forMediaCharacteristic: characteristic))
        }

        /// Returns the number of the selected track in a group; nil if no track is selected.
        func selectedTrackID(_ characteristic: MediaCharacteristic) throws -> Int? {
            item.currentMediaSelection.selectedMediaOption(in: try group(characteristic))?.trackID
        }
    }

    @Test func groupsListTheTracksOfTheItem() throws {
        let test = try TestPlayer(), audible = try test.group(.audible), legible = try test.group(.legible)
        #expect(
            audible.options.map(\.extendedLanguageTag) == ["en", "de"]
                && audible.options.map(\.displayName) == ["en", "Zweite"])
        #expect(audible.defaultOption == audible.options.first && legible.defaultOption == nil)
        #expect(legible.options.map(\.codec) == ["subrip", "ass"])
        #expect(try test.group(.visual).options.count == 1)
        #expect(test.item.mediaSelectionGroup(forMediaCharacteristic: .isAuxiliaryContent) == nil)
        #expect(
            MediaSelectionGroup.mediaSelectionOptions(
                from: audible.options, filteredAndSortedAccordingToPreferredLanguages: ["fr", "de-AT", "en"]
            ).map(\.trackID) == [2, 1])
        #expect(
            MediaSelectionGroup.mediaSelectionOptions(
                from: legible.options, withoutMediaCharacteristics: [.containsOnlyForcedSubtitles]
            ).count == 2)
        #expect(test.item.tracks.map(\.mediaType) == [.video, .audio, .audio, .subtitle, .subtitle])
        #expect(test.item.tracks.map(\.isEnabled) == [true, true, false, false, false])
    }

    @Test func copiedItemKeepsTheTrackSelection() throws {
        let test = try TestPlayer(), audible = try test.group(.audible)
        test.item.select(audible.options[1], in: audible)
        try test.wait("the second audio track") { (try? test.selectedTrackID(.audible)) == 2 }
        let copy = test.item.copy()
        test.player.replaceCurrentItem(with: copy)
        try test.wait("the copy") { copy.status == .readyToPlay && !copy.tracks.isEmpty }
        let group = try #require(copy.mediaSelectionGroup(forMediaCharacteristic: .audible))
        #expect(copy.currentMediaSelection.selectedMediaOption(in: group)?.trackID == 2)
    }

    @Test func selectedOptionsPlayAndOptionsOfOtherGroupsAreIgnored() throws {
        let test = try TestPlayer(), audible = try test.group(.audible), legible = try test.group(.legible)
        test.item.select(audible.options[1], in: audible)
        try test.wait("the second audio track") { (try? test.selectedTrackID(.audible)) == 2 }
        test.item.select(legible.options[0], in: legible)
        try test.wait("the first subtitles") { (try? test.selectedTrackID(.legible)) == 3 }
        // An option that belongs to another selection group is ignored.
        test.item.select(legible.options[1], in: audible)
        test.item.select(nil, in: legible)
        try test.wait("no subtitles") { (try? test.selectedTrackID(.legible)) == .some(nil) }
        #expect(try test.selectedTrackID(.audible) == 2)
        test.item.tracks[4].isEnabled = true
        try test.wait("the enabled subtitle track") { (try? test.selectedTrackID(.legible)) == 4 }
    }

    @Test func selectionCriteriaApplyUntilTheProgramSelectsAnOption() throws {
        let test = try TestPlayer { player, _ in
            player.setMediaSelectionCriteria(
                PlayerMediaSelectionCriteria(preferredLanguages: ["de"]), forMediaCharacteristic: .audible)
            player.setMediaSelectionCriteria(
                PlayerMediaSelectionCriteria(preferredLanguages: ["fr", "en"]), forMediaCharacteristic: .legible)
        }
        try test.wait("German audio and English subtitles") {
            (try? test.selectedTrackID(.audible)) == 2 && (try? test.selectedTrackID(.legible)) == 3
        }
        let audible = try test.group(.audible)
        #expect(test.item.currentMediaSelection.mediaSelectionCriteriaCanBeAppliedAutomatically(to: audible))
        test.item.select(audible.options[0], in: audible)
        try test.wait("the selected audio track") { (try? test.selectedTrackID(.audible)) == 1 }
        #expect(!test.item.currentMediaSelection.mediaSelectionCriteriaCanBeAppliedAutomatically(to: audible))
        // The program's selection stays until the program requests automatic selection again.
        test.player.setMediaSelectionCriteria(
            PlayerMediaSelectionCriteria(preferredLanguages: ["de"]), forMediaCharacteristic: .legible)
        try test.wait("German subtitles") { (try? test.selectedTrackID(.legible)) == 4 }
        #expect(try test.selectedTrackID(.audible) == 1)
        test.item.selectMediaOptionAutomatically(in: audible)
        try test.wait("German audio again") { (try? test.selectedTrackID(.audible)) == 2 }
    }

    @Test func subtitleFileBecomesATrackWithText() throws {
        let subtitlePath = try Fixtures.path("tracks.fr.srt")
        let test = try TestPlayer { _, item in item.addSubtitles(location: subtitlePath) }
        try test.wait("the subtitle text") { test.player.subtitleText == "BESIDE" }
        #expect(try test.group(.legible).options.last?.externalLocation == subtitlePath)
        test.item.addSubtitles(location: try Fixtures.path("cyrillic.srt"), selecting: false)
        try test.wait("the second subtitle file") { test.item.tracks.count == 7 }
        #expect(test.player.subtitleText == "BESIDE")
    }
}
