import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

@Suite struct PlayerLooperTests {
    @Test(.measuresTime) func itemLoopsWithoutAGapUntilLoopingIsDisabled() async throws {
        try await TestEnvironment.runExclusively {
            let audioFrameCount = Monitor(0)
            let rig = try PlayerTestRig {
                $0.sampleTap = { slice in audioFrameCount.withLock { $0 += slice.count / 2 } }
            }
            let looper = PlayerLooper(
                player: rig.player, templateItem: PlayerItem(location: try Fixtures.path("half-a.flac")))
            #expect(looper.loopingPlayerItems.count == 3)
            #expect(rig.player.items().count == 3)
            disable(looper, whenCopyBeginsAfter: 3, of: rig)
            rig.player.rate = 1
            try rig.wait(for: "playedToEnd", times: 4)
            #expect(looper.loopCount == 3)
            #expect(looper.status == .cancelled)
            let isQueueEmpty: Bool? = Deadline.poll(for: .seconds(10)) { rig.player.items().isEmpty ? true : nil }
            #expect(isQueueEmpty == true)
            #expect(rig.count("playedToEnd") == 4)
            #expect(audioFrameCount.withLock { $0 } == 4 * 53_211)
        }
    }

    /// The player reports the end of an item before the next copy of the item becomes current.
    @Test func loopingDisabledBetweenTwoCopiesEndsAfterTheNextCopy() async throws {
        try await TestEnvironment.runExclusively {
            let rig = try PlayerTestRig()
            let looper = PlayerLooper(
                player: rig.player, templateItem: PlayerItem(location: try Fixtures.path("half-a.flac")))
            let copies = looper.loopingPlayerItems
            #expect(rig.player.currentItem === copies[0])
            looper.handle(.playedToEnd(copies[0]))
            looper.disableLooping()
            #expect(rig.player.items().map(ObjectIdentifier.init) == copies[0...1].map(ObjectIdentifier.init))
        }
    }

    /// Disables looping on the player's thread when the next copy begins after `endCount` copies have ended.
    private func disable(_ looper: PlayerLooper, whenCopyBeginsAfter endCount: Int, of rig: PlayerTestRig) {
        _ = rig.player.core.addObserver { [weak looper, weak rig] event in
            guard case .itemChanged = event, rig?.count("playedToEnd") == endCount else { return }
            looper?.disableLooping()
        }
    }

    @Test func missingSubtitleFileDoesNotEndTheLoop() async throws {
        try await TestEnvironment.runExclusively {
            let rig = try PlayerTestRig(), templateItem = PlayerItem(location: try Fixtures.path("half-a.flac"))
            templateItem.addSubtitles(location: "/nowhere/missing.srt")
            let looper = PlayerLooper(player: rig.player, templateItem: templateItem)
            rig.player.play()
            try rig.wait(for: "playedToEnd", times: 5)
            #expect(rig.count("failedToPlayToEnd") == 0 && rig.count("warning") > 0)
            // The player reports the end of an item before it advances to the next item.
            let isFull: Bool? = Deadline.poll(for: .seconds(10)) {
                looper.loopingPlayerItems.count == 3 && rig.player.items().count == 3 ? true : nil
            }
            #expect(isFull == true)
            looper.disableLooping()
        }
    }

    @Test(.measuresTime) func timeRangeIsLoopedWithSampleAccuracy() async throws {
        try await TestEnvironment.runExclusively {
            let audioFrameCount = Monitor(0)
            let rig = try PlayerTestRig {
                $0.sampleTap = { slice in audioFrameCount.withLock { $0 += slice.count / 2 } }
            }
            let looper = PlayerLooper(
                player: rig.player, templateItem: PlayerItem(location: try Fixtures.path("half-a.wav")),
                timeRange: MediaTimeRange(
                    start: MediaTime(value: 4800, timescale: 48_000),
                    duration: MediaTime(value: 24_001, timescale: 48_000)))
            disable(looper, whenCopyBeginsAfter: 2, of: rig)
            rig.player.rate = 1
            try rig.wait(for: "playedToEnd", times: 3)
            let isQueueEmpty: Bool? = Deadline.poll(for: .seconds(10)) { rig.player.items().isEmpty ? true : nil }
            #expect(isQueueEmpty == true)
            #expect(audioFrameCount.withLock { $0 } == 3 * 24_001)
        }
    }

    @Test func emptyingTheQueueAtAnItemsEndEndsTheLoop() async throws {
        try await TestEnvironment.runExclusively {
            let rig = try PlayerTestRig()
            let templateItem = PlayerItem(location: try Fixtures.path("half-a.flac"))
            let mustStop = Monitor(false)
            let emptyingThread = try NamedThread("emptier") {
                while !mustStop.withLock({ $0 }) { rig.player.removeAllItems() }
            }
            defer {
                mustStop.withLock { $0 = true }
                emptyingThread.join()
            }
            for _ in 0..<300 {
                let looper = PlayerLooper(player: rig.player, templateItem: templateItem)
                for copy in looper.loopingPlayerItems { looper.handle(.playedToEnd(copy)) }
            }
            #expect(Deadline.poll(for: .seconds(10)) { rig.player.items().isEmpty ? true : nil } == true)
        }
    }

    @Test func removingAllCopiesStopsTheLooper() async throws {
        try await TestEnvironment.runExclusively {
            let rig = try PlayerTestRig()
            let looper = PlayerLooper(
                player: rig.player, templateItem: PlayerItem(location: try Fixtures.path("half-a.flac")))
            let copies = looper.loopingPlayerItems
            looper.handle(.playedToEnd(copies[0]))
            #expect(looper.loopCount == 1 && rig.player.items().count == 4)
            rig.player.removeAllItems()
            looper.handle(.playedToEnd(copies[1]))
            #expect(rig.player.items().isEmpty)
        }
    }
}
