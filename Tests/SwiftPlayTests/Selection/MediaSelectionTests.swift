import MediaPipeline
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

    @Test func theRemovalOfThePreviousTrackKeepsTheNewSelection() throws {
        let testPlayer = try TestPlayer(), item = testPlayer.item
        for name in ["tracks.fr.srt", "cyrillic.srt"] {
            item.addSubtitles(location: try Fixtures.path(name), selecting: false)
        }
        try testPlayer.wait("the files") { item.trackState.tracks.count { $0.isExternal } == 2 }
        let files = item.trackState.tracks.filter(\.isExternal).map(\.id)
        item.pick(.id(files[0]), .subtitle)
        try testPlayer.wait("the first file") { item.trackState.playingTracks[.subtitle] == files[0] }
        // The player may not have changed the track yet when the file is removed.
        item.pick(.id(files[1]), .subtitle)
        #expect(item.removeExternalTrack(files[0]))
        try testPlayer.wait("the second file") { item.trackState.playingTracks[.subtitle] == files[1] }
        #expect(item.removeExternalTrack(files[1]))
        try testPlayer.wait("no file") { item.trackState.playingTracks[.subtitle] == nil }
    }

    @Test func groupsListTheTracksOfTheItem() throws {
        let testPlayer = try TestPlayer(), audibleGroup = try testPlayer.group(.audible),
            legibleGroup = try testPlayer.group(.legible)
        #expect(
            audibleGroup.options.map(\.extendedLanguageTag) == ["en", "de"]
                && audibleGroup.options.map(\.displayName) == ["en", "Zweite"])
        #expect(audibleGroup.defaultOption == audibleGroup.options.first && legibleGroup.defaultOption == nil)
        #expect(legibleGroup.options.map(\.codec) == ["subrip", "ass"])
        #expect(try testPlayer.group(.visual).options.count == 1)
        #expect(testPlayer.item.mediaSelectionGroup(forMediaCharacteristic: .isAuxiliaryContent) == nil)
        #expect(
            MediaSelectionGroup.mediaSelectionOptions(
                from: audibleGroup.options, filteredAndSortedAccordingToPreferredLanguages: ["fr", "de-AT", "en"]
            ).map(\.trackID) == [2, 1])
        #expect(
            MediaSelectionGroup.mediaSelectionOptions(
                from: legibleGroup.options, withoutMediaCharacteristics: [.containsOnlyForcedSubtitles]
            ).count == 2)
        #expect(testPlayer.item.tracks.map(\.mediaType) == [.video, .audio, .audio, .subtitle, .subtitle])
        #expect(testPlayer.item.tracks.map(\.isEnabled) == [true, true, false, false, false])
    }

    @Test func copiedItemKeepsTheTrackSelection() throws {
        let testPlayer = try TestPlayer(), audibleGroup = try testPlayer.group(.audible)
        testPlayer.item.select(audibleGroup.options[1], in: audibleGroup)
        try testPlayer.wait("the second audio track") { (try? testPlayer.selectedTrackID(.audible)) == 2 }
        let copy = testPlayer.item.copy()
        testPlayer.player.replaceCurrentItem(with: copy)
        try testPlayer.wait("the copy") { copy.status == .readyToPlay && !copy.tracks.isEmpty }
        let group = try #require(copy.mediaSelectionGroup(forMediaCharacteristic: .audible))
        #expect(copy.currentMediaSelection.selectedMediaOption(in: group)?.trackID == 2)
    }

    @Test func selectedOptionsPlayAndOptionsOfOtherGroupsAreIgnored() throws {
        let testPlayer = try TestPlayer(), audibleGroup = try testPlayer.group(.audible),
            legibleGroup = try testPlayer.group(.legible)
        testPlayer.item.select(audibleGroup.options[1], in: audibleGroup)
        try testPlayer.wait("the second audio track") { (try? testPlayer.selectedTrackID(.audible)) == 2 }
        testPlayer.item.select(legibleGroup.options[0], in: legibleGroup)
        try testPlayer.wait("the first subtitles") { (try? testPlayer.selectedTrackID(.legible)) == 3 }
        // An option that belongs to another selection group is ignored.
        testPlayer.item.select(legibleGroup.options[1], in: audibleGroup)
        testPlayer.item.select(nil, in: legibleGroup)
        try testPlayer.wait("no subtitles") { (try? testPlayer.selectedTrackID(.legible)) == .some(nil) }
        #expect(try testPlayer.selectedTrackID(.audible) == 2)
        testPlayer.item.tracks[4].isEnabled = true
        try testPlayer.wait("the enabled subtitle track") { (try? testPlayer.selectedTrackID(.legible)) == 4 }
    }

    @Test func selectionCriteriaApplyUntilTheProgramSelectsAnOption() throws {
        let testPlayer = try TestPlayer { player, _ in
            player.setMediaSelectionCriteria(
                PlayerMediaSelectionCriteria(preferredLanguages: ["de"]), forMediaCharacteristic: .audible)
            player.setMediaSelectionCriteria(
                PlayerMediaSelectionCriteria(preferredLanguages: ["fr", "en"]), forMediaCharacteristic: .legible)
        }
        try testPlayer.wait("German audio and English subtitles") {
            (try? testPlayer.selectedTrackID(.audible)) == 2 && (try? testPlayer.selectedTrackID(.legible)) == 3
        }
        let audibleGroup = try testPlayer.group(.audible)
        #expect(testPlayer.item.currentMediaSelection.mediaSelectionCriteriaCanBeAppliedAutomatically(to: audibleGroup))
        testPlayer.item.select(audibleGroup.options[0], in: audibleGroup)
        try testPlayer.wait("the selected audio track") { (try? testPlayer.selectedTrackID(.audible)) == 1 }
        #expect(
            !testPlayer.item.currentMediaSelection.mediaSelectionCriteriaCanBeAppliedAutomatically(to: audibleGroup))
        // The program's selection stays until the program requests automatic selection again.
        testPlayer.player.setMediaSelectionCriteria(
            PlayerMediaSelectionCriteria(preferredLanguages: ["de"]), forMediaCharacteristic: .legible)
        try testPlayer.wait("German subtitles") { (try? testPlayer.selectedTrackID(.legible)) == 4 }
        #expect(try testPlayer.selectedTrackID(.audible) == 1)
        testPlayer.item.selectMediaOptionAutomatically(in: audibleGroup)
        try testPlayer.wait("German audio again") { (try? testPlayer.selectedTrackID(.audible)) == 2 }
    }

    @Test func subtitleFileBecomesATrackWithText() throws {
        let subtitlePath = try Fixtures.path("tracks.fr.srt")
        let testPlayer = try TestPlayer { _, item in item.addSubtitles(location: subtitlePath) }
        try testPlayer.wait("the subtitle text") { testPlayer.player.subtitleText == "BESIDE" }
        #expect(try testPlayer.group(.legible).options.last?.externalLocation == subtitlePath)
        testPlayer.item.addSubtitles(location: try Fixtures.path("cyrillic.srt"), selecting: false)
        try testPlayer.wait("the second subtitle file") { testPlayer.item.tracks.count == 7 }
        #expect(testPlayer.player.subtitleText == "BESIDE")
    }
}
