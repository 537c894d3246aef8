import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

/// Tests that an item belongs to one player at a time and can move to another player.
@Suite struct PlayerItemOwnershipTests {
    /// Returns an item for a test clip.
    private func makeItem(_ name: String = "count30.mp4") throws -> PlayerItem {
        PlayerItem(location: try Fixtures.path(name))
    }

    @Test func removedItemCanMoveToAnotherPlayerAtOnce() async throws {
        try await TestEnvironment.runExclusively {
            let firstFixture = try PlayerFixture(), secondFixture = try PlayerFixture(),
                item = try makeItem("tracks.mkv")
            for round in 0..<20 {
                let (formerFixture, newFixture) =
                    round % 2 == 0 ? (secondFixture, firstFixture) : (firstFixture, secondFixture)
                formerFixture.player.replaceCurrentItem(with: nil)
                newFixture.player.replaceCurrentItem(with: item)
                #expect(newFixture.player.currentItem === item)
                if round % 5 == 4 { try newFixture.wait(for: "firstFrame", times: newFixture.count("firstFrame") + 1) }
            }
            // The former player has released the item and no longer changes its state.
            firstFixture.player.close()
            secondFixture.player.play()
            try secondFixture.wait(for: "rateChanged")
            try secondFixture.waitForFrames(10)
            #expect(item.status == .readyToPlay && item.hasVideo)
            // The frames shown so far may be those of an earlier round, and the item may still be opening again: wait
            // for its tracks.
            let playsBoth = Deadline.poll(for: .seconds(30)) {
                item.trackState.playingTracks[.video] != nil && item.trackState.playingTracks[.audio] != nil
                    ? true : nil
            }
            #expect(playsBoth == true)
            #expect(item.currentTime().isNumeric)
            #expect(firstFixture.count("itemRejected") == 0 && secondFixture.count("itemRejected") == 0)
        }
    }

    @Test func itemsMoveFromOneQueuePlayerToAnother() async throws {
        try await TestEnvironment.runExclusively {
            let firstFixture = try PlayerFixture(), secondFixture = try PlayerFixture()
            let items = try (0..<3).map { _ in try makeItem() }
            for item in items { firstFixture.player.insert(item, after: nil) }
            firstFixture.player.remove(items[1])
            secondFixture.player.insert(items[1], after: nil)
            firstFixture.player.advanceToNextItem()
            secondFixture.player.insert(items[0], after: nil)
            firstFixture.player.removeAllItems()
            secondFixture.player.insert(items[2], after: nil)
            #expect(
                secondFixture.player.items().map(ObjectIdentifier.init)
                    == [items[1], items[0], items[2]].map(ObjectIdentifier.init))
            try secondFixture.wait(for: "firstFrame")
            #expect(secondFixture.count("itemRejected") == 0)
        }
    }

    @Test func itemOfAnotherPlayerIsRejected() async throws {
        try await TestEnvironment.runExclusively {
            let item = try makeItem(), otherItem = try makeItem()
            let firstFixture = try PlayerFixture([item]), secondFixture = try PlayerFixture([otherItem])
            try firstFixture.wait(for: "firstFrame")
            try secondFixture.wait(for: "firstFrame")
            let reportedCode = Monitor<PlaybackError.Code?>(nil)
            let observation = secondFixture.player.observe(on: .init(label: "rejections")) { notification in
                if case .itemRejected(let rejectedItem, let error) = notification, rejectedItem === item {
                    reportedCode.update { $0 = error.code }
                }
            }
            secondFixture.player.replaceCurrentItem(with: item)
            #expect(secondFixture.player.currentItem === otherItem)
            let code = reportedCode.wait(until: Deadline.after(.seconds(60))) { $0 }
            #expect(code == .itemInUse)
            secondFixture.player.insert(item, after: nil)
            secondFixture.player.insert(otherItem, after: nil)
            try secondFixture.wait(for: "itemRejected", times: 3)
            #expect(secondFixture.player.items().count == 1)
            firstFixture.player.play()
            try firstFixture.waitForFrames(5)
            #expect(item.status == .readyToPlay)
            // A closed player has no items.
            firstFixture.player.close()
            secondFixture.player.replaceCurrentItem(with: item)
            #expect(secondFixture.player.currentItem === item)
            withExtendedLifetime(observation) {}
        }
    }

    @Test func onlyTheNewestOfManyReplacedItemsIsOpened() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture(), itemChanges = Counter(), mayContinue = Monitor(false)
            let observerNumber = fixture.player.core.addObserver { event in
                guard case .itemChanged = event else { return }
                itemChanges.add()
                _ = mayContinue.wait(until: Deadline.after(.seconds(60))) { $0 ? true : nil }
            }
            fixture.player.replaceCurrentItem(with: try makeItem())
            // The player's thread is blocked until all items are set.
            try itemChanges.wait(for: 1)
            var seekCount = 0
            for _ in 0..<500 {
                fixture.player.replaceCurrentItem(with: try makeItem())
                fixture.player.seekExactly(to: MediaTime(seconds: 1)) { _ in }
                seekCount += 1
            }
            let lastItem = try makeItem("silent.mp4")
            fixture.player.replaceCurrentItem(with: lastItem)
            mayContinue.update { $0 = true }
            // The first item may show a picture before the player replaces it.
            let isOpen: Bool? = Deadline.poll(for: .seconds(60)) { lastItem.status == .readyToPlay ? true : nil }
            #expect(isOpen == true && itemChanges.count == 2)
            #expect(fixture.player.currentItem === lastItem && lastItem.status == .readyToPlay && seekCount == 500)
            fixture.player.core.removeObserver(observerNumber)
        }
    }

    @Test func closingAPlayerDoesNotOpenPendingItems() async throws {
        try await TestEnvironment.runExclusively {
            let player = try QueuePlayer(), itemChanges = Counter(), cancelledSeeks = Counter()
            let mayContinue = Monitor(false)
            _ = player.core.addObserver { event in
                guard case .itemChanged = event else { return }
                itemChanges.add()
                _ = mayContinue.wait(until: Deadline.after(.seconds(60))) { $0 ? true : nil }
            }
            player.replaceCurrentItem(with: try makeItem())
            try itemChanges.wait(for: 1)
            for _ in 0..<300 { player.replaceCurrentItem(with: try makeItem()) }
            for _ in 0..<3 { player.seekExactly(to: .zero) { if !$0 { cancelledSeeks.add() } } }
            let closer = try NamedThread("closer") { player.close() }
            let isClosing: Bool? = Deadline.poll(for: .seconds(60)) {
                player.core.snapshot.withLock { $0.isClosed } ? true : nil
            }
            #expect(isClosing == true)
            mayContinue.update { $0 = true }
            closer.join()
            #expect(itemChanges.count == 1)
            #expect(cancelledSeeks.count == 3)
        }
    }
}
