import SharedFrames
import SystemCalls
import TestSupport
import Testing

@testable import MediaPipeline
@testable import SwiftPlay

@Suite struct PlayingItemTests {
    /// Returns an item whose source is not started.
    private func makePlayingItem(_ item: PlayerItem) throws -> PlayingItem {
        let arrival = try EventDescriptor()
        let source = try LocalMediaSource(
            location: item.location, configuration: MediaSourceConfiguration(), pool: FramePool(), arrival: arrival,
            audioArrival: arrival)
        return PlayingItem(playerItem: item, source: source)
    }

    /// A player's thread may still open an item that the program has moved to another player meanwhile.
    @Test func formerPlayerDoesNotReplaceTheSourceOfTheNewPlayer() throws {
        let formerFixture = try PlayerFixture(), newFixture = try PlayerFixture()
        let formerPlayer = formerFixture.player.core, newPlayer = newFixture.player.core
        let item = PlayerItem(location: "film.mp4")
        var formerPlayingItem = try makePlayingItem(item), newPlayingItem = try makePlayingItem(item)
        #expect(item.assign(to: formerPlayer))
        item.release(from: formerPlayer)
        #expect(item.assign(to: newPlayer))
        newPlayingItem.attach(for: newPlayer) {}
        formerPlayingItem.attach(for: formerPlayer) { Issue.record("the former player handles a change of tracks") }
        #expect(item.state.withLock { $0.source } === newPlayingItem.source)
        #expect(item.selection.withLock { $0.source } === newPlayingItem.source)
        item.selection.withLock { $0.onChange }?()
        newPlayingItem.updateItemSelection { $0.playingTracks.video = 0 }
        #expect(item.trackState.playingTracks == [.video: 0])
        withExtendedLifetime((formerFixture, newFixture)) {}
    }

    @Test("a ready item has its tracks, also before it is the current item")
    func aReadyItemHasItsTracks() throws {
        let fixture = try PlayerFixture(), player = fixture.player.core
        let item = PlayerItem(location: "film.mp4")
        var playingItem = try makePlayingItem(item)
        #expect(item.assign(to: player))
        playingItem.attach(for: player) {}
        var info = MediaInfo(container: "test", duration: nil, isSeekable: true)
        info.tracks = [MediaTrack(id: 3, kind: .subtitle, codec: "subrip")]
        playingItem.didOpen(info, output: .none)
        playingItem.publishReadiness(info)
        #expect(item.status == .readyToPlay && item.trackState.tracks.map(\.id) == [3])
        withExtendedLifetime(fixture) {}
    }

    /// A program may remove an item from a queue and insert it again while the player's thread opens it.
    @Test func itemWithoutAnOwnerReceivesItsSource() throws {
        let fixture = try PlayerFixture(), player = fixture.player.core
        let item = PlayerItem(location: "film.mp4")
        var playingItem = try makePlayingItem(item)
        #expect(item.assign(to: player))
        item.release(from: player)
        playingItem.attach(for: player) {}
        #expect(item.assign(to: player))
        #expect(item.state.withLock { $0.source } === playingItem.source)
        #expect(item.selection.withLock { $0.source } === playingItem.source)
        withExtendedLifetime(fixture) {}
    }
}
