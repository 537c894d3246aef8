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
            let firstRig = try PlayerTestRig(), secondRig = try PlayerTestRig(), item = try makeItem("tracks.mkv")
            for round in 0..<20 {
                let (formerRig, newRig) = round % 2 == 0 ? (secondRig, firstRig) : (firstRig, secondRig)
                formerRig.player.replaceCurrentItem(with: nil)
                newRig.player.replaceCurrentItem(with: item)
                #expect(newRig.player.currentItem === item)
                if round % 5 == 4 { try newRig.wait(for: "firstFrame", times: newRig.count("firstFrame") + 1) }
            }
            // The former player has released the item and no longer changes its state.
            firstRig.player.close()
            secondRig.player.play()
            try secondRig.wait(for: "rateChanged")
            try secondRig.waitForFrames(10)
            #expect(item.status == .readyToPlay && item.hasVideo)
            // The frames shown so far may be those of an earlier round, and the item may still be opening again: wait
            // for its tracks.
            let playsBoth = Deadline.poll(for: .seconds(30)) {
                item.trackState.playingTracks[.video] != nil && item.trackState.playingTracks[.audio] != nil
                    ? true : nil
            }
            #expect(playsBoth == true)
            #expect(item.currentTime().isNumeric)
            #expect(firstRig.count("itemRejected") == 0 && secondRig.count("itemRejected") == 0)
        }
    }

    @Test func itemsMoveFromOneQueuePlayerToAnother() async throws {
        try await TestEnvironment.runExclusively {
            let firstRig = try PlayerTestRig(), secondRig = try PlayerTestRig()
            let items = try (0..<3).map { _ in try makeItem() }
            for item in items { firstRig.player.insert(item, after: nil) }
            firstRig.player.remove(items[1])
            secondRig.player.insert(items[1], after: nil)
            firstRig.player.advanceToNextItem()
            secondRig.player.insert(items[0], after: nil)
            firstRig.player.removeAllItems()
            secondRig.player.insert(items[2], after: nil)
            #expect(
                secondRig.player.items().map(ObjectIdentifier.init)
                    == [items[1], items[0], items[2]].map(ObjectIdentifier.init))
            try secondRig.wait(for: "firstFrame")
            #expect(secondRig.count("itemRejected") == 0)
        }
    }

    @Test func itemOfAnotherPlayerIsRejected() async throws {
        try await TestEnvironment.runExclusively {
            let item = try makeItem(), otherItem = try makeItem()
            let firstRig = try PlayerTestRig([item]), secondRig = try PlayerTestRig([otherItem])
            try firstRig.wait(for: "firstFrame")
            try secondRig.wait(for: "firstFrame")
            let reportedCode = Monitor<PlaybackError.Code?>(nil)
            let observation = secondRig.player.observe(on: .init(label: "rejections")) { notification in
                if case .itemRejected(let rejectedItem, let error) = notification, rejectedItem === item {
                    reportedCode.update { $0 = error.code }
                }
            }
            secondRig.player.replaceCurrentItem(with: item)
            #expect(secondRig.player.currentItem === otherItem)
            let code = reportedCode.wait(until: Deadline.after(.seconds(60))) { $0 }
            #expect(code == .itemInUse)
            secondRig.player.insert(item, after: nil)
            secondRig.player.insert(otherItem, after: nil)
            try secondRig.wait(for: "itemRejected", times: 3)
            #expect(secondRig.player.items().count == 1)
            firstRig.player.play()
            try firstRig.waitForFrames(5)
            #expect(item.status == .readyToPlay)
            // A closed player has no items.
            firstRig.player.close()
            secondRig.player.replaceCurrentItem(with: item)
            #expect(secondRig.player.currentItem === item)
            withExtendedLifetime(observation) {}
        }
    }

    @Test func onlyTheNewestOfManyReplacedItemsIsOpened() async throws {
        try await TestEnvironment.runExclusively {
            let rig = try PlayerTestRig(), itemChanges = Counter(), mayContinue = Monitor(false)
            let observerNumber = rig.player.core.addObserver { event in
                guard case .itemChanged = event else { return }
                itemChanges.add()
                _ = mayContinue.wait(until: Deadline.after(.seconds(60))) { $0 ? true : nil }
            }
            rig.player.replaceCurrentItem(with: try makeItem())
            // The player's thread is blocked until all items are set.
            try itemChanges.wait(for: 1)
            var seekCount = 0
            for _ in 0..<500 {
                rig.player.replaceCurrentItem(with: try makeItem())
                rig.player.seekExactly(to: MediaTime(seconds: 1)) { _ in }
                seekCount += 1
            }
            let lastItem = try makeItem("silent.mp4")
            rig.player.replaceCurrentItem(with: lastItem)
            mayContinue.update { $0 = true }
            // The first item may show a picture before the player replaces it.
            let isOpen: Bool? = Deadline.poll(for: .seconds(60)) { lastItem.status == .readyToPlay ? true : nil }
            #expect(isOpen == true && itemChanges.count == 2)
            #expect(rig.player.currentItem === lastItem && lastItem.status == .readyToPlay && seekCount == 500)
            rig.player.core.removeObserver(observerNumber)
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
