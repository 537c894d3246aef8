import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

/// Tests that an item belongs to one player at a time and can move to another player.
@Suite struct PlayerItemOwnershipTests {
    private func item(_ name: String = "count30.mp4") throws -> PlayerItem {
        PlayerItem(location: try Fixtures.path(name))
    }

    @Test func removedItemCanMoveToAnotherPlayerAtOnce() async throws {
        try await TestEnvironment.runExclusively {
            let first = try PlayerTestRig(), second = try PlayerTestRig(), item = try item("tracks.mkv")
            for round in 0..<20 {
                let (from, to) = round % 2 == 0 ? (second, first) : (first, second)
                from.player.replaceCurrentItem(with: nil)
                to.player.replaceCurrentItem(with: item)
                #expect(to.player.currentItem === item)
                if round % 5 == 4 { try to.wait(for: "firstFrame", times: to.count("firstFrame") + 1) }
            }
            // The former player has released the item and no longer changes its state.
            first.player.close()
            second.player.play()
            try second.wait(for: "rateChanged")
            try second.waitForFrames(10)
            #expect(item.status == .readyToPlay && item.hasVideo)
            // The frames shown so far may be those of an earlier round, and the item may still be opening again: wait
            // for its tracks.
            let playsBoth = Deadline.poll(for: .seconds(30)) {
                item.trackState.playing[.video] != nil && item.trackState.playing[.audio] != nil ? true : nil
            }
            #expect(playsBoth == true)
            #expect(item.currentTime().isNumeric)
            #expect(first.count("itemRejected") == 0 && second.count("itemRejected") == 0)
        }
    }

    @Test func itemsMoveFromOneQueuePlayerToAnother() async throws {
        try await TestEnvironment.runExclusively {
            let first = try PlayerTestRig(), second = try PlayerTestRig(), items = try (0..<3).map { _ in try item() }
            for item in items { first.player.insert(item, after: nil) }
            first.player.remove(items[1])
            second.player.insert(items[1], after: nil)
            first.player.advanceToNextItem()
            second.player.insert(items[0], after: nil)
            first.player.removeAllItems()
            second.player.insert(items[2], after: nil)
            #expect(
                second.player.items().map(ObjectIdentifier.init)
                    == [items[1], items[0], items[2]].map(ObjectIdentifier.init))
            try second.wait(for: "firstFrame")
            #expect(second.count("itemRejected") == 0)
        }
    }

    @Test func itemOfAnotherPlayerIsRejected() async throws {
        try await TestEnvironment.runExclusively {
            let item = try item(), other = try self.item()
            let first = try PlayerTestRig([item]), second = try PlayerTestRig([other])
            try first.wait(for: "firstFrame")
            try second.wait(for: "firstFrame")
            let reported = Monitor<PlaybackError.Code?>(nil)
            let observation = second.player.observe(on: .init(label: "rejections")) { notification in
                if case .itemRejected(let rejected, let error) = notification, rejected === item {
                    reported.update { $0 = error.code }
                }
            }
            second.player.replaceCurrentItem(with: item)
            #expect(second.player.currentItem === other)
            let code = reported.wait(until: Deadline.after(.seconds(60))) { $0 }
            #expect(code == .itemInUse)
            second.player.insert(item, after: nil)
            second.player.insert(other, after: nil)
            try second.wait(for: "itemRejected", times: 3)
            #expect(second.player.items().count == 1)
            first.player.play()
            try first.waitForFrames(5)
            #expect(item.status == .readyToPlay)
            // A closed player has no items.
            first.player.close()
            second.player.replaceCurrentItem(with: item)
            #expect(second.player.currentItem === item)
            withExtendedLifetime(observation) {}
        }
    }

    @Test func onlyTheNewestOfManyReplacedItemsIsOpened() async throws {
        try await TestEnvironment.runExclusively {
            let rig = try PlayerTestRig(), changes = Counter(), gate = Monitor(false)
            let number = rig.player.core.addObserver { event in
                guard case .itemChanged = event else { return }
                changes.add()
                _ = gate.wait(until: Deadline.after(.seconds(60))) { $0 ? true : nil }
            }
            rig.player.replaceCurrentItem(with: try item())
            // The player's thread is blocked until all items are set.
            try changes.wait(for: 1)
            var sought = 0
            for _ in 0..<500 {
                rig.player.replaceCurrentItem(with: try item())
                rig.player.seekExactly(to: MediaTime(seconds: 1)) { _ in }
                sought += 1
            }
            let last = try item("silent.mp4")
            rig.player.replaceCurrentItem(with: last)
            gate.update { $0 = true }
            // The first item may show a picture before the player replaces it.
            let isOpen: Bool? = Deadline.poll(for: .seconds(60)) { last.status == .readyToPlay ? true : nil }
            #expect(isOpen == true && changes.count == 2)
            #expect(rig.player.currentItem === last && last.status == .readyToPlay && sought == 500)
            rig.player.core.removeObserver(number)
        }
    }

    @Test func closingAPlayerDoesNotOpenPendingItems() async throws {
        try await TestEnvironment.runExclusively {
            let player = try QueuePlayer(), changes = Counter(), gate = Monitor(false), answers = Counter()
            _ = player.core.addObserver { event in
                guard case .itemChanged = event else { return }
                changes.add()
                _ = gate.wait(until: Deadline.after(.seconds(60))) { $0 ? true : nil }
            }
            player.replaceCurrentItem(with: try item())
            try changes.wait(for: 1)
            for _ in 0..<300 { player.replaceCurrentItem(with: try item()) }
            for _ in 0..<3 { player.seekExactly(to: .zero) { if !$0 { answers.add() } } }
            let closer = try NamedThread("closer") { player.close() }
            let isClosing: Bool? = Deadline.poll(for: .seconds(60)) {
                player.core.snapshot.withLock { $0.isClosed } ? true : nil
            }
            #expect(isClosing == true)
            gate.update { $0 = true }
            closer.join()
            #expect(changes.count == 1)
            #expect(answers.count == 3)
        }
    }
}
