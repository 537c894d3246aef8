import Observation
import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

@Suite("Observation tracking of a player")
struct PlayerChangesTests {
    /// Returns a new player without an audio device.
    private static func makePlayer() throws -> Player {
        var configuration = Player.Configuration()
        configuration.audioOutput = .null
        return try Player(configuration: configuration)
    }

    /// Observes the properties that `read` reads, performs `change`, and returns whether the observer was notified.
    private func isObserverNotified(_ read: () -> Void, by change: () -> Void) -> Bool {
        let isNotified = Monitor(false)
        withObservationTracking(read) { isNotified.withLock { $0 = true } }
        change()
        return isNotified.withLock { $0 }
    }

    @Test("A setter notifies the observers of its property before it returns")
    func setterNotifiesTheObserversOfItsProperty() throws {
        let player = try Self.makePlayer()
        defer { player.close() }
        #expect(isObserverNotified({ _ = player.rate }, by: { player.rate = 2 }))
        #expect(isObserverNotified({ _ = player.volume }, by: { player.volume = 0.5 }))
        #expect(isObserverNotified({ _ = player.isMuted }, by: { player.isMuted = true }))
        #expect(isObserverNotified({ _ = player.defaultRate }, by: { player.defaultRate = 1.5 }))
        #expect(isObserverNotified({ _ = player.actionAtItemEnd }, by: { player.actionAtItemEnd = .none }))
        #expect(isObserverNotified({ _ = player.deinterlacing }, by: { player.deinterlacing = .never }))
        #expect(
            isObserverNotified({ _ = player.loopRange }) {
                player.loopRange = MediaTimeRange(start: MediaTime(seconds: 1), end: MediaTime(seconds: 2))
            })
        #expect(
            isObserverNotified({ _ = player.automaticallyWaitsToMinimizeStalling }) {
                player.automaticallyWaitsToMinimizeStalling = false
            })
        #expect(
            isObserverNotified({ _ = player.preventsDisplaySleepDuringVideoPlayback }) {
                player.preventsDisplaySleepDuringVideoPlayback = false
            })
        #expect(
            isObserverNotified({ _ = player.audiovisualBackgroundPlaybackPolicy }) {
                player.audiovisualBackgroundPlaybackPolicy = .pauses
            })
        #expect(
            isObserverNotified({ _ = player.appliesMediaSelectionCriteriaAutomatically }) {
                player.appliesMediaSelectionCriteriaAutomatically = false
            })
        #expect(isObserverNotified({ _ = player.subtitleDelay }, by: { player.subtitleDelay = MediaTime(seconds: 1) }))
        #expect(isObserverNotified({ _ = player.subtitleScale }, by: { player.subtitleScale = 2 }))
        #expect(isObserverNotified({ _ = player.showsSubtitles }, by: { player.showsSubtitles = false }))
    }

    @Test("Changes of a queue notify the observers of its items")
    func queueChangeNotifiesTheObserversOfItems() throws {
        var configuration = Player.Configuration()
        configuration.audioOutput = .null
        let player = try QueuePlayer(configuration: configuration)
        defer { player.close() }
        let location = try Fixtures.path("count30.mp4")
        let items = [1, 2, 3].map { _ in PlayerItem(location: location) }
        #expect(isObserverNotified({ _ = player.items() }, by: { player.insert(items[0], after: nil) }))
        #expect(isObserverNotified({ _ = player.items() }, by: { player.insert(items[1], after: nil) }))
        #expect(!isObserverNotified({ _ = player.currentItem }, by: { player.insert(items[2], after: nil) }))
        #expect(isObserverNotified({ _ = player.items() }, by: { player.remove(items[2]) }))
        #expect(isObserverNotified({ _ = player.items() }, by: { player.removeAllItems() }))
    }

    @Test("Setting an equal value or another property does not notify the observers")
    func settingAnEqualValueOrAnotherPropertyDoesNotNotify() throws {
        let player = try Self.makePlayer()
        defer { player.close() }
        #expect(!isObserverNotified({ _ = player.volume }, by: { player.volume = 1 }))
        #expect(!isObserverNotified({ _ = player.volume }, by: { player.isMuted = true }))
    }

    @Test("Closing the player notifies the observers of its status and its error")
    func closingNotifiesTheObserversOfStatusAndError() throws {
        let player = try Self.makePlayer()
        #expect(isObserverNotified({ _ = player.status }, by: { player.close() }))
        #expect(player.status == .failed)
        let secondPlayer = try Self.makePlayer()
        #expect(isObserverNotified({ _ = secondPlayer.error }, by: { secondPlayer.close() }))
    }

    @Test("A new item and the start of playback notify the observers")
    func newItemAndStartOfPlaybackNotifyObservers() async throws {
        let player = try Self.makePlayer()
        defer { player.close() }
        let item = PlayerItem(location: try Fixtures.path("count30.mp4"))
        let itemChanges = AsyncStream<Void>.makeStream()
        withObservationTracking {
            _ = player.currentItem
        } onChange: {
            itemChanges.continuation.yield()
        }
        player.replaceCurrentItem(with: item)
        for await _ in itemChanges.stream { break }
        #expect(player.currentItem === item)

        let playbackStarts = AsyncStream<Void>.makeStream()
        @Sendable func observePlayback() {
            withObservationTracking {
                if player.timeControlStatus == .playing { playbackStarts.continuation.yield() }
            } onChange: {
                Task { observePlayback() }
            }
        }
        observePlayback()
        player.play()
        for await _ in playbackStarts.stream { break }
        #expect(player.timeControlStatus == .playing)
    }
}
