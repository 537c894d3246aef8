import Foundation
import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

/// Tests items that are live streams from a real server, with segments of half a second.
@Suite struct PlayerItemLiveTests {
    /// Returns the settings of the test server for a live stream, as JSON.
    private static func settings(_ liveSettings: String, _ otherSettings: String = "") -> String {
        "{\"live\": {\"list\": \"short.m3u8\", \(liveSettings)}\(otherSettings)}"
    }

    /// Starts a test server that delivers a live stream.
    private static func server(_ liveSettings: String) throws -> LinkServer {
        try LinkServer(try Fixtures.path("streams"), settings(liveSettings))
    }

    /// 2026-01-01, the first date in the playlists.
    private static let firstDate = Date(timeIntervalSince1970: 1_767_225_600)

    /// Returns the start and the end of a range in seconds; empty for nil.
    private static func seconds(_ range: MediaTimeRange?) -> [Double] {
        range.map { [$0.start.seconds, $0.end.seconds] } ?? []
    }

    /// Waits until a condition is true, for at most 20 s.
    private func wait(until condition: () -> Bool) throws {
        guard Deadline.poll(for: .seconds(20), { condition() ? true : nil }) == true else {
            throw TestFailure("the condition was not met in time")
        }
    }

    @Test("a live stream has seekable ranges and dates") func liveStreamHasSeekableRangesAndDates() async throws {
        try await TestEnvironment.runExclusively {
            let server = try Self.server(#""start": 20, "event": true, "dates": true, "speed": 0"#)
            let item = PlayerItem(location: server.address + "/short.m3u8")
            #expect(item.currentDate() == nil && !item.recommendedTimeOffsetFromLive.isValid)
            let fixture = try PlayerFixture([item])
            try fixture.wait(for: "firstFrame")
            #expect(item.duration.isIndefinite && item.isSeekable)
            #expect(Self.seconds(item.seekableTimeRanges.first) == [0, 7])
            #expect(item.recommendedTimeOffsetFromLive.seconds == 3)
            try wait { item.currentTime().seconds == 7 }
            #expect(item.currentDate() == Self.firstDate + 7)
            let isSeekFinished = await withCheckedContinuation { done in
                _ = item.seek(to: Self.firstDate + 2.5) { done.resume(returning: $0) }
            }
            #expect(isSeekFinished)
            #expect(item.currentTime().seconds == 2.5 && fixture.shownFrameTimes.last == 2_500_000_000)
            #expect(item.currentDate() == Self.firstDate + 2.5)
            for date in [Self.firstDate - 1, Self.firstDate + 7.5, .distantPast, .distantFuture] {
                #expect(!item.seek(to: date))
            }
            #expect(await fixture.player.seekExactly(to: MediaTime(seconds: 7.5)) == false)
            #expect(await fixture.player.seek(to: .positiveInfinity))
            #expect(abs(item.currentTime().seconds - 7) < 0.1)
            item.configuredTimeOffsetFromLive = MediaTime(seconds: 5)
            #expect(await fixture.player.seekExactly(to: .positiveInfinity))
            #expect(item.currentTime().seconds == 5)
            let copy = item.copy()
            #expect(copy.configuredTimeOffsetFromLive.seconds == 5)
        }
    }

    @Test("while playback is paused, the seekable range stays, unless the item may use the network")
    func pausedItemReloadsThePlaylistOnlyIfPermitted() async throws {
        try await TestEnvironment.runExclusively {
            let server = try Self.server(#""start": 20, "event": true, "loop": true"#)
            let item = PlayerItem(location: server.address + "/short.m3u8")
            item.preferredForwardBufferDuration = 0.5
            item.configuredTimeOffsetFromLive = MediaTime(seconds: 9)
            let fixture = try PlayerFixture([item])
            try fixture.wait(for: "firstFrame")
            try wait { item.isPlaybackBufferFull }
            #expect((item.loadedTimeRanges.first?.end.seconds ?? 0) < 4)
            let oldRange = Self.seconds(item.seekableTimeRanges.first), oldEnd = oldRange.last ?? 0
            let requestCount = server.paths.count
            item.preferredForwardBufferDuration = 2
            try wait { server.paths.count > requestCount + 1 }
            #expect(Self.seconds(item.seekableTimeRanges.first) == oldRange)
            item.canUseNetworkResourcesForLiveStreamingWhilePaused = true
            try wait { (Self.seconds(item.seekableTimeRanges.first).last ?? 0) > oldEnd }
            #expect(fixture.player.rate == 0)
            #expect(item.copy().canUseNetworkResourcesForLiveStreamingWhilePaused)
        }
    }

    @Test("playback that was paused for longer than the server keeps segments jumps once, and logs a warning")
    func playbackRejoinsAfterALongPause() async throws {
        try await TestEnvironment.runExclusively {
            let liveSettings = #""window": 16, "start": 16, "loop": true"#
            let server = try Self.server(liveSettings)
            let item = PlayerItem(location: server.address + "/short.m3u8")
            item.preferredForwardBufferDuration = 1
            let fixture = try PlayerFixture([item])
            fixture.player.play()
            try fixture.waitForFrames(10)
            fixture.player.pause()
            let position = item.currentTime().seconds
            try server.change(Self.settings(liveSettings + #", "skip": 40"#))
            let jumpCount = fixture.count("timeJumped")
            fixture.player.play()
            try fixture.wait(for: "seekCompleted")
            try fixture.waitForFrames(fixture.shownFrameTimes.count + 10)
            let range = Self.seconds(item.seekableTimeRanges.first)
            #expect(item.currentTime().seconds > position + 20 && item.currentTime().seconds >= range[0])
            #expect(fixture.count("timeJumped") == jumpCount + 1 && fixture.count("warning") == 1, "\(fixture.events)")
            #expect(item.errorLog()?.events.last?.errorComment.contains("fell behind the live stream") == true)
        }
    }

    @Test(
        "after a stall, playback keeps its distance from the end of the stream only if the program requests it",
        arguments: [false, true])
    func distanceFromTheEndIsKeptOnlyOnRequest(isRequested: Bool) async throws {
        try await TestEnvironment.runExclusively {
            let liveSettings = #""start": 20, "event": true, "loop": true"#
            let server = try Self.server(liveSettings)
            let item = PlayerItem(location: server.address + "/short.m3u8")
            item.automaticallyPreservesTimeOffsetFromLive = isRequested
            item.configuredTimeOffsetFromLive = MediaTime(seconds: 2)
            let fixture = try PlayerFixture([item])
            fixture.player.play()
            try fixture.waitForFrames(5)
            try server.change(Self.settings(liveSettings, #", "rules": [{"path": "[.]ts", "delay": 3, "times": 1}]"#))
            try fixture.wait(for: "stalled")
            try fixture.waitForFrames(fixture.shownFrameTimes.count + 20)
            #expect(
                (fixture.count("timeJumped") == 1) == isRequested,
                "\(fixture.events) \(String(describing: item.errorLog()))")
            if isRequested {
                let distanceFromEnd = (item.segmentWindow?.end ?? 0) - (item.currentTime().nanoseconds ?? 0)
                #expect(distanceFromEnd < 4_000_000_000)
            }
        }
    }
}
