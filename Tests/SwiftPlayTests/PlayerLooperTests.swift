import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

@Suite struct PlayerLooperTests {
    @Test(.measuresTime) func itemLoopsWithoutAGapUntilLoopingIsDisabled() async throws {
        try await TestEnvironment.runExclusively {
            let audioFrameCount = Monitor(0)
            let fixture = try PlayerFixture {
                $0.sampleTap = { slice in audioFrameCount.withLock { $0 += slice.count / 2 } }
            }
            let looper = PlayerLooper(
                player: fixture.player, templateItem: PlayerItem(location: try Fixtures.path("half-a.flac")))
            #expect(looper.loopingPlayerItems.count == 3)
            #expect(fixture.player.items().count == 3)
            disable(looper, whenCopyBeginsAfter: 3, of: fixture)
            fixture.player.rate = 1
            try fixture.wait(for: "playedToEnd", times: 4)
            #expect(looper.loopCount == 3)
            #expect(looper.status == .cancelled)
            let isQueueEmpty: Bool? = Deadline.poll(for: .seconds(10)) { fixture.player.items().isEmpty ? true : nil }
            #expect(isQueueEmpty == true)
            #expect(fixture.count("playedToEnd") == 4)
            #expect(audioFrameCount.withLock { $0 } == 4 * 53_211)
        }
    }

    /// The player reports the end of an item before the next copy of the item becomes current.
    @Test func loopingDisabledBetweenTwoCopiesEndsAfterTheNextCopy() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture()
            let looper = PlayerLooper(
                player: fixture.player, templateItem: PlayerItem(location: try Fixtures.path("half-a.flac")))
            let copies = looper.loopingPlayerItems
            #expect(fixture.player.currentItem === copies[0])
            looper.handle(.playedToEnd(copies[0]))
            looper.disableLooping()
            #expect(fixture.player.items().map(ObjectIdentifier.init) == copies[0...1].map(ObjectIdentifier.init))
        }
    }

    /// Disables looping on the player's thread when the next copy begins after `endCount` copies have ended.
    private func disable(_ looper: PlayerLooper, whenCopyBeginsAfter endCount: Int, of fixture: PlayerFixture) {
        _ = fixture.player.core.addObserver { [weak looper, weak fixture] event in
            guard case .itemChanged = event, fixture?.count("playedToEnd") == endCount else { return }
            looper?.disableLooping()
        }
    }

    @Test func missingSubtitleFileDoesNotEndTheLoop() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture(), templateItem = PlayerItem(location: try Fixtures.path("half-a.flac"))
            templateItem.addSubtitles(location: "/nowhere/missing.srt")
            let looper = PlayerLooper(player: fixture.player, templateItem: templateItem)
            fixture.player.play()
            try fixture.wait(for: "playedToEnd", times: 5)
            #expect(fixture.count("failedToPlayToEnd") == 0 && fixture.count("warning") > 0)
            // The player reports the end of an item before it advances to the next item.
            let isFull: Bool? = Deadline.poll(for: .seconds(10)) {
                looper.loopingPlayerItems.count == 3 && fixture.player.items().count == 3 ? true : nil
            }
            #expect(isFull == true)
            looper.disableLooping()
        }
    }

    @Test(.measuresTime) func timeRangeIsLoopedWithSampleAccuracy() async throws {
        try await TestEnvironment.runExclusively {
            let audioFrameCount = Monitor(0)
            let fixture = try PlayerFixture {
                $0.sampleTap = { slice in audioFrameCount.withLock { $0 += slice.count / 2 } }
            }
            let looper = PlayerLooper(
                player: fixture.player, templateItem: PlayerItem(location: try Fixtures.path("half-a.wav")),
                timeRange: MediaTimeRange(
                    start: MediaTime(value: 4800, timescale: 48_000),
                    duration: MediaTime(value: 24_001, timescale: 48_000)))
            disable(looper, whenCopyBeginsAfter: 2, of: fixture)
            fixture.player.rate = 1
            try fixture.wait(for: "playedToEnd", times: 3)
            let isQueueEmpty: Bool? = Deadline.poll(for: .seconds(10)) { fixture.player.items().isEmpty ? true : nil }
            #expect(isQueueEmpty == true)
            #expect(audioFrameCount.withLock { $0 } == 3 * 24_001)
        }
    }

    @Test func emptyingTheQueueAtAnItemsEndEndsTheLoop() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture()
            let templateItem = PlayerItem(location: try Fixtures.path("half-a.flac"))
            let mustStop = Monitor(false)
            let emptyingThread = try NamedThread("emptier") {
                while !mustStop.withLock({ $0 }) { fixture.player.removeAllItems() }
            }
            defer {
                mustStop.withLock { $0 = true }
                emptyingThread.join()
            }
            for _ in 0..<300 {
                let looper = PlayerLooper(player: fixture.player, templateItem: templateItem)
                for copy in looper.loopingPlayerItems { looper.handle(.playedToEnd(copy)) }
            }
            #expect(Deadline.poll(for: .seconds(10)) { fixture.player.items().isEmpty ? true : nil } == true)
        }
    }

    @Test func removingAllCopiesStopsTheLooper() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture()
            let looper = PlayerLooper(
                player: fixture.player, templateItem: PlayerItem(location: try Fixtures.path("half-a.flac")))
            let copies = looper.loopingPlayerItems
            looper.handle(.playedToEnd(copies[0]))
            #expect(looper.loopCount == 1 && fixture.player.items().count == 4)
            fixture.player.removeAllItems()
            looper.handle(.playedToEnd(copies[1]))
            #expect(fixture.player.items().isEmpty)
        }
    }
}
