import Foundation
import TestSupport
import Testing

/// Tests live streams whose segments last half a second.
@Suite("Live streams")
struct LiveStreamingTests {
    private static let liveSettings = #""list": "short.m3u8", "window": 24, "start": 24, "loop": true"#

    /// Returns the start and the end of the seekable range, in seconds.
    private func seekableRange(_ player: RunningPlayer) throws -> (start: Double, end: Double) {
        guard case .object(let state) = try player.ipc.property("demuxer-cache-state"),
            case .array(let ranges)? = state["seekable-ranges"], case .object(let range)? = ranges.first,
            let start = range["start"]?.number, let end = range["end"]?.number
        else { throw TestFailure("there is no seekable range") }
        return (start, end)
    }

    private func position(_ player: RunningPlayer) throws -> Double {
        try #require(try player.ipc.property("time-pos").number)
    }

    @Test("keys and commands seek within the sliding window, and a long pause leads to a jump")
    func seeksStayInTheSlidingWindow() async throws {
        try await TestEnvironment.runExclusively {
            let server = try LinkServer(try Fixtures.path("streams"), "{\"live\": {\(Self.liveSettings)}}")
            let player = try RunningPlayer(
                server.address + "/short.m3u8", options: ["--vo=null", "--ao=null", "--demuxer-readahead-secs=1"])
            try player.ipc.waitForProperty("time-pos") { ($0.number ?? 0) > 9 }
            #expect(try player.ipc.property("seekable") == true)
            let firstRange = try seekableRange(player)
            // The playlist contains the last 12 s of the stream. The seekable range ends 3 s before the end of the
            // playlist.
            #expect(firstRange.end - firstRange.start == 9)
            try player.ipc.command(["seek", 0, "absolute"])
            try player.ipc.waitForProperty("seeking") { $0 == false }
            #expect(try position(player) < firstRange.start + 3)
            let hasAdvanced = Deadline.poll(for: .seconds(20)) { () -> Bool? in
                let range = try? seekableRange(player)
                return range.map { $0.start > firstRange.start && $0.end > firstRange.end } == true ? true : nil
            }
            #expect(hasAdvanced == true)
            try player.ipc.command(["seek", 9999, "absolute"])
            try player.ipc.waitForProperty("seeking") { $0 == false }
            let lastRange = try seekableRange(player)
            #expect(abs(try position(player) - lastRange.end) < 2)
            try player.ipc.command(["seek", -3, "absolute"])
            try player.ipc.waitForProperty("seeking") { $0 == false }
            #expect(try position(player) < lastRange.end - 1)
            try player.ipc.setProperty("pause", true)
            let pausePosition = try position(player)
            try server.change("{\"live\": {\(Self.liveSettings), \"skip\": 40}}")
            try player.ipc.setProperty("pause", false)
            try player.ipc.waitForProperty("time-pos") { ($0.number ?? 0) > pausePosition + 20 }
            try player.quit()
            #expect(player.child.errors.text.contains("playback fell behind the live stream and skips"))
        }
    }
}
